// Brushes: on an axis a stretch of values, of which all selected points have one.

import { clamp } from "../frame/numbers.js";
import { distinct } from "./points.js";

const STEPS = 20; // of an axis, for keys

export class Brushes {
  #of = new Map();

  get any() {
    return this.#of.size > 0;
  }

  get(column) {
    return this.#of.get(column.name) ?? null;
  }

  set(column, from, to) {
    this.#of.set(column.name, [Math.min(from, to), Math.max(from, to)]);
  }

  clear(column = null) {
    if (column) this.#of.delete(column.name);
    else this.#of.clear();
  }

  /** The rows that are in every brush and didn't fail. */
  rows(points) {
    const brushed = points.columns.filter((column) => this.#of.has(column.name)).map(({ values, name }) => [values, ...this.#of.get(name)]);
    const found = [];
    for (let row = 0; row < points.count; row += 1) {
      if (!points.failed.has(row) && brushed.every(([values, low, high]) => values[row] >= low && values[row] <= high)) found.push(row);
    }
    return found;
  }

  /** Keys: move a brush by `by` steps; with `end` only its upper end. Without one it begins at the lower end. */
  step(column, by, end = false) {
    const places = placesOf(column);
    const last = places.length - 1;
    const [low, high] = this.get(column) ?? [];
    let [a, b] = low === undefined ? [by > 0 ? -1 : last + 1, by > 0 ? -1 : last + 1] : [nearestTo(places, low), nearestTo(places, high)];
    if (low === undefined || !end) {
      const move = clamp(by, -a, last - b);
      [a, b] = [clamp(a + move, 0, last), clamp(b + move, 0, last)];
    } else b = clamp(b + by, a, last);
    this.set(column, places[a], places[b]);
  }
}

/** Where keys put the ends of a brush: at each value, or where there are many, at some between the first and the last. */
export function placesOf(column) {
  const all = distinct(column);
  if (all.length <= 2 * STEPS) return all;
  return Array.from({ length: STEPS + 1 }, (_, k) => all[Math.round((k * (all.length - 1)) / STEPS)]);
}

const nearestTo = (places, x) => places.reduce((best, place, k) => (Math.abs(place - x) < Math.abs(places[best] - x) ? k : best), 0);
