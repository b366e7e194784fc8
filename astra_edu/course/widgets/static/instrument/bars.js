// Bars of parts that share a scale, with limits, and the bars of another setting as dashed outlines.

import { make } from "../frame/dom.js";
import { WHOSE } from "./changes.js";
import { makeLegend, place } from "./looks.js";

const END = 128; // for what stands at a bar's end
const HIGH = 16;
const BESIDE = { width: 640, label: 136, row: 23, top: 4 }; // label: room for names
const ABOVE = { width: 320, label: 2, row: 40, top: 20 }; // on a phone names stand above their bars
const PHONE = 460; // CSS pixels

export class Bars {
  /** ghost: the bars of another setting, and whose: a name of WHOSE. */
  constructor(root, patterns, bars, ghost, whose) {
    const all = [...bars.bars, ...(ghost?.bars ?? [])];
    const { width, label, row } = (this.form = root.clientWidth && root.clientWidth < PHONE ? ABOVE : BESIDE);
    const most = Math.max(...all.flatMap((bar) => [sum(bar), bar.limit ?? 0])) || 1;
    const scale = (width - label - END) / most;
    const figure = make("figure", { class: "astra-bars" }, root);
    make("figcaption", { text: `${bars.title}, ${bars.unit}` }, figure);
    const words = bars.bars.map((bar) => `${bar.label}: ${bar.said}`).join("; ");
    const svg = make("svg", { viewBox: `0 0 ${width} ${row * bars.bars.length + 4}`, role: "img", "aria-label": `${bars.title}. ${words}` }, figure);
    bars.bars.forEach((bar, i) => this.#bar(svg, patterns, bar, ghost?.bars.find((other) => other.label === bar.label), i, scale));
    this.#legend(figure, patterns, bars, ghost && whose);
  }

  #bar(svg, patterns, bar, ghost, i, scale) {
    const { label: left, row, top } = this.form;
    const y = i * row + top;
    const group = make("g", { "data-bar": bar.label }, svg);
    const above = this.form === ABOVE;
    make("text", { x: above ? left : left - 8, y: above ? y - 6 : y + 12, class: above ? "astra-end" : "astra-name", text: bar.label }, group);
    let x = left;
    for (const { look, size } of bar.parts) {
      const box = patterns.box(group);
      patterns.dress(box, look);
      place(box, [x, y, size * scale, HIGH]);
      make("title", { text: `${look}: ${size.toPrecision(4)}` }, box.ground);
      x += size * scale;
    }
    if (ghost) make("rect", { class: "astra-ghost", x: left, y: y - 2, width: sum(ghost) * scale, height: HIGH + 4 }, group);
    const end = Math.max(x, ghost ? left + sum(ghost) * scale : 0);
    const limit = bar.limit === null ? -Infinity : left + bar.limit * scale;
    const behind = limit > end - 4 && limit < end + 6 * bar.said.length + 14; // where the line would cross the words
    make("text", { x: (behind ? Math.max(end, limit) : end) + 6, y: y + 12, class: "astra-end", text: bar.said }, group);
    if (bar.limit !== null) make("path", { class: "astra-limit", d: `M${left + bar.limit * scale} ${y - 3}v${HIGH + 6}` }, group);
  }

  #legend(figure, patterns, bars, whose) {
    const looks = bars.bars.flatMap(({ parts }) => parts.map((part) => part.look));
    const legend = makeLegend(figure, patterns, looks);
    if (whose) make("span", { text: `dashed: the ${WHOSE[whose]}` }, legend);
    if (bars.limit) make("span", { text: `thick line: ${bars.limit}` }, legend);
  }
}

export const sum = ({ parts }) => parts.reduce((all, { size }) => all + size, 0);
