// One question and its answers as a form: native radio buttons, so that the keyboard works as everywhere on the web.
// Radio buttons of different forms never share a group, so all questions can use one name.
// All words come from the model; this file only says which of them are shown. The model may be a kernel's widget or
// anything with get, set, on, off and save_changes.

const WATCHED = ["choice", "sure", "committed", "ran", "hands", "counting", "problem"];

function element(kind, properties, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
}

function button(textContent, type, quiet) {
  return element("button", { textContent, type, className: quiet ? "quiet" : "jupyter-button widget-button" });
}

// A number field and a bar for the hands of one answer.
function counter([letter]) {
  const count = element("input", { type: "number", min: 0, max: 999, step: 1 });
  count.setAttribute("aria-label", `hands for ${letter}`);
  const bar = element("i", {}), share = element("small", {});
  return { count, bar, share, all: element("span", { className: "hands" }, count, bar, share) };
}

function build(model) {
  const [commit, withdraw, ran, count] = model.get("buttons").map((words, i) => button(words, i ? "button" : "submit", i > 1));
  const radios = model.get("answers").map((_, i) => element("input", { type: "radio", name: "answer", value: i }));
  const counters = model.get("answers").map(counter);
  const rows = model.get("answers").map(([letter, words], i) => element("div", { className: "answer" },
    element("label", {}, radios[i], element("b", { textContent: letter }), element("span", { textContent: words })),
    counters[i].all));
  const sure = element("input", { type: "checkbox" });
  const confidence = element("label", {}, sure, element("span", { textContent: model.get("confidence") }));
  const said = element("p", { tabIndex: -1, role: "status" }), problem = element("p", { role: "alert" });
  const form = element("form", {}, element("fieldset", {},
    element("legend", { textContent: model.get("question") }), ...rows, confidence, commit, withdraw, ran, count));
  // JupyterLab takes arrows and Enter for itself unless the element that has the focus says no.
  for (const control of form.querySelectorAll("input, button")) control.setAttribute("data-lm-suppress-shortcuts", "true");
  return { form, said, problem, radios, counters, sure, commit, withdraw, ran, count };
}

function show(model, parts) {
  const [choice, ran] = [model.get("choice"), model.get("ran")];
  const committed = model.get("committed") && choice >= 0;
  parts.radios.forEach((radio, i) => Object.assign(radio, { checked: i === choice, disabled: committed }));
  Object.assign(parts.sure, { checked: model.get("sure"), disabled: committed });
  Object.assign(parts.commit, { hidden: committed, disabled: choice < 0 });
  parts.withdraw.hidden = !committed;
  parts.ran.hidden = !committed || ran;
  parts.said.textContent = !committed ? model.get("asking")
    : ran ? model.get("verdicts")[choice][model.get("sure") ? 0 : 1] : model.get("said")[choice];
  parts.problem.textContent = model.get("problem");
  showHands(model, parts);
}

function showHands(model, { counters, count }) {
  const hands = model.get("hands"), all = hands.reduce((sum, each) => sum + each, 0);
  count.setAttribute("aria-expanded", String(model.get("counting")));
  counters.forEach((each, i) => {
    each.all.hidden = !model.get("counting");
    if (Number(each.count.value) !== hands[i]) each.count.value = hands[i] || "";
    const share = all ? Math.round(100 * hands[i] / all) : 0;
    each.bar.style.width = `${0.7 * share}%`;
    each.share.textContent = all ? `${share} %` : "";
  });
}

// In JupyterLab the cell that gets the focus becomes the active one, so Shift+Enter runs the experiment next and not the
// question again. Elsewhere the focus goes to what is said.
function moveOn(el, said) {
  const next = el.closest(".jp-Cell")?.nextElementSibling;
  if (!next?.matches(".jp-Cell")) return said.focus({ preventScroll: true });
  if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

function listen(model, el, parts, save) {
  parts.radios.forEach((radio, i) => { radio.onchange = () => save({ choice: i }); });
  parts.sure.onchange = () => save({ sure: parts.sure.checked });
  parts.form.onsubmit = (event) => {
    event.preventDefault();
    if (model.get("committed") || model.get("choice") < 0) return;
    save({ committed: true, ran: false });
    moveOn(el, parts.said);
  };
  parts.withdraw.onclick = () => { save({ committed: false, ran: false }); parts.radios[model.get("choice")].focus(); };
  parts.ran.onclick = () => { save({ ran: true }); parts.said.focus(); };
  parts.count.onclick = () => save({ counting: !model.get("counting") });
  parts.counters.forEach(({ count }) => {
    count.onchange = () => save({ hands: parts.counters.map((each) => Math.min(999, Math.max(0, Math.round(each.count.value)))) });
  });
}

function render({ model, el }) {
  const parts = build(model);
  const paint = () => show(model, parts);
  listen(model, el, parts, (changes) => {
    for (const name in changes) model.set(name, changes[name]);
    model.save_changes();
    paint();
  });
  el.classList.add("prediction");
  el.append(parts.form, parts.said, parts.problem);
  for (const name of WATCHED) model.on(`change:${name}`, paint);
  paint();
  return () => WATCHED.forEach((name) => model.off(`change:${name}`, paint));
}

export default { render };
