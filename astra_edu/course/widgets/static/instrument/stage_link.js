// A line on the stage: its colour, width and dashes at a step, an arrow's head, and the words beside it.

import { make, put } from "../frame/dom.js";
import { DASHES } from "./looks.js";


export class StageLink {
  constructor(svg, patterns, link) {
    Object.assign(this, { link, patterns });
    this.group = make("g", { "data-link": link.name, class: "astra-link" }, svg);
    const d = link.points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("");
    make("title", { text: link.title || link.name }, this.group);
    this.line = make("path", { class: "astra-line", d }, this.group);
    make("path", { class: "astra-grip", d }, this.group);
    this.head = link.arrow ? make("path", { class: "astra-line-head" }, this.group) : null;
    const [x, y] = lineMiddle(link.points);
    this.word = link.says.length ? make("text", { class: "astra-word astra-on-line", x, y: y - 3 }, this.group) : null;
  }

  draw(step) {
    const { link, line, word } = this;
    const [light, dark, sign] = this.patterns.looks[link.looks[step]];
    put(this.group, "visibility", link.wide[step] ? "visible" : "hidden");
    put(line, "stroke-width", link.wide[step]);
    put(line, "stroke-dasharray", DASHES[sign]);
    put(line, "style", `stroke: light-dark(${dark}, ${light})`);
    put(line, "data-look", link.looks[step]);
    if (this.head) put(this.head, "style", `fill: light-dark(${dark}, ${light})`);
    if (this.head) put(this.head, "d", headPath(link.points, Math.max(1, link.wide[step] / 2.5)));
    if (word) put(word, "text", link.says[step]);
  }
}

/** A triangle at the last point, 8 long and 7 wide, or so many times as much. */
function headPath(points, times) {
  const [[a, b], [x, y]] = points.slice(-2);
  const length = Math.hypot(x - a, y - b) / times || 1;
  const [dx, dy] = [(x - a) / length, (y - b) / length];
  return `M${x} ${y}L${x - 8 * dx - 3.5 * dy} ${y - 8 * dy + 3.5 * dx}L${x - 8 * dx + 3.5 * dy} ${y - 8 * dy - 3.5 * dx}Z`;
}

function lineMiddle(points) {
  const k = Math.floor((points.length - 1) / 2);
  const [[a, b], [x, y]] = [points[k], points[k + 1]];
  return [(a + x) / 2, (b + y) / 2];
}
