// @ts-check
// The moving marks on a canvas, while a hand moves on a machine that cannot keep up with the SVG: there each changed
// element costs a layout, and a text most of all. A canvas draws what the elements say, in their order and look, and they
// are hidden under it until the hand rests. It knows what svg.py writes: paths, texts, markers, clips and hatches.

const CAN_DRAW = ["path", "text", "use"];
const CAN_MOVE = ["", "d", "x", "y", "display"]; // the attributes that may change under it; "" is the text
const ALIGN = /** @type {Record<string, CanvasTextAlign>} */ ({ start: "left", middle: "center", end: "right" });

/**
 * An element and its attributes as they are now; `above` are the groups around it.
 * @typedef {{node: any, at: Record<string, string>, above: Drawn[], path?: Path2D, clip?: Path2D, turn?: DOMMatrix,
 *   look?: any, larger?: any, fills?: boolean, strokes?: boolean, dashes?: number[]}} Drawn
 */

/**
 * The canvases over the panels of `frame`. begin() puts them there, change() and draw() show a position, end() takes
 * them away.
 * @param {HTMLElement} frame
 */
function makeCanvas(frame) {
  /** @type {{context: CanvasRenderingContext2D, leaves: Drawn[], scale: DOMMatrix, stale: boolean}[]} */
  let sheets = [];
  /** @type {Record<number, [Drawn, {stale: boolean}]>} */
  let moving = {};

  /** False where these tracks, or this browser, ask for more than it can. @param {[number, string, any][]} tracks */
  function begin(tracks) {
    const svgs = [...frame.querySelectorAll("svg")].filter((svg) => svg.querySelector("[data-moves]"));
    const known = tracks.every(([, attribute]) => CAN_MOVE.includes(attribute));
    const ahead = known && frame.getClientRects().length ? svgs.map(fromFirstMoving) : [];
    if (!ahead.length || !ahead.flat().every(({ node }) => CAN_DRAW.includes(node.localName))) return false;
    svgs.forEach((svg, k) => cover(svg, ahead[k]));
    return true;
  }

  /** @param {SVGSVGElement} svg @param {Drawn[]} leaves */
  function cover(svg, leaves) {
    const sheet = { ...sheetOver(svg), leaves, stale: true };
    for (const leaf of leaves) dress(leaf, svg, sheet.scale);
    for (const leaf of leaves) leaf.node.setAttribute("visibility", "hidden");
    for (const one of leaves.flatMap((leaf) => [...leaf.above, leaf]))
      if (moves(one)) moving[one.node.dataset.moves] = [one, sheet];
    sheets.push(sheet);
  }

  /** @param {number} number @param {string} attribute @param {string} value */
  function change(number, attribute, value) {
    const [one, sheet] = moving[number] ?? [];
    if (!one || !sheet) return; // a group in which nothing is drawn
    one.at[attribute] = value;
    if (attribute === "d") one.path = new Path2D(value);
    sheet.stale = true;
  }

  function draw() {
    for (const sheet of sheets.filter(({ stale }) => stale)) {
      const { context, leaves, scale } = sheet;
      context.setTransform(scale);
      context.clearRect(0, 0, context.canvas.width, context.canvas.height);
      for (const leaf of leaves) if (![leaf, ...leaf.above].some(({ at }) => at.display === "none")) put(context, leaf);
      sheet.stale = false;
    }
  }

  function end() {
    for (const { context, leaves } of sheets) {
      for (const { node } of leaves) node.removeAttribute("visibility");
      context.canvas.remove();
    }
    [sheets, moving] = [[], {}];
  }
  return { begin, change, draw, end, on: () => sheets.length > 0 };
}

/** An empty canvas over an SVG, and what brings the SVG's points to its pixels. @param {SVGSVGElement} svg */
function sheetOver(svg) {
  const { left, top, right, bottom } = svg.getBoundingClientRect();
  const [x, y, beyond, below] = [left, top, right, bottom].map((edge) => edge * devicePixelRatio);
  const unit = devicePixelRatio % 1 ? 1 : devicePixelRatio; // a canvas lies on whole pixels, an SVG need not
  const [across, down] = [x, y].map((edge) => unit * Math.floor(edge / unit));
  const [width, height] = [beyond - across, below - down].map((length) => unit * Math.ceil(length / unit));
  const canvas = element("canvas", { width, height, ariaHidden: "true" });
  const style = { left: across - x, top: down - y, width, height };
  for (const name in style) canvas.style[name] = `${style[name] / devicePixelRatio}px`;
  const { a, d, e, f } = /** @type {DOMMatrix} */ (svg.getScreenCTM());
  const scale = new DOMMatrix().translate(-across, -down).scale(devicePixelRatio).multiply(new DOMMatrix([a, 0, 0, d, e, f]));
  svg.after(canvas);
  return { context: canvas.getContext("2d"), scale };
}

