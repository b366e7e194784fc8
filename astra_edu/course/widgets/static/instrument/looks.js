// Looks: a colour for each theme and a hatch, as CSS and as patterns that every picture of a view can use; dashes of lines.

import { make, put } from "../frame/dom.js";

const SIGNS = { "/": "M-1 7L7 -1M3 11L11 3", "\\": "M-1 1L7 9M3 -3L11 5", x: "M0 0L8 8M0 8L8 0", ".": "M2 2h1.6M6 6h1.6", "-": "M0 4H8" };

/** How a line of a look is dashed. */
export const DASHES = { "": null, "/": "7 3", "\\": "2 3", x: "9 3 2 3", ".": "1 3", "-": "12 4" };

export class Patterns {
  constructor(root, id) {
    this.id = id;
    this.looks = {};
    const svg = make("svg", { width: 0, height: 0, "aria-hidden": "true", class: "astra-patterns" }, root);
    const defs = make("defs", {}, svg);
    Object.entries(SIGNS).forEach(([, d], number) => {
      const pattern = make("pattern", { id: `${id}-hatch-${number}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" }, defs);
      make("path", { d }, pattern);
    });
  }

  show(looks) {
    this.looks = looks;
  }

  /** A rectangle of a look in an SVG group: ground, and hatch if it has one. */
  box(parent) {
    return { ground: make("rect", { class: "astra-ground" }, parent), hatch: null };
  }

  /** Keep a word apart from the hatch it stands on: the ground goes on around its letters. */
  clear(word, look) {
    const [light, dark, sign] = this.looks[look];
    put(word, "style", sign ? `stroke: light-dark(${light}, ${dark})` : null);
  }

  dress(box, look) {
    const [light, dark, sign] = this.looks[look];
    put(box.ground, "style", `fill: light-dark(${light}, ${dark})`);
    put(box.ground, "data-look", look);
    if (sign && !box.hatch) {
      box.hatch = make("rect", { class: "astra-hatch" }, box.ground.parentElement);
      box.ground.after(box.hatch);
    }
    if (box.hatch) put(box.hatch, "style", sign ? `fill: url(#${this.id}-hatch-${Object.keys(SIGNS).indexOf(sign)})` : "fill: none");
  }
}

/** What looks are called, each beside a small box. */
export function makeLegend(parent, patterns, looks) {
  const legend = make("p", { class: "astra-legend" }, parent);
  for (const look of new Set(looks)) {
    const key = make("span", { class: "astra-key" }, legend);
    const box = patterns.box(make("svg", { width: 28, height: 14, "aria-hidden": "true" }, key));
    patterns.dress(box, look);
    place(box, [0, 0, 28, 14]);
    key.append(look);
  }
  return legend;
}

export function place({ ground, hatch }, [x, y, width, height]) {
  for (const rect of hatch ? [ground, hatch] : [ground]) for (const [name, value] of Object.entries({ x, y, width, height })) put(rect, name, value);
}
