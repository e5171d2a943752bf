// Plays what flipbook.py recorded: at each slider position it sets the attributes that differ, at most once an
// animation frame. It computes no number and draws no mark.

function render({ model, el }) {
  // Ids of this view alone. A counter would not do: anywidget loads this file anew for each flipbook.
  const own = `flipbook-${Math.random().toString(36).slice(2)}-`;
  const themed = (text) => text.replace(/#[0-9a-f]{6}\b/g, (c) => `var(--flipbook-${c.slice(1)}, ${c})`);
  const local = (markup) => themed(markup.replaceAll("__flipbook__", own));

  el.classList.add("flipbook");
  el.innerHTML = '<p role="alert"></p><div></div><p aria-hidden="true"></p>';
  const [problem, frame, words] = el.children;
  const positions = model.get("positions");
  const sliders = Object.keys(positions);

  const nearest = (name, at = positions[name]) => {
    const value = model.get(name);
    return at.reduce((best, p, k) => (Math.abs(p - value) < Math.abs(at[best] - value) ? k : best), 0);
  };
  const here = (name) => positions[name][nearest(name)];
  const reelOf = (name) => model.get(`${name}_reel`);
  const fits = (name) => reelOf(name).along && Object.entries(reelOf(name).at).every(([o, v]) => here(o) === v);

  const say = (text) => {
    svg.setAttribute("aria-label", text);
    words.textContent = text;
  };

  let svg, reel, elements, shown; // the reel in place, its moving elements, what each track shows now
  const setStage = () => {
    frame.innerHTML = local(model.get("stage"));
    svg = frame.firstElementChild;
    reel = undefined;
    if (!sliders.length) say(model.get("label"));
  };
  const mount = (next) => {
    reel = next;
    shown = [];
    svg.querySelector("defs[data-reel]").innerHTML = local(reel.defs);
    for (const gap of svg.querySelectorAll("[data-gap]")) gap.innerHTML = local(reel.marks[gap.dataset.gap]);
    elements = {};
    for (const e of svg.querySelectorAll("[data-moves]")) elements[e.dataset.moves] = e;
  };
  const join = (parts, k) => parts.map((p) => (typeof p === "number" ? reel.columns[p][k] : p)).join("");
  let waiting = 0;
  const paint = () => {
    waiting = 0;
    nameSliders();
    const name = sliders.find((s) => reelOf(s) === reel && fits(s)) ?? sliders.find(fits);
    el.classList.toggle("waiting", sliders.length > 0 && name === undefined);
    if (name === undefined) return; // the last picture stays, dimmed, until the kernel has answered
    if (reelOf(name) !== reel) mount(reelOf(name));
    const k = nearest(name, reel.along);
    reel.tracks.forEach(([element, attribute, parts], track) => {
      const value = join(parts, k);
      if (shown[track] === value) return;
      shown[track] = value;
      if (attribute === "") elements[element].textContent = value;
      else elements[element].setAttribute(attribute, attribute === "style" ? local(value) : value);
    });
    say(join(reel.words, k));
  };
  const moved = () => (waiting ||= requestAnimationFrame(paint));

  let asking = 0;
  let patience = 0; // one request at a time, so that a busy kernel is asked for the newest only
  let last = sliders[0]; // the slider that moved last: its reel comes first
  const ask = () => {
    clearTimeout(asking); // a slider at rest: now the reels of the other sliders can be drawn for it
    asking = setTimeout(() => {
      const record = [last, ...sliders].find((s) => s !== undefined && !fits(s));
      if (record === undefined || performance.now() < patience) return;
      patience = performance.now() + 10_000;
      const at = Object.fromEntries(sliders.map((s) => [s, here(s)]));
      model.send({ record, at, now: !sliders.some(fits) });
    }, 150);
  };
  const answered = () => {
    patience = 0;
    moved();
    ask();
  };
  const complain = () => (problem.textContent = model.get("problem"));

  // ipywidgets gives a slider's handle no accessible name: it gets the text of the slider's label.
  const nameSliders = () => {
    for (const box of el.parentElement?.querySelectorAll(".widget-hslider") ?? [])
      box.querySelector(".noUi-handle")?.setAttribute("aria-label", box.querySelector("label")?.textContent ?? "");
  };

  const listeners = [["change:problem", complain], ["change:stage change:label", setStage]];
  listeners.push(["change:stage", moved]);
  for (const s of sliders)
    for (const react of [() => (last = s), moved, ask]) listeners.push([`change:${s}`, react]);
  for (const s of sliders) listeners.push([`change:${s}_reel`, answered]);
  for (const [event, listener] of listeners) model.on(event, listener);
  const attached = new ResizeObserver(nameSliders);
  attached.observe(el);
  setStage();
  paint();
  complain();
  ask();
  return () => {
    attached.disconnect();
    clearTimeout(asking);
    cancelAnimationFrame(waiting);
    for (const [event, listener] of listeners) model.off(event, listener);
  };
}

export default { render };
