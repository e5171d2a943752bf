// @ts-check
// Draws moving marks on canvases in a thread of its own, so that the page's thread has only to say which position. It is
// told {reel, panels} once (see canvas.js), then {k, answer} for each position, and says {k} when that is drawn, if asked to.

/** @type {any} */
let reel;
/** @type {any[]} */
let panels = [];
/** @type {Record<number, any>} */
let moving = {}; // number in data-moves -> [mark or group, its panel]
/** @type {string[]} */
let shown = [];
/** @type {any} */
let asked; // the newest position that is not drawn yet

onmessage = ({ data }) => {
  if (data.reel) begin(data);
  else {
    if (asked === undefined) setTimeout(answer); // after all messages that have come by then
    asked = data;
  }
};

function answer() {
  set(asked.k);
  for (const panel of panels) if (panel.stale) draw(panel);
  if (asked.answer) postMessage(asked);
  asked = undefined;
}

function begin(data) {
  [reel, panels, moving, shown] = [data.reel, data.panels, {}, []];
  for (const panel of panels) {
    panel.context = panel.canvas.getContext("2d");
    panel.set = {};
    panel.stale = true;
    panel.marks.forEach(prepare);
    for (const one of panel.marks.flatMap(({ groups }) => groups)) if (one.moves !== undefined) moving[one.moves] = [one, panel];
  }
}

/** Makes of a mark's description what a canvas takes. */
function prepare(mark) {
  if (mark.shape) mark.path = outline(mark.shape);
  for (const paint of ["fillStyle", "strokeStyle"])
    if (mark.look[paint]?.parts) mark.look[paint] = hatch(mark.look[paint], mark.scale);
}

/** @param {{d?: string, box?: [number, number, number, number]}} shape */
function outline({ d, box }) {
  const path = new Path2D(d);
  if (box) path.rect(...box);
  return path;
}

/** A tile of marks, again and again. */
function hatch({ width, height, parts }, [larger]) {
  const tile = new OffscreenCanvas(Math.ceil(width * larger), Math.ceil(height * larger));
  const [across, down] = [tile.width / width, tile.height / height];
  const context = tile.getContext("2d");
  for (const part of parts) {
    part.scale = [across, 0, 0, down, 0, 0];
    prepare(part);
    put(context, part, {});
  }
  const made = /** @type {any} */ (context).createPattern(tile, "repeat");
  made.setTransform(new DOMMatrix().scale(1 / across, 1 / down));
  return made;
}

/** Sets what differs at position k. @param {number} k */
function set(k) {
  reel.tracks.forEach(([number, attribute, parts], track) => {
    const value = join(reel, parts, k);
    if (shown[track] === value || !(number in moving)) return; // a group in which nothing is drawn has no mark
    shown[track] = value;
    const [one, panel] = moving[number];
    one.at[attribute] = value;
    if (attribute === "d") one.path = new Path2D(value);
    panel.stale = true;
  });
}

function draw(panel) {
  const { context, marks, set } = panel;
  context.resetTransform();
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  for (const mark of marks) if (!mark.groups.some(({ at }) => at.display === "none")) put(context, mark, set);
  panel.stale = false;
}

/** Draws a mark; `set` is what the context is set to, for a setting that stays as it is costs nothing. */
function put(context, { kind, at, path, look, scale, dashes }, set) {
  for (const name in look) if (set[name] !== look[name]) context[name] = set[name] = look[name];
  if (set.dashes !== dashes) context.setLineDash((set.dashes = dashes).split(",").filter(Boolean).map(Number));
  context.setTransform(...scale);
  if (kind === "use") context.translate(Number(at.x), Number(at.y));
  if (kind === "text") {
    context.scale(1 / scale[0], 1 / scale[0]);
    context.fillText(at[""], scale[0] * Number(at.x ?? 0), scale[0] * Number(at.y ?? 0));
  }
  if (path && "fillStyle" in look) context.fill(path);
  if (path && "strokeStyle" in look) context.stroke(path);
}
