// @ts-check
// Plays what flipbook.py recorded: at each position it sets the attributes that differ, at most once an animation frame.
// It computes no number and draws no mark. played() in tests/test_flipbook.py is its mirror.
//
// The files player, canvas, kernel, controls, tools and view.js are one module, joined by flipbook.py. The model that they
// are given is anywidget's, or anything that has these six (a static page has a shim of its own):
//
//   get(name)          the value of a trait; see flipbook.py for what there is. get("static") is true where by design
//                      there is no kernel.
//   set(name, value)   sets it here, at once, and triggers "change:name" for every view of this model.
//   save_changes()     tells the kernel what was set; called when a slider rests, never while it moves.
//   on(event, f)       "change:name", or "msg:custom" with one message as its argument; off(event, f) ends it.
//   send(message)      {id, record: slider, at: {slider: position}, now: whether no reel fits} asks for a reel: the
//                      trait `${slider}_reel` is set. {id} alone asks for a sign after save_changes() of another
//                      control. The answer to both is the custom message {answered: id}, or {answered: id, sorry: a
//                      sentence} when it cannot be done; without one within 3 s the kernel counts as silent.

const FRAME = 1000 / 60; // milliseconds
const LAG = 4; // how far behind the SVG may fall: a late frame counts two, one in time takes one back
const CALM = 100; // milliseconds without a move after which everything is exact, and from one sentence to the next
const LATER = 250; // the latter on a page that does not keep up

/** @typedef {string | number} Part A text, or the number of a column. */

/**
 * As in recording.py.
 * @typedef {object} Reel
 * @property {Record<string, number>} at the other sliders, and where they stand
 * @property {number[]} along the positions of this slider
 * @property {string[]} marks the elements of each moving artist
 * @property {string[]} defs definitions, a text for each panel
 * @property {[number, string, Part[]][]} tracks number in data-moves, attribute or "" for text, parts
 * @property {(string | number)[][]} columns one value a position
 * @property {Part[]} words the parts of the words
 */

/**
 * As in controls.py.
 * @typedef {{kind: string, name: string, label: string, shown: boolean, positions: number[], texts: string[],
 *   stops: [string, number, number][], options: string[]}} Control
 */

/**
 * @typedef {{get: (name: string) => any, set: (name: string, value: any) => void, save_changes: () => void,
 *   on: (event: string, f: Function) => void, off: (event: string, f: Function) => void,
 *   send: (message: object) => void}} Model
 */

/**
 * An element with properties and children; properties such as ariaLabel become attributes, as older browsers need it.
 * @param {string} kind
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string)} children
 * @returns {any}
 */
function element(kind, properties = {}, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  for (const name in properties) {
    if (name.startsWith("aria")) made.setAttribute(`aria-${name.slice(4).toLowerCase()}`, properties[name]);
  }
  made.append(...children);
  // JupyterLab takes arrows and Enter for itself unless the element that has the focus says no.
  if (["button", "input", "select"].includes(kind)) made.setAttribute("data-lm-suppress-shortcuts", "true");
  return made;
}

/**
 * The picture in `frame`; `say(words)` is told its words, `announce(words)` those at rest, covered or not.
 * @param {Model} model
 * @param {HTMLElement} frame
 * @param {(words: string) => void} say
 * @param {(words: string) => void} announce
 */
