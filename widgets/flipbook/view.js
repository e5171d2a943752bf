// @ts-check
// One view of a flipbook: controls above, the picture, its words, the tools.

/** Whether the page around a view is dark: JupyterLab's theme, Colab's, marimo's, else the system's. */
function isDark() {
  const { body, documentElement: root } = document;
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false";
  if (body.dataset.vscodeThemeKind) return false; // VS Code keeps white under widgets in every theme
  const theme = root.getAttribute("theme") ?? root.dataset.theme ?? body.dataset.theme;
  if (theme) return theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Follows the theme of the page. @param {HTMLElement} el */
function followTheme(el) {
  const set = () => el.classList.toggle("dark", isDark());
  const system = matchMedia("(prefers-color-scheme: dark)");
  const watcher = new MutationObserver(set);
  const attributeFilter = ["data-jp-theme-light", "data-theme", "data-vscode-theme-kind", "theme"];
  for (const place of [document.body, document.documentElement]) watcher.observe(place, { attributeFilter });
  system.addEventListener("change", set);
  set();
  return () => {
    watcher.disconnect();
    system.removeEventListener("change", set);
  };
}

/** @param {{model: any, el: HTMLElement}} view */
function render({ model, el }) {
  el.classList.add("flipbook");
  el.dir = "ltr"; // numbers and curves run from left to right on every page
  try {
    return build(model, el);
  } catch (problem) {
    console.warn(problem);
    const stages = [model.get("stages") ?? model.get("stage") ?? []].flat();
    const old = model.get("says")?.old ?? "This picture was saved by another version of the course. Run this cell again.";
    el.replaceChildren(element("p", { textContent: old }));
    for (const stage of stages) el.append(element("div", { className: "panel", innerHTML: stage }));
  }
}

/** @param {any} model @param {HTMLElement} el */
function build(model, el) {
  const box = element("div", { className: "controls" });
  const problem = element("p", { className: "problem", role: "alert" });
  const frame = element("div", { className: "panels" });
  const words = element("p", { className: "words", ariaHidden: "true" });
  const state = element("p", { className: "state", role: "status" });
  const spoken = element("div", { className: "spoken", role: "status" });
  const tools = element("div", { className: "tools", role: "group" });
  el.replaceChildren(box, element("div", { className: "above" }, problem), frame, state, words, tools, spoken);

  /** Read out to whoever is at this explorer's controls. @param {string} said */
  function announce(said) {
    if (el.contains(document.activeElement) && spoken.textContent !== said) spoken.textContent = said;
  }
  const player = makePlayer(model, frame, (said) => (words.textContent = said), announce);
  const kernel = makeKernel(model, (sentence) => (state.textContent = sentence));
  player.setStages();
  player.paint();
  const settled = (/** @type {boolean} */ yes) => {
    if (el.dataset.resting !== String(yes)) el.dataset.resting = String(yes);
  };
  const controls = makeControls(model, box, player, kernel, settled);
  const extras = makeTools(model, { el, box: tools, frame, words }, player, controls);
  const complain = () => (problem.textContent = model.get("problem"));
  const staged = () => {
    player.setStages();
    extras.cover();
    player.soon();
  };
  const listeners = [["change:problem", complain], ["change:stages", staged], ["change:covers", extras.cover]];
  for (const [event, f] of listeners) model.on(event, f);
  complain();
  const unfollow = followTheme(el);
  return () => {
    for (const [event, f] of listeners) model.off(event, f);
    for (const part of [extras, controls, player, kernel]) part.stop(); // a sweep that ends lets its slider go
    unfollow();
  };
}

export default { render };
