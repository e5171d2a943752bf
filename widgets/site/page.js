// @ts-check
// A page without a kernel: a few lines stand for the model that anywidget gives to the players, and what a kernel would
// record is taken from what the page brought along (shipping.py, reels.py).

/** @param {Element} holder */
async function unpacked(holder) {
  const bytes = Uint8Array.from(atob(holder.textContent ?? ""), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/**
 * The six functions of a model, see player.js. answer(model, message) does what a kernel would.
 * @param {Record<string, any>} state
 * @param {(model: any, message: any) => string | undefined} [answer]
 */
function modelOf(state, answer = () => undefined) {
  /** @type {Record<string, Function[]>} */
  const listeners = {};
  const tell = (/** @type {string} */ event, /** @type {any} */ what) => {
    for (const listener of [...(listeners[event] ?? [])]) listener(what);
  };
  const model = {
    get: (/** @type {string} */ name) => state[name],
    set(/** @type {string} */ name, /** @type {any} */ value) {
      if (state[name] === value) return;
      state[name] = value;
      tell(`change:${name}`, value);
    },
    on: (/** @type {string} */ event, /** @type {Function} */ f) => (listeners[event] ??= []).push(f),
    off(/** @type {string} */ event, /** @type {Function} */ f) {
      listeners[event] = (listeners[event] ?? []).filter((other) => other !== f);
    },
    save_changes() {},
    send(/** @type {any} */ message) {
      tell("msg:custom", { answered: message.id, sorry: answer(model, message) });
    },
  };
  return model;
}

/** The columns of a recording, from their steps: sums along each axis of the grid, the first one first. */
function columnsOf({ grid, tables, steps }) {
  const [rows, across] = Object.values(grid).length === 1 ? [1, Object.values(grid)[0].length] : Object.values(grid).map((at) => at.length);
  return steps.map((/** @type {number[]} */ column, /** @type {number} */ number) => {
    const whole = [...column];
    for (let k = across; k < whole.length; k += 1) whole[k] += whole[k - across];
    for (let k = 0; k < rows * across; k += 1) if (k % across) whole[k] += whole[k - 1];
    return whole.map((value) => (tables[number] ? tables[number][value] : value / 100));
  });
}

/** The reel of one slider with the others at their places, or undefined where there is none. */
function reelFrom(recording, name, places) {
  const names = Object.keys(recording.grid);
  const at = Object.fromEntries(Object.entries(places).filter(([other]) => other !== name));
  const fixed = Object.entries(recording.at).every(([other, value]) => at[other] === value);
  if (!names.includes(name) || !fixed) return undefined;
  recording.columns ??= columnsOf(recording);
  const along = recording.grid[name];
  const inner = names.at(-1) === name;
  const other = names.find((each) => each !== name);
  const row = other === undefined ? 0 : recording.grid[other].indexOf(at[other]);
  if (row < 0) return undefined;
  const step = inner ? 1 : recording.grid[names[1]].length;
  const start = inner ? row * along.length : row;
  const columns = recording.columns.map((all) => along.map((_, k) => all[start + k * step]));
  return { ...recording.shared, at, along, columns };
}

/** What a kernel would answer: a reel for a slider, or what another setting of lists and checkboxes changes. */
function answerFrom(ship) {
  const setting = (model) => JSON.stringify(ship.switches.map((name) => model.get(name)));
  const sliders = (model) => model.get("controls").filter(({ kind }) => kind === "range").map(({ name }) => name);
  const places = (model) => Object.fromEntries(sliders(model).map((name) => [name, model.get(name)]));
  const give = (model, name, at) => {
    const found = ship.variants[setting(model)].recordings.map((each) => reelFrom(each, name, at)).find(Boolean);
    if (found) model.set(`${name}_reel`, found);
  };
  const begin = (model) => sliders(model).forEach((name) => give(model, name, places(model)));
  let taken = ship.switches.map((name) => ship.state[name]);
  const answer = (model, { record, at }) => {
    if (record) return give(model, record, at);
    const variant = ship.variants[setting(model)];
    if (!variant) {
      ship.switches.forEach((name, k) => model.set(name, taken[k]));
      return ship.sorry;
    }
    for (const [name, value] of Object.entries(variant.changes)) model.set(name, value);
    taken = ship.switches.map((name) => model.get(name));
    begin(model);
  };
  return { answer, begin };
}

/** @param {Element} figure */
async function wakeExplorer(figure) {
  const ship = await unpacked(/** @type {Element} */ (figure.querySelector("script")));
  const el = document.createElement("div");
  const { answer, begin } = answerFrom(ship);
  const model = modelOf(ship.state, answer);
  begin(model);
  flipbook.render({ model, el });
  figure.replaceChildren(el);
}

/** What comes after a question is kept back until the reader has committed to an answer. @param {any} form */
async function wakeQuestion(form) {
  const ship = await unpacked(form.querySelector("script"));
  const model = modelOf(ship.state);
  const el = document.createElement("div");
  question.render({ model, el });
  form.replaceChildren(el);
  const note = Object.assign(document.createElement("p"), { className: "waits", textContent: ship.waits });
  form.after(note);
  const show = () => {
    note.hidden = model.get("committed");
    for (const part of document.querySelectorAll(`[data-after="${form.dataset.topic}"]`))
      part.classList.toggle("kept-back", !model.get("committed"));
  };
  model.on("change:committed", show);
  show();
}

/** What is wider than the page can be scrolled by keyboard, too. */
const wide = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
document.querySelectorAll("pre, .code, table").forEach((part) => wide.observe(part));

if ("DecompressionStream" in window) {
  document.querySelectorAll(".ask").forEach(wakeQuestion);
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        wakeExplorer(target);
      }
    },
    { rootMargin: "600px" },
  );
  document.querySelectorAll(".explorer").forEach((figure) => near.observe(figure));
}
