// What parallel coordinates are drawn of: lines from axis to axis, and an axis with its name, ticks and brush.

import { write } from "../frame/canvas.js";
import { clamp } from "../frame/numbers.js";
import { begun, fitted, titled } from "./pareto.js";

export const TALL = 400; // px
export const UPPER = 44; // px above the axes
export const LOWER = 34;
export const APART = 104; // px between axes at least

/** places: for each axis [x, the y of each line]. Lines that lie on each other between two axes are drawn once. */
export function drawStrands(context, places, style, width, alpha) {
  context.strokeStyle = style;
  context.lineWidth = width;
  context.globalAlpha = alpha;
  places.slice(1).forEach(([x, ys], k) => {
    const [from, before] = places[k];
    const pairs = new Set(ys.map((y, line) => before[line] * 4096 + y));
    context.stroke(new Path2D([...pairs].map((pair) => `M${from} ${pair >> 12}L${x} ${pair & 4095}`).join("")));
  });
  context.globalAlpha = 1;
}

/** room: px for its name; here: whether keys act on it; none: whether a point has no value on it. */
export function drawStrandAxis(context, looks, colours, { column, x, scale, brush, room, here, last, none }) {
  context.fillStyle = looks.ink;
  context.fillRect(x - 1, UPPER, here ? 3 : 1.5, TALL - LOWER - UPPER);
  if (brush) {
    const [low, high] = brush.map((value) => clamp(scale.at(value), UPPER, TALL - LOWER));
    const box = [x - 8, high - 2, 16, low - high + 4];
    context.globalAlpha = 0.22;
    context.fillStyle = colours.reduce;
    context.fillRect(...box);
    context.globalAlpha = 1;
    context.strokeStyle = colours.reduce;
    context.lineWidth = 2;
    context.strokeRect(...box);
  }
  let clear = Infinity;
  for (const tick of scale.ticks) {
    const y = scale.at(tick);
    if (y > clear) continue;
    clear = y - 14;
    context.font = `11px ${looks.font}`;
    const text = begun(context, scale.tick(tick), APART - 30);
    const wide = context.measureText(text).width;
    context.globalAlpha = 0.75;
    context.fillStyle = looks.paper;
    context.fillRect(last ? x - 7 - wide : x + 5, y - 7, wide + 2, 14);
    write(context, looks, text, last ? x - 6 : x + 6, y, 11, 1, last ? "right" : "left");
  }
  context.font = `12px ${looks.font}`;
  write(context, looks, fitted(context, titled(column, ""), room), x, 12, 12, 1, "center");
  if (scale.unit) write(context, looks, fitted(context, scale.unit, room), x, 28, 11, 0.85, "center");
  if (none) write(context, looks, "none", x + 6, TALL - LOWER + 14, 11, 0.85);
  if (here) write(context, looks, "▲", x, TALL - 8, 11, 1, "center");
}
