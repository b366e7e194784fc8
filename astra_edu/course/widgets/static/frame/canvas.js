// Drawing on a canvas in CSS pixels, in the colours and the font of the page around it.

import { make } from "./dom.js";

const DARK = "#1b1b1b"; // text on a coloured bar, in both themes

/** A canvas' context, of that size on the screen; drawn as finely as the screen can show. */
export function sized(context, width, height) {
  const { canvas } = context;
  const [wide, high] = [width, height].map((length) => Math.round(length * devicePixelRatio));
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, wide, high);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.globalAlpha = 1;
  return context;
}

/** How finely the screen draws: another one wants a canvas to be drawn again. */
export const fineness = () => devicePixelRatio;

/** {ink, paper, font} of an element now. */
export function looksOf(element) {
  const { color, backgroundColor, fontFamily } = getComputedStyle(element);
  return { ink: color, paper: backgroundColor, font: fontFamily };
}

/** A text in the page's ink. */
export function write(context, { ink, font }, text, x, y, size, alpha = 1, align = "left") {
  context.font = `${size}px ${font}`;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.fillStyle = ink;
  context.globalAlpha = alpha;
  context.fillText(text, x, y);
  context.globalAlpha = 1;
}

/** A text on a bar; on a hatched one it gets a `ground` without a hatch. */
export function letter(context, font, ground, text, x, y, { width = null, ink = DARK } = {}) {
  if (!text) return;
  context.globalAlpha = 1;
  context.font = `11px ${font}`;
  if (ground) {
    const wide = width ?? context.measureText(text).width;
    context.fillStyle = ground;
    context.fillRect(x - wide / 2 - 2, y - 7, wide + 4, 14);
  }
  context.fillStyle = ink;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, x, y);
}

/** Hatches, so that no colour stands alone: paths in a square tile of `size` px. */
const HATCHES = {
  "/": { size: 8, paths: ["M-1 7L7 -1M3 11L11 3"] },
  "\\": { size: 8, paths: ["M-1 1L7 9M3 -3L11 5"] },
  x: { size: 8, paths: ["M0 0L8 8M0 8L8 0"] },
  "|": { size: 8, paths: ["M4 0V8"] },
  "-": { size: 8, paths: ["M0 4H8"] },
  ".": { size: 8, paths: ["M2 2h1.6M6 6h1.6"] },
  "+": { size: 8, paths: ["M4 0V8M0 4H8"] },
  o: { size: 8, paths: ["M2 4a2 2 0 1 0 4 0a2 2 0 1 0 -4 0"] },
  "//": { size: 7, paths: ["M-1 1L1 -1M0 7L7 0M6 8L8 6"] },
};

/** A hatch's pattern for a canvas, made once for it. */
function hatching(context, name, colour) {
  const known = (context.astraHatches ??= new Map());
  const key = `${name} ${colour}`;
  if (!known.has(key)) {
    const { size, paths } = HATCHES[name];
    const tile = make("canvas", { width: 2 * size, height: 2 * size }).getContext("2d");
    tile.scale(2, 2);
    tile.strokeStyle = colour;
    tile.lineWidth = 1.2;
    for (const path of paths) tile.stroke(new Path2D(path));
    known.set(key, context.createPattern(tile.canvas, "repeat"));
  }
  return known.get(key);
}

/** Hatch a rectangle; the hatch begins at `origin`, so that it moves with what it is on. */
export function hatch(context, name, [x, y, width, height], origin = x, colour = "rgb(0 0 0 / 0.32)") {
  const { size } = HATCHES[name];
  const pattern = hatching(context, name, colour);
  pattern.setTransform(new DOMMatrix([0.5, 0, 0, 0.5, origin % size, y % size]));
  context.fillStyle = pattern;
  context.fillRect(x, y, width, height);
}

/** An entry of a legend: a small canvas, drawn by `draw(context)`, and a name. */
export function legendKey(name, width, height, draw) {
  const key = make("span", { class: "astra-key" });
  const context = make("canvas", { width: 2 * width, height: 2 * height, "aria-hidden": "true" }, key).getContext("2d");
  context.scale(2, 2);
  draw(context);
  key.append(name);
  return key;
}
