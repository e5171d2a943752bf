// @ts-check
// The moving marks on canvases, while a hand moves on a machine that cannot keep up with the SVG, in which each change is
// a layout of the page. painter.js draws what the SVG's elements say, in their order and look, in a thread of its own;
// they are hidden under the canvases until the hand rests. It knows paths, upright texts, markers and hatches; a picture with
// anything else moves in the SVG.

const CAN_DRAW = ["path", "text", "use"];
const CANNOT = ["clip-path", "transform"];
const CAN_MOVE = ["", "d", "x", "y", "display"]; // the attributes that may change on a canvas; "" is the text
const ALIGN = /** @type {Record<string, string>} */ ({ start: "left", middle: "center", end: "right" });
const START = 40; // milliseconds until the first drawing of a new canvas is on the screen

/**
 * The canvases over the panels of `frame`. begin() prepares them, show() a position, rest() shows the SVG again and keeps
 * them for the next drag, end() takes them away; begun() says whether they are at work, on() whether the SVG may stand still.
 * @param {HTMLElement} frame
 */
function makeCanvas(frame) {
  /** @type {Worker | undefined} */
  let painter;
  let broken = false; // this page allows no such thread, or this browser has none
  /** @type {{canvas: any, leaves: Element[]}[]} */
  let sheets = [];
  let made = ""; // how all looked when they were made
  let fresh = false; // whether they were made for this drag
  let id = 0; // of this drag
  let [begun, visible] = [false, false];
  /** @type {number | undefined} */
  let asked; // the newest position

  /** False where this reel, or this browser, asks for more than can be done. @param {Reel} reel */
  function begin(reel) {
    id += 1;
    const svgs = [...frame.querySelectorAll("svg")].filter((svg) => svg.querySelector("[data-moves]"));
    const look = `${frame.closest(".flipbook")?.className} ${JSON.stringify(svgs.map(placeOver))}`;
    fresh = !sheets.length || look !== made;
    made = look;
    begun = !fresh || prepare(reel, svgs);
    return begun;
  }

  /** Makes the canvases, and tells the painter all about them. @param {Reel} reel @param {SVGSVGElement[]} svgs */
  function prepare({ tracks, columns }, svgs) {
    end();
    const known = tracks.every(([, attribute]) => CAN_MOVE.includes(attribute));
    const marks = known && !broken && frame.getClientRects().length ? svgs.map(fromFirstMoving) : [];
    if (!marks.length || !marks.flat().every(isPlain)) return false;
    try {
      painter ??= startPainter();
      sheets = svgs.map((svg, k) => ({ canvas: canvasOver(svg), leaves: marks[k].map(([node]) => node) }));
      const panels = sheets.map(({ canvas }, k) => describe(svgs[k], canvas, marks[k]));
      painter.postMessage({ reel: { tracks, columns }, panels }, panels.map(({ canvas }) => canvas));
    } catch {
      broken = true;
      end();
    }
    return !broken;
  }

  function startPainter() {
    const address = URL.createObjectURL(new Blob([String(join), "\n", PAINTER], { type: "text/javascript" }));
    const thread = new Worker(address);
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    thread.onmessage = drawn;
    thread.onerror = () => {
      broken = true;
      end();
    };
    return thread;
  }

  /** An answer costs the page a task, so there is none once the canvases are seen. @param {number} k */
  function show(k) {
    const answer = !visible || sheets[0].canvas.watched; // by the tests, which make every canvas so
    if (k !== asked) painter?.postMessage({ k, id, answer });
    asked = k;
  }

  function drawn({ data }) {
    if (data.id !== id || !begun) return;
    sheets[0].canvas.shows = data.k; // an attribute would be a change of the page
    if (!visible) setTimeout(uncover, fresh ? START : 0, id);
  }

  /** @param {number} of */
  function uncover(of) {
    if (of !== id || !begun || visible) return;
    visible = true;
    for (const { canvas, leaves } of sheets) {
      canvas.style.opacity = 1;
      for (const leaf of leaves) leaf.setAttribute("visibility", "hidden");
    }
  }

  function rest() {
    for (const { canvas, leaves } of visible ? sheets : []) {
      canvas.style.opacity = 0;
      for (const leaf of leaves) leaf.removeAttribute("visibility");
    }
    [begun, visible, asked] = [false, false, undefined];
  }

  function end() {
    rest();
    for (const { canvas } of sheets) canvas.remove();
    sheets = [];
  }
  function stop() {
    end();
    painter?.terminate();
  }
  return { begin, show, rest, end, stop, begun: () => begun, on: () => begun && (visible || !fresh) };
}

