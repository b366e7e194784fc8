// Curves over one axis, each with a colour, dashes and a name; those of another setting as thin dashed lines.

import { make, put } from "../frame/dom.js";
import { axis, tickWords } from "./axes.js";
import { WHOSE } from "./changes.js";
import { DASHES } from "./looks.js";

const CURVES = { width: 640, height: 210, left: 54, right: 130, top: 8, bottom: 34 };

export class CurveView {
  /** ghost: the curves of another setting, and whose: a name of WHOSE. */
  constructor(root, patterns, curves, ghost, whose) {
    const { width, height, left, right, top, bottom } = CURVES;
    const figure = make("figure", { class: "astra-curves" }, root);
    make("figcaption", { text: `${curves.title}: ${curves.y}` }, figure);
    this.clock = curves.clock;
    const all = [...curves.curves, ...(ghost?.curves ?? [])].flatMap(({ points }) => points);
    const [xs, ys] = [0, 1].map((k) => all.map((point) => point[k]));
    this.x = axis(...curveRange(xs, curves.log_x), curves.log_x, left, width - right);
    this.y = axis(...curveRange(ys, curves.log_y), curves.log_y, height - bottom, top);
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${curves.title}. ${curveWords(curves)}` }, make("div", { class: "astra-swipe" }, figure));
    for (const tick of this.y.ticks) {
      make("path", { class: "astra-grid", d: `M${left} ${this.y.at(tick)}H${width - right}` }, svg);
      make("text", { class: "astra-name", x: left - 5, y: this.y.at(tick) + 4, text: tickWords(tick) }, svg);
    }
    for (const tick of this.x.ticks) make("text", { x: this.x.at(tick), y: height - bottom + 14, text: tickWords(tick) }, svg);
    make("text", { x: (left + width - right) / 2, y: height - 5, text: curves.x }, svg);
    for (const curve of ghost?.curves ?? []) make("path", { class: "astra-ghost", d: this.#path(curve) }, svg);
    this.#lines(svg, patterns, curves.curves);
    this.head = make("path", { class: "astra-playhead", visibility: "hidden" }, svg);
    if (ghost) make("p", { class: "astra-legend", text: `thin dashed: the ${WHOSE[whose]}` }, figure);
  }

  #lines(svg, patterns, curves) {
    const ends = curves.map((curve, i) => ({ i, y: this.y.at(curve.points.at(-1)[1]) })).sort((a, b) => a.y - b.y);
    ends.forEach((end, k) => (end.y = k ? Math.max(end.y, ends[k - 1].y + 13) : Math.max(end.y, CURVES.top + 8)));
    const over = Math.max(0, (ends.at(-1)?.y ?? 0) - (CURVES.height - CURVES.bottom));
    for (const { i, y } of ends) {
      const { look, points } = curves[i];
      const [light, dark, sign] = patterns.looks[look];
      const group = make("g", { "data-curve": look }, svg);
      const line = make("path", { class: "astra-curve", d: this.#path(curves[i]), "stroke-dasharray": DASHES[sign] }, group);
      put(line, "style", `stroke: light-dark(${dark}, ${light})`);
      for (const [a, b] of points.length <= 24 ? points : []) {
        const dot = make("circle", { r: 2.6, cx: this.x.at(a), cy: this.y.at(b), style: `fill: light-dark(${dark}, ${light})` }, group);
        make("title", { text: `${look}: ${tickWords(a)}, ${tickWords(b)}` }, dot);
      }
      make("text", { class: "astra-end", x: this.x.at(points.at(-1)[0]) + 8, y: y - over + 4, text: look }, group);
    }
  }

  #path({ points }) {
    return points.map(([a, b], i) => `${i ? "L" : "M"}${this.x.at(a).toFixed(2)} ${this.y.at(b).toFixed(2)}`).join("");
  }

  /** Show where on the x axis, if it is its time, the stage has got; null: it has no time. */
  show(x) {
    const shown = this.clock && x !== null;
    put(this.head, "visibility", shown ? "visible" : "hidden");
    if (shown) put(this.head, "d", `M${this.x.at(x).toFixed(2)} ${CURVES.top}V${CURVES.height - CURVES.bottom}`);
  }
}

/** From 0 on, unless it goes by powers or below; never of no length. */
function curveRange(values, log) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (log) return low === high ? [low / 2, high * 2] : [low, high];
  return [Math.min(0, low), high > Math.min(0, low) ? high : low + 1];
}

function curveWords({ curves, x, y }) {
  const ends = (points) => `from ${tickWords(points[0][1])} at ${tickWords(points[0][0])} to ${tickWords(points.at(-1)[1])} at ${tickWords(points.at(-1)[0])}`;
  return `${y} over ${x}. ${curves.map(({ look, points }) => `${look}: ${ends(points)}`).join("; ")}`;
}
