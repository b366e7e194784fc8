// A curve that the learner draws: with the mouse across the picture, or point by point with the arrow keys.

import { make, put } from "../frame/dom.js";
import { clamp, nearest } from "../frame/numbers.js";
import { axis, tickWords } from "./axes.js";

const DRAWN = { width: 230, height: 150, left: 34, right: 16, top: 8, bottom: 22 };
const STEPS = 40; // that an arrow key takes from low to high

function drawnFrame(parent, drawing, label) {
  const { width, height, left, right, top, bottom } = DRAWN;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, class: "astra-drawing", role: "group", "aria-label": label }, parent);
  const y = axis(drawing.low, drawing.high, drawing.log, height - bottom, top);
  const xs = drawing.xs.map((_, i) => left + 6 + ((width - left - right - 12) * i) / Math.max(1, drawing.xs.length - 1));
  make("rect", { class: "astra-frame", x: left, y: top, width: width - left - right, height: height - top - bottom }, svg);
  for (const tick of y.ticks) {
    make("path", { class: "astra-grid", d: `M${left} ${y.at(tick)}H${width - right}` }, svg);
    make("text", { class: "astra-name", x: left - 4, y: y.at(tick) + 3.5, text: tickWords(tick) }, svg);
  }
  const every = Math.ceil(xs.length / 6);
  xs.forEach((x, i) => i % every || make("text", { x, y: height - 9, text: tickWords(drawing.xs[i]) }, svg));
  make("p", { class: "astra-axes", text: `↑ ${drawing.y}, → ${drawing.x}` }, parent);
  return { svg, y, xs };
}

const drawnPath = (xs, y, ys) => ys.map((value, i) => `${i ? "L" : "M"}${xs[i].toFixed(2)} ${y.at(value).toFixed(2)}`).join("");

export class Drawn {
  constructor(parent, drawing) {
    const { svg, y, xs } = drawnFrame(parent, drawing, `Draw ${drawing.y} over ${drawing.x}`);
    Object.assign(this, { drawing, svg, y, xs });
    const middle = y.from((y.at(drawing.low) + y.at(drawing.high)) / 2);
    this.ys = drawing.xs.map(() => this.#rounded(middle));
    this.line = make("path", { class: "astra-mine" }, svg);
    this.points = this.ys.map((_, i) => this.#point(i));
    svg.addEventListener("pointerdown", (event) => this.#start(event));
    svg.addEventListener("pointermove", (event) => event.buttons && this.#drag(event));
    make("p", { class: "astra-soft", text: "Draw with the mouse, or Tab to a point and use ↑ and ↓." }, parent);
    this.#show();
  }

  #rounded(value) {
    return Number(clamp(value, this.drawing.low, this.drawing.high).toPrecision(3));
  }

  #point(i) {
    const { drawing } = this;
    const label = `${drawing.y} at ${drawing.x} ${drawing.xs[i]}`;
    const point = make("circle", { r: 5, tabindex: 0, role: "slider", "aria-label": label, "aria-orientation": "vertical", "aria-valuemin": drawing.low, "aria-valuemax": drawing.high }, this.svg);
    point.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 8, PageDown: -8 }[event.key];
      if (!by) return;
      event.preventDefault();
      const [bottom, top] = [this.y.at(drawing.low), this.y.at(drawing.high)];
      this.#set(i, this.y.from(this.y.at(this.ys[i]) + (by * (top - bottom)) / STEPS));
    });
    return point;
  }

  #start(event) {
    this.svg.setPointerCapture?.(event.pointerId);
    this.#drag(event);
  }

  #drag(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    this.#set(nearest(this.xs, x), this.y.from(y));
  }

  #set(i, value) {
    this.ys = this.ys.map((y, k) => (k === i ? this.#rounded(value) : y));
    this.#show();
  }

  #show() {
    put(this.line, "d", drawnPath(this.xs, this.y, this.ys));
    this.points.forEach((point, i) => {
      put(point, "cx", this.xs[i]);
      put(point, "cy", this.y.at(this.ys[i]));
      put(point, "aria-valuenow", this.ys[i]);
      put(point, "aria-valuetext", tickWords(this.ys[i]));
    });
  }
}

/** What was drawn, dashed, beside what is true. */
export function drawAnswer(parent, drawing, drawn, answer) {
  const { svg, y, xs } = drawnFrame(parent, drawing, `${drawing.y} over ${drawing.x}: what you drew, dashed, and what it is`);
  make("path", { class: "astra-mine", d: drawnPath(xs, y, drawn) }, svg);
  const held = answer.map((value) => clamp(value, drawing.low, drawing.high));
  make("path", { class: "astra-true", d: drawnPath(xs, y, held) }, svg);
  held.forEach((value, i) => make("circle", { class: "astra-true", r: 2.5, cx: xs[i], cy: y.at(value) }, svg));
  make("p", { class: "astra-soft", text: "dashed: what you drew; line with dots: what it is" }, parent);
}