/** Where a canvas lies over an SVG, in pixels: on whole ones, as an SVG need not. @param {SVGSVGElement} svg */
function placeOver(svg) {
  const { left, top, right, bottom } = svg.getBoundingClientRect();
  const [x, y, beyond, below] = [left, top, right, bottom].map((edge) => edge * devicePixelRatio);
  const unit = devicePixelRatio % 1 ? 1 : devicePixelRatio;
  const [across, down] = [x, y].map((edge) => unit * Math.floor(edge / unit));
  const [width, height] = [beyond - across, below - down].map((length) => unit * Math.ceil(length / unit));
  return { left: across - x, top: down - y, width, height };
}

/** A canvas over an SVG; it is not seen yet. @param {SVGSVGElement} svg */
function canvasOver(svg) {
  const place = placeOver(svg);
  const canvas = element("canvas", { width: place.width, height: place.height, ariaHidden: "true" });
  for (const name in place) canvas.style[name] = `${place[name] / devicePixelRatio}px`;
  canvas.style.opacity = 0;
  svg.after(canvas);
  return canvas;
}

/** What is drawn in an element, from below to above: [node, mark] each; a mark's `groups` are those around it, and itself. */
function marksIn(node, above = []) {
  if (node.localName === "defs") return [];
  const { "data-moves": moves, ...at } = Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]));
  const mark = { kind: node.localName, at: { ...at, "": node.textContent }, moves, groups: [] };
  mark.groups = [...above, mark];
  if (!["svg", "g"].includes(mark.kind)) return [[node, mark]];
  return [...node.children].flatMap((child) => marksIn(child, mark.groups));
}

const isPlain = ([, { kind, groups }]) =>
  CAN_DRAW.includes(kind) && !groups.some(({ at }) => CANNOT.some((attribute) => attribute in at));

/** What moves in a picture, and all that lies over it. @param {SVGSVGElement} svg */
function fromFirstMoving(svg) {
  const all = marksIn(svg);
  return all.slice(all.findIndex(([, { groups }]) => groups.some(({ moves }) => moves !== undefined)));
}

/** A panel as painter.js takes it. @param {SVGSVGElement} svg */
function describe(svg, canvas, marks) {
  const { a, d, e, f } = /** @type {DOMMatrix} */ (svg.getScreenCTM());
  const { left, top } = canvas.getBoundingClientRect();
  const scale = [a, 0, 0, d, e - left, f - top].map((number) => number * devicePixelRatio);
  for (const [node, mark] of marks) dress(node, mark, svg, scale);
  return { canvas: canvas.transferControlToOffscreen(), marks: marks.map(([, mark]) => mark) };
}

/** Finds out how a mark looks; `scale` brings the points of the SVG to pixels. @param {SVGSVGElement} svg */
function dress(node, mark, svg, scale) {
  const named = (/** @type {string} */ url) => svg.querySelector(`[id="${/#([^")]+)/.exec(url)?.[1]}"]`);
  const paint = (/** @type {string} */ colour) => (colour.startsWith("url") ? hatchOf(named(colour)) : colour);
  const style = getComputedStyle(node);
  const look = { globalAlpha: Number(style.opacity) };
  if (style.fill !== "none") look.fillStyle = paint(style.fill);
  if (style.stroke !== "none") Object.assign(look, strokeOf(style), { strokeStyle: paint(style.stroke) });
  if (mark.kind === "text") Object.assign(look, fontOf(style, scale));
  else mark.shape = shapeOf(mark.at.href ? named(mark.at.href) : node);
  Object.assign(mark, { look, scale, dashes: style.strokeDasharray.match(/[\d.]+/g)?.join() ?? "" });
}

/** @param {CSSStyleDeclaration} style */
const strokeOf = (style) => ({
  lineWidth: parseFloat(style.strokeWidth),
  lineCap: style.strokeLinecap,
  lineJoin: style.strokeLinejoin,
  lineDashOffset: parseFloat(style.strokeDashoffset),
  miterLimit: Number(style.strokeMiterlimit),
});

/** Letters are set in pixels: WebKit spaces scaled ones too wide. @param {CSSStyleDeclaration} style */
const fontOf = ({ fontStyle, fontWeight, fontSize, fontFamily, textAnchor }, scale) => ({
  font: `${fontStyle} ${fontWeight} ${scale[0] * parseFloat(fontSize)}px ${fontFamily}`,
  textAlign: ALIGN[textAnchor],
});

/** The outline of a path or a rectangle. */
function shapeOf(node) {
  if (node.localName !== "rect") return { d: node.getAttribute("d") };
  return { box: ["x", "y", "width", "height"].map((name) => Number(node.getAttribute(name))) };
}

/** A hatch: a tile of marks. */
function hatchOf(pattern) {
  const parts = [...pattern.children].flatMap((child) => marksIn(child));
  for (const [node, part] of parts) dress(node, part, pattern, [1]);
  const [width, height] = ["width", "height"].map((name) => Number(pattern.getAttribute(name)));
  return { width, height, parts: parts.map(([, part]) => part) };
}
