// Bars of parts that share a scale, with limits, and the bars of another setting as dashed outlines.

import { make } from "../frame/dom.js";
import { makeLegend, place } from "./looks.js";

const WIDTH = 640;
const LABEL = 136; // room for names
const END = 128; // for what stands at a bar's end
const ROW = 23;
const HIGH = 16;

export class Bars {
  /** ghost: the bars of another setting, and whose: "before" or "pinned". */
  constructor(root, patterns, bars, ghost, whose) {
    const all = [...bars.bars, ...(ghost?.bars ?? [])];
    const most = Math.max(...all.flatMap((bar) => [sum(bar), bar.limit ?? 0])) || 1;
    const scale = (WIDTH - LABEL - END) / most;
    const figure = make("figure", { class: "astra-bars" }, root);
    make("figcaption", { text: `${bars.title}, ${bars.unit}` }, figure);
    const words = bars.bars.map((bar) => `${bar.label}: ${bar.said}`).join("; ");
    const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${ROW * bars.bars.length + 4}`, role: "img", "aria-label": `${bars.title}. ${words}` }, figure);
    bars.bars.forEach((bar, row) => this.#bar(svg, patterns, bar, ghost?.bars.find(({ label }) => label === bar.label), row, scale));
    this.#legend(figure, patterns, bars, ghost && whose);
  }

  #bar(svg, patterns, bar, ghost, row, scale) {
    const y = row * ROW + 4;
    const group = make("g", { "data-bar": bar.label }, svg);
    make("text", { x: LABEL - 8, y: y + 12, class: "astra-name", text: bar.label }, group);
    let x = LABEL;
    for (const { look, size } of bar.parts) {
      const box = patterns.box(group);
      patterns.dress(box, look);
      place(box, [x, y, size * scale, HIGH]);
      make("title", { text: `${look}: ${size.toPrecision(4)}` }, box.ground);
      x += size * scale;
    }
    if (ghost) make("rect", { class: "astra-ghost", x: LABEL, y: y - 2, width: sum(ghost) * scale, height: HIGH + 4 }, group);
    const end = Math.max(x, ghost ? LABEL + sum(ghost) * scale : 0);
    const limit = bar.limit === null ? -Infinity : LABEL + bar.limit * scale;
    const behind = limit > end - 4 && limit < end + 6 * bar.said.length + 14; // where the line would cross the words
    make("text", { x: (behind ? Math.max(end, limit) : end) + 6, y: y + 12, class: "astra-end", text: bar.said }, group);
    if (bar.limit !== null) make("path", { class: "astra-limit", d: `M${LABEL + bar.limit * scale} ${y - 3}v${HIGH + 6}` }, group);
  }

  #legend(figure, patterns, bars, whose) {
    const looks = bars.bars.flatMap(({ parts }) => parts.map((part) => part.look));
    const legend = makeLegend(figure, patterns, looks);
    if (whose) make("span", { text: `dashed: the ${whose === "pinned" ? "pinned setting" : "setting before"}` }, legend);
    if (bars.limit) make("span", { text: `thick line: ${bars.limit}` }, legend);
  }
}

export const sum = ({ parts }) => parts.reduce((all, { size }) => all + size, 0);
