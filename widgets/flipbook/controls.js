// @ts-check
// Native inputs for the controls: the keyboard, the finger and the mouse work as everywhere on the web.

const REST = 150; // milliseconds without a move until a slider rests
const READ = 100; // milliseconds from one readout to the next on a page that does not keep up

/**
 * The controls in `box`. Gives {apply, move, press, release, hooks, last, stop}; hooks.touched is called when a hand takes
 * over, last() names the slider that moved last among those that are shown.
 * @param {any} model
 * @param {HTMLElement} box
 * @param {any} player
 * @param {any} kernel
 * @param {(yes: boolean) => void} settled is told whether all reels fit and nothing is on its way
 */
function makeControls(model, box, player, kernel, settled) {
  let [resting, again] = [0, 0]; // timers: until a slider rests, until it is asked once more
  let pressed = false;
  let last = player.names[0]; // the slider that moved last: its reel comes first
  let asking = false; // one request at a time, so that a busy kernel is asked for the newest only
  /** @type {Set<string>} */
  let tried = new Set(); // reels that were asked for since the last move, so that a failing one is not asked for again
  /** @type {Map<string, number>} */
  const held = new Map(); // where a hand has moved a slider, until the kernel hears of it
  const hooks = { touched: () => {} };

  /** Asks for the reels that do not fit, one after the other. @param {string} [first] @param {boolean} [awaited] */
  function ask(first = last, awaited = player.late()) {
    const name = [first, ...player.names].find((s) => s !== undefined && !player.fits(s) && !tried.has(s));
    if (asking) return;
    asking = name !== undefined;
    settled(!asking && !kernel.waiting());
    if (!asking) return;
    tried.add(name);
    const answered = () => {
      asking = false;
      if (alone() && !player.fits(last) && (pressed || !player.names.some(player.fits))) borrow(last);
      again = window.setTimeout(ask, 30); // the reel itself may come a moment after the answer
    };
    kernel.request({ record: name, at: player.at(), now: !player.names.some(player.fits) }, answered, awaited);
  }

  /** A hand is on a slider: what it needs is asked for now, not when it rests. @param {string} name */
  function press(name) {
    hooks.touched();
    pressed = true;
    last = name;
    if (!kernel.silent()) kernel.tell("");
    if (player.fits(name)) return;
    tried.clear();
    ask(name, true);
  }

  const alone = () => kernel.silent() || model.get("static");

  /** Without a kernel a slider moves where its reel was drawn: the others go back there. @param {string} name */
  function borrow(name) {
    const { at, along } = player.reelOf(name);
    if (!along) return;
    for (const other in at) {
      held.delete(other); // the hand has left it
      model.set(other, at[other]);
    }
    player.moved();
    kernel.tell(`${model.get("static") ? "" : `${model.get("says").silent} `}${model.get("says").moved}`);
  }

  /** Moves a slider, here only; that the trait changes starts the wait for its rest. @param {string} name @param {number} k */
  function move(name, k) {
    last = name;
    tried.clear();
    held.set(name, player.positions[name][k]);
    model.set(name, player.positions[name][k]);
    if (alone() && !asking && !player.fits(name)) borrow(name);
  }

  /** The echo of an earlier value, or another tab's, does not overtake a moving hand. @param {string} name */
  function keep(name) {
    const value = held.get(name);
    if (value !== undefined && value !== model.get(name)) model.set(name, value);
  }

  /** Soon after the last move, and not under a pressed hand, the kernel hears of it. */
  function rest() {
    settled(false);
    clearTimeout(resting);
    resting = window.setTimeout(() => {
      if (pressed) return;
      held.clear();
      save();
      player.paint();
      for (const slider of sliders) slider.show(); // what a moving hand has left out
      ask();
    }, REST);
  }

  /** Sets several controls at once. @param {Record<string, any>} values */
  function apply(values) {
    hooks.touched();
    settled(false);
    tried.clear();
    held.clear();
    for (const name in values) model.set(name, values[name]);
    save();
    if (Object.keys(values).every((name) => name in player.positions)) ask();
    else kernel.request({}, ask);
  }

  function save() {
    try {
      model.save_changes();
    } catch {
      // The connection is gone: what is asked next says so.
    }
  }

  const release = () => {
    if (!pressed) return;
    pressed = false;
    rest();
  };
  const build = { range: rangeRow, check: checkRow, list: listRow, text: textRow };
  const deeds = { place: player.place, hurried: player.hurried, press, move, release, apply };
  const rows = model.get("controls").map((spec) => build[spec.kind](model, spec, deeds));
  const sliders = rows.filter(({ name }) => player.names.includes(name));
  box.append(...rows.map((row) => row.line));

  const renew = () => {
    player.measure();
    for (const row of rows) row.describe(spec(row.name));
  };
  const listeners = [["change:controls", renew]];
  const spec = (/** @type {string} */ name) => model.get("controls").find((control) => control.name === name);
  for (const row of rows) listeners.push([`change:${row.name}`, row.show]);
  for (const name of player.names) {
    listeners.push([`change:${name}`, () => keep(name)], [`change:${name}`, player.moved], [`change:${name}`, rest]);
    listeners.push([`change:${name}_reel`, player.soon]);
    listeners.push([`change:${name}_reel`, rest]);
  }
  for (const [event, f] of listeners) model.on(event, f);
  for (const row of rows) row.describe(spec(row.name));
  ask();
  function stop() {
    for (const timer of [resting, again]) clearTimeout(timer);
    for (const [event, f] of listeners) model.off(event, f);
  }
  const lastShown = () => [last, ...player.names].find((name) => spec(name).shown);
  return { apply, move, press, release, hooks, last: lastShown, stop };
}