function makePlayer(model, frame, say, announce) {
  // Ids of this view alone. A counter would not do: anywidget loads this file anew for each flipbook.
  const own = `flipbook-${Math.random().toString(36).slice(2)}-`;
  const local = (/** @type {string} */ text) => themed(text).replaceAll("__flipbook__", own);
  /** @type {Record<string, number[]>} */
  const positions = {};
  measure();
  const names = Object.keys(positions);

  /** @type {SVGElement[]} */
  let svgs = [];
  /** @type {Reel | undefined} */
  let reel; // the one in place
  /** @type {Record<number, Element>} */
  let elements = {}; // its moving elements
  /** @type {string[]} */
  let shown = []; // what each track shows now
  let beating = 0; // the next frame, while a hand moves
  let [due, moving] = [false, false]; // whether there is something to paint, and whether a hand moved it
  let [moved_at, frame_at, said_at, behind] = [0, 0, 0, 0];
  const canvas = makeCanvas(frame);
  let able = true; // whether it can show this reel
  let spoken = "";
  /** @type {string | undefined} */
  let veil;

  /** Takes the sliders' positions: on a page a slider may have others in another setting of its list or checkbox. */
  function measure() {
    for (const { kind, name, positions: at } of model.get("controls")) if (kind === "range") positions[name] = at;
  }

  /** The number of the position at which a slider stands. @param {string} name @param {number[]} [at] */
  function place(name, at = positions[name]) {
    const value = model.get(name);
    const exact = at.indexOf(value);
    if (exact >= 0) return exact;
    return at.reduce((best, p, k) => (Math.abs(p - value) < Math.abs(at[best] - value) ? k : best), 0);
  }

  const reelOf = (/** @type {string} */ name) => /** @type {Reel} */ (model.get(`${name}_reel`));

  /** Whether a slider's reel was drawn for where the others stand. @param {string} name */
  function fits(name) {
    const { along, at } = reelOf(name);
    if (!along || !(along.length === positions[name].length || along[0] === positions[name][place(name)])) return false;
    return Object.entries(at).every(([other, value]) => positions[other][place(other)] === value);
  }

  function setStages() {
    canvas.end();
    frame.replaceChildren(...model.get("stages").map(panel));
    const { style } = /** @type {HTMLElement} */ (frame.parentElement);
    for (const [name, points] of Object.entries(model.get("shape"))) style.setProperty(`--${name}`, String(points));
    svgs = /** @type {SVGElement[]} */ ([...frame.querySelectorAll("svg")]);
    svgs.forEach((svg, k) => svg.setAttribute(k ? "aria-hidden" : "role", k ? "true" : "img"));
    reel = undefined;
    speak(model.get("said"));
  }

  /** @param {string} stage */
  function panel(stage) {
    const made = element("div", { className: "panel", innerHTML: local(stage) });
    made.style.setProperty("--points", made.firstElementChild.style.getPropertyValue("--points"));
    return made;
  }

  /** @param {Reel} next */
  function mount(next) {
    canvas.end();
    reel = next;
    able = true;
    shown = [];
    svgs.forEach((svg, k) => {
      /** @type {Element} */ (svg.querySelector("defs[data-reel]")).innerHTML = local(next.defs[k]);
    });
    for (const gap of frame.querySelectorAll("[data-gap]"))
      gap.innerHTML = local(next.marks[Number(gap.getAttribute("data-gap"))]);
    elements = {};
    for (const e of frame.querySelectorAll("[data-moves]")) elements[Number(e.getAttribute("data-moves"))] = e;
  }

  /** @param {string} words */
  function speak(words) {
    spoken = words;
    svgs[0]?.setAttribute("aria-label", veil ?? words);
    announce(veil ?? words);
    say(words);
  }

  /** The number of the present position in the reel in place; undefined when no reel fits. */
  function find() {
    const name = names.find((s) => reelOf(s) === reel && fits(s)) ?? names.find(fits);
    frame.classList.toggle("waiting", names.length > 0 && name === undefined);
    if (name === undefined) return undefined;
    if (reelOf(name) !== reel) mount(reelOf(name));
    return place(name, reelOf(name).along);
  }

  /** Sets what differs at position k. @param {number} k */
  function set(k) {
    const { tracks } = /** @type {Reel} */ (reel);
    tracks.forEach(([number, attribute, parts], track) => {
      const value = join(/** @type {Reel} */ (reel), parts, k);
      if (shown[track] === value) return;
      shown[track] = value;
      if (attribute === "") elements[number].textContent = value;
      else elements[number].setAttribute(attribute, value.includes("#") ? local(value) : value);
    });
  }

  /** Words in place of the picture's own, while they are covered. @param {string} [instead] */
  function cover(instead) {
    veil = instead;
    speak(spoken);
    paint(); // what a moving hand has left out is said, too
  }

  /** Shows the present positions, if a reel has them; else the last picture stays until one has come. */
  function paint() {
    halt();
    const k = find();
    if (k === undefined) return;
    set(k);
    canvas.rest();
    const { words } = /** @type {Reel} */ (reel);
    speak(join(/** @type {Reel} */ (reel), words, k));
  }

  /** Every frame from a first move until no more comes. @param {number} now */
  function beat(now) {
    if (!moving && performance.now() - moved_at > CALM) return paint();
    beating = requestAnimationFrame(beat);
    if (frame_at && behind < LAG) behind = Math.max(0, behind + (now - frame_at > 1.4 * FRAME ? 2 : -1));
    frame_at = now;
    if (moving || due) paintMoving(now);
    moving = due = false;
  }

  /**
   * The same while a hand moves: the sentence changes some times a second, the label at rest; where the page has once not
   * kept up, a canvas shows the picture. @param {number} now
   */
  function paintMoving(now) {
    const k = find();
    if (k === undefined) return;
    const playing = /** @type {Reel} */ (reel);
    if (behind >= LAG && able && !canvas.begun()) able = canvas.begin(playing);
    if (canvas.begun()) canvas.show(k);
    if (!canvas.on()) set(k);
    if (now - said_at < (canvas.begun() ? LATER : CALM)) return;
    said_at = now;
    say(join(playing, playing.words, k));
  }

  /** In the next frame. */
  function soon() {
    due = true;
    beating ||= requestAnimationFrame(beat);
  }
  function moved() {
    moved_at = performance.now();
    moving = true;
    soon();
  }
  function halt() {
    cancelAnimationFrame(beating);
    [beating, frame_at] = [0, 0];
  }
  function stop() {
    halt();
    canvas.stop();
  }
  const late = () => frame.classList.contains("waiting");
  const hurried = () => canvas.begun();
  const at = () => Object.fromEntries(names.map((name) => [name, positions[name][place(name)]]));
  return { paint, soon, moved, measure, setStages, cover, place, fits, names, positions, at, late, hurried, reelOf, stop };
}

/** A text of which parts stand in columns, at position k. @param {{columns: any[][]}} reel @param {Part[]} parts @param {number} k */
function join({ columns }, parts, k) {
  return parts.map((part) => (typeof part === "number" ? columns[part][k] : part)).join("");
}

/** Colours become those of the theme: in attributes only, never in a text. @param {string} text */
function themed(text) {
  const twin = (/** @type {string} */ c) => `var(--flipbook-${c.slice(1)}, ${c})`;
  const colours = /#[0-9a-f]{6}\b/g;
  return text.includes("<") ? text.replace(/="[^"]*"/g, (a) => a.replace(colours, twin)) : text.replace(colours, twin);
}