const moves = (/** @type {Drawn} */ { node }) => node.hasAttribute("data-moves");

/** What moves in a picture, and all that lies over it. @param {SVGSVGElement} svg */
function fromFirstMoving(svg) {
  const all = leavesOf(svg);
  return all.slice(all.findIndex((leaf) => [leaf, ...leaf.above].some(moves)));
}

/** What is drawn in an element, from below to above. @param {any} node @param {Drawn[]} above @returns {Drawn[]} */
function leavesOf(node, above = []) {
  if (node.localName === "defs") return [];
  const at = Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]));
  const one = { node, at, above };
  if (["svg", "g"].includes(node.localName)) return [...node.children].flatMap((child) => leavesOf(child, [...above, one]));
  at[""] = node.textContent;
  return [one];
}

/** Finds out how a leaf looks. @param {Drawn} leaf @param {SVGSVGElement} svg @param {DOMMatrix} scale */
function dress(leaf, svg, scale) {
  const named = (/** @type {string} */ url) => svg.querySelector(`[id="${/#([^")]+)/.exec(url)?.[1]}"]`);
  const paint = (/** @type {string} */ colour) => (colour.startsWith("url") ? hatch(named(colour), scale) : colour);
  const style = getComputedStyle(leaf.node);
  const clip = [leaf, ...leaf.above].find(({ at }) => at["clip-path"])?.at["clip-path"];
  if (clip) leaf.clip = shape(named(clip)?.firstElementChild);
  if (leaf.node.localName !== "text") leaf.path = shape(leaf.at.href ? named(leaf.at.href) : leaf.node);
  leaf.turn = leaf.node.transform.baseVal.consolidate()?.matrix;
  const larger = (leaf.larger = scale.a); // letters are set in pixels: WebKit spaces them wider than it should when scaled
  leaf.fills = style.fill !== "none";
  leaf.strokes = style.stroke !== "none";
  leaf.dashes = (style.strokeDasharray.match(/[\d.]+/g) ?? []).map(Number);
  leaf.look = {
    fillStyle: paint(style.fill),
    strokeStyle: paint(style.stroke),
    globalAlpha: Number(style.opacity),
    lineWidth: parseFloat(style.strokeWidth),
    lineCap: style.strokeLinecap,
    lineJoin: style.strokeLinejoin,
    lineDashOffset: parseFloat(style.strokeDashoffset),
    miterLimit: Number(style.strokeMiterlimit),
    font: `${style.fontStyle} ${style.fontWeight} ${larger * parseFloat(style.fontSize)}px ${style.fontFamily}`,
    textAlign: ALIGN[style.textAnchor],
  };
}

/** The outline of a path or a rectangle. @param {any} node */
function shape(node) {
  if (node.localName !== "rect") return new Path2D(node.getAttribute("d"));
  const path = new Path2D();
  path.rect(...["x", "y", "width", "height"].map((name) => Number(node.getAttribute(name))));
  return path;
}

/** A hatch: the tile of its pattern, again and again. @param {any} pattern @param {DOMMatrix} scale */
function hatch(pattern, scale) {
  const [width, height] = ["width", "height"].map((name) => Number(pattern.getAttribute(name)));
  const tile = element("canvas", { width: Math.ceil(width * scale.a), height: Math.ceil(height * scale.d) });
  const context = tile.getContext("2d");
  context.scale(tile.width / width, tile.height / height);
  for (const node of pattern.children) {
    const part = { node, at: {}, above: [] };
    dress(part, pattern, scale);
    put(context, part);
  }
  const made = context.createPattern(tile, "repeat");
  made.setTransform(new DOMMatrix().scale(width / tile.width, height / tile.height));
  return made;
}

/** @param {CanvasRenderingContext2D} context @param {Drawn} leaf */
function put(context, { node, at, path, clip, turn, look, larger, fills, strokes, dashes }) {
  context.save();
  Object.assign(context, look);
  context.setLineDash(dashes);
  if (clip) context.clip(clip);
  if (turn) context.transform(turn.a, turn.b, turn.c, turn.d, turn.e, turn.f);
  if (node.localName === "use") context.translate(Number(at.x), Number(at.y));
  if (node.localName === "text") {
    context.scale(1 / larger, 1 / larger);
    context.fillText(at[""], larger * Number(at.x ?? 0), larger * Number(at.y ?? 0));
  } else {
    if (fills) context.fill(path);
    if (strokes) context.stroke(path);
  }
  context.restore();
}