/** A slider: label, input, readout, and its named stops. */
function rangeRow(model, { name, label: called }, { place, hurried, press, move, release }) {
  const id = `flipbook-range-${Math.random().toString(36).slice(2)}`;
  const label = element("label", { htmlFor: id });
  const input = element("input", { type: "range", id, min: 0, step: 1 });
  const number = element("span");
  const output = element("output", { htmlFor: id, ariaLive: "off" }, number);
  function go(k) {
    press(name);
    move(name, k);
    release();
  }
  const marks = element("span", { className: "stops" });
  function stopAt([words, k, left]) {
    const look = { type: "button", textContent: words, ariaLabel: `${called} ${words}` };
    const stop = element("button", { ...look, onclick: () => go(k) });
    stop.style.left = `${left}%`;
    return stop;
  }
  const track = element("span", { className: "track" }, input, marks);
  const line = element("div", { className: "control range" }, label, track, output);
  let texts = [];
  let marked = "";
  let read_at = 0;
  /** A page that does not keep up reads out some positions only, until the hand rests. */
  function show() {
    const k = place(name);
    if (Number(input.value) !== k) input.value = k;
    const now = performance.now();
    if (hurried() && now - read_at < READ) return;
    read_at = now;
    number.textContent = texts[k];
    input.setAttribute("aria-valuetext", texts[k]);
  }
  input.oninput = () => move(name, Number(input.value));
  input.onpointerdown = () => press(name);
  input.onkeydown = ({ key }) => key === "Tab" || press(name);
  input.onpointerup = input.onpointercancel = input.onkeyup = input.onblur = input.onchange = release;
  function describe(spec) {
    texts = spec.texts;
    input.max = spec.positions.length - 1;
    const wanted = JSON.stringify(spec.stops);
    if (marked !== wanted) marks.replaceChildren(...spec.stops.map(stopAt));
    marked = wanted;
    label.textContent = spec.label;
    line.hidden = !spec.shown;
    show();
  }
  return { name, line, show, describe };
}

/** A checkbox. */
function checkRow(model, { name }, { apply }) {
  const input = element("input", { type: "checkbox" });
  const words = element("span");
  const line = element("label", { className: "control" }, input, words);
  input.onchange = () => apply({ [name]: input.checked });
  const show = () => (input.checked = model.get(name));
  const describe = ({ label, shown }) => {
    words.textContent = label;
    line.hidden = !shown;
    show();
  };
  return { name, line, show, describe };
}

/** A list of texts. */
function listRow(model, { name }, { apply }) {
  const input = element("select");
  const words = element("span");
  const line = element("label", { className: "control" }, words, input);
  input.onchange = () => apply({ [name]: input.value });
  const show = () => (input.value = model.get(name));
  const describe = ({ label, shown, options }) => {
    words.textContent = label;
    line.hidden = !shown;
    input.replaceChildren(...options.map((option) => element("option", { value: option, textContent: option })));
    show();
  };
  return { name, line, show, describe };
}

/** A line of text, taken with Enter or when it is left. */
function textRow(model, { name }, { apply }) {
  const input = element("input", { type: "text", spellcheck: false, autocomplete: "off" });
  const words = element("span");
  const line = element("label", { className: "control text" }, words, input);
  if (model.get("static")) {
    input.disabled = true;
    line.append(element("small", { textContent: model.get("says").needs }));
  }
  const commit = () => input.value === model.get(name) || apply({ [name]: input.value });
  input.onchange = commit;
  input.onkeydown = ({ key }) => void (key === "Enter" && commit()); // JupyterLab lets no change event follow
  const show = () => (input.value = model.get(name));
  const describe = ({ label, shown }) => {
    words.textContent = label;
    line.hidden = !shown;
    show();
  };
  return { name, line, show, describe };
}
