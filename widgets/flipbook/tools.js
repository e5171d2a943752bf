// @ts-check
// What an instructor reaches for: reset and presets, play, hide the answer, full window, save.

const SWEEP = 5000; // milliseconds from one end of a slider to the other

/**
 * The buttons in `box`. Gives {stop}.
 * @param {any} model
 * @param {{el: HTMLElement, box: HTMLElement, frame: HTMLElement, words: HTMLElement}} parts
 * @param {any} player
 * @param {any} controls
 */
function makeTools(model, { el, box, frame, words }, player, controls) {
  const says = model.get("says");
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  const presets = model.get("presets").map(({ label, set }) => button(label, () => controls.apply(set)));
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const sweep = makeSweep(model, player, controls, button(says.play));
  const covers = makeCovers(model, player, frame, words, button(says.hide));
  const full = makeFull(el, says, button(says.grow));
  const save = (kind) => button(says[kind], () => savePicture(kind, player, frame, model.get("title")));
  const tools = [full.button, save("svg"), save("png")];
  if (model.get("covers").length) tools.unshift(covers.button);
  if (player.names.length && !still.matches) tools.unshift(sweep.button);
  box.setAttribute("aria-label", says.tools);
  box.append(element("span", {}, ...presets), element("span", {}, ...tools));
  return {
    cover: covers.place,
    stop() {
      sweep.halt();
      full.stop();
    },
  };
}

/** A sweep of the slider that moved last, to and fro, until it is paused or a hand takes over. */
function makeSweep(model, player, controls, button) {
  let frame = 0;
  function halt() {
    if (!frame) return;
    cancelAnimationFrame(frame);
    frame = 0;
    button.textContent = model.get("says").play;
    button.setAttribute("aria-pressed", "false");
    controls.release();
  }
  function start() {
    const name = controls.last();
    controls.press(name); // nothing is sent while it plays
    const end = player.positions[name].length - 1;
    let from = player.place(name);
    let begun = performance.now();
    let up = from < end;
    const step = (now) => {
      const gone = Math.round(((now - begun) / SWEEP) * end);
      const k = Math.min(end, Math.max(0, up ? from + gone : from - gone));
      if (k !== player.place(name)) controls.move(name, k);
      if (k === (up ? end : 0)) [from, begun, up] = [k, now, !up];
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    button.textContent = model.get("says").pause;
    button.setAttribute("aria-pressed", "true");
  }
  button.onclick = () => (frame ? halt() : start());
  controls.hooks.touched = () => halt();
  return { button, halt };
}

/** Rows that can be covered and revealed one by one, the words last. */
function makeCovers(model, player, frame, words, button) {
  const says = model.get("says");
  const curtain = element("button", { type: "button", className: "cover words-cover" });
  /** @type {HTMLElement[]} */
  let lids = [];
  function lid(name, [panel, left, top, width, height]) {
    const made = element("button", { type: "button", className: "cover", title: name, ariaLabel: `${says.covered} ${name}` });
    Object.assign(made.style, { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` });
    made.onclick = () => reveal(made.dataset.row);
    made.dataset.row = name;
    frame.children[panel].append(made);
    return made;
  }
  function reveal(row) {
    const going = lids.filter((one) => one.dataset.row === row);
    lids = lids.filter((one) => !going.includes(one));
    for (const one of going) one.remove();
    (lids[0] ?? curtain).focus();
  }
  function hidden(on) {
    words.hidden = on;
    curtain.hidden = !on;
    frame.classList.toggle("covered", on);
    player.cover(on ? curtain.textContent : undefined);
    button.textContent = on ? says.reveal : says.hide;
    button.setAttribute("aria-pressed", String(on));
  }
  function place() {
    if (!frame.classList.contains("covered")) return;
    for (const one of lids) one.remove();
    const rows = new Set(lids.map((one) => one.dataset.row));
    lids = model.get("covers").filter(({ name }) => rows.has(name)).flatMap(({ name, boxes }) => boxes.map((at) => lid(name, at)));
  }
  function toggle() {
    const on = !frame.classList.contains("covered");
    for (const one of lids) one.remove();
    lids = on ? model.get("covers").flatMap(({ name, boxes }) => boxes.map((at) => lid(name, at))) : [];
    hidden(on);
  }
  curtain.textContent = `${says.covered} ${says.words}`;
  curtain.hidden = true;
  curtain.onclick = () => {
    for (const one of lids) one.remove();
    lids = [];
    hidden(false);
    button.focus();
  };
  words.after(curtain);
  button.onclick = toggle;
  return { button, place };
}

/** The whole window for one explorer; Escape returns. */
function makeFull(el, says, button) {
  const isFull = () => el.classList.contains("full");
  function set(on) {
    el.classList.toggle("full", on);
    button.textContent = on ? says.shrink : says.grow;
  }
  async function grow() {
    set(true);
    try {
      await el.requestFullscreen();
      if (!isFull()) await document.exitFullscreen(); // Escape was quicker
    } catch {
      // Not allowed in this frame: the overlay fills it as it is.
    }
  }
  function shrink() {
    set(false);
    if (document.fullscreenElement === el) document.exitFullscreen();
  }
  const changed = () => {
    if (document.fullscreenElement !== el && isFull() && entered) set(false);
    entered = document.fullscreenElement === el;
  };
  let entered = false;
  const escape = (event) => {
    if (event.key === "Escape" && isFull()) {
      event.stopPropagation();
      shrink();
      button.focus();
    }
  };
  button.onclick = () => (isFull() ? shrink() : grow());
  document.addEventListener("fullscreenchange", changed);
  document.addEventListener("keydown", escape, true);
  function stop() {
    document.removeEventListener("fullscreenchange", changed);
    document.removeEventListener("keydown", escape, true);
  }
  return { button, stop };
}

/** The picture as it stands, on white, panels beside each other, as one SVG. @returns {[string, number, number]} */
function snapshot(frame) {
  let [width, height] = [0, 0];
  const panels = [...frame.children].map((panel) => {
    const svg = panel.querySelector("svg");
    const size = svg.viewBox.baseVal;
    const copy = svg.cloneNode(true);
    for (const lid of panel.querySelectorAll(".cover")) {
      const { left: x, top: y, width, height } = lid.style;
      copy.insertAdjacentHTML("beforeend", `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#d5dade"/>`);
    }
    for (const [name, value] of Object.entries({ x: width, width: size.width, height: size.height })) copy.setAttribute(name, value);
    width += size.width;
    height = Math.max(height, size.height);
    return new XMLSerializer().serializeToString(copy);
  });
  const look = `style="stroke-linejoin: round; white-space: pre; font-family: 'DejaVu Sans', Verdana, sans-serif"`;
  const paper = `<rect width="100%" height="100%" fill="#ffffff"/>`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${look}>`;
  const plain = panels.join("").replace(/var\(--flipbook-[0-9a-f]+, (#[0-9a-f]+)\)/g, "$1");
  return [`${open}${paper}${plain}</svg>`, width, height];
}

/** @param {string} kind "svg" or "png" */
async function savePicture(kind, player, frame, title) {
  player.paint();
  const [markup, width, height] = snapshot(frame);
  let blob = new Blob([markup], { type: "image/svg+xml" });
  if (kind === "png") {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`;
    await image.decode();
    const canvas = element("canvas", { width: 3 * width, height: 3 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, 3 * width, 3 * height);
    blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  }
  const href = URL.createObjectURL(blob);
  element("a", { href, download: `${title}.${kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
