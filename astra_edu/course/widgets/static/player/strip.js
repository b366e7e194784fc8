// The strip under the picture: which phase is when, on the clock in use.

import { make, put } from "../frame/dom.js";
import { makeTrack } from "../frame/transport.js";

const MOST_TICKS = 128;

export class Strip {
  constructor(panel, deck) {
    Object.assign(this, makeTrack(panel, deck, { "aria-label": "Position in the schedule" }));
  }

  load({ phases }, count) {
    this.phases = phases;
    this.clock = null; // for which it is laid out
    this.segments = phases.map(({ op, label }) => {
      const segment = make("div", { class: `astra-segment astra-${op}`, title: label });
      make("span", { text: label }, segment);
      return segment;
    });
    this.ticks = make("div", { class: "astra-ticks" });
    if (count <= MOST_TICKS) for (let k = 1; k < count; k += 1) make("i", {}, this.ticks);
    this.strip.replaceChildren(...this.segments, this.ticks);
  }

  draw(film, position, clock, text) {
    if (clock !== this.clock) this.#arrange(film, clock);
    if (Number(this.range.value) !== position) this.range.value = position;
    put(this.range, "aria-valuetext", text);
  }

  #arrange(film, clock) {
    this.clock = clock;
    const total = film.total(clock);
    const left = (k) => `${(100 * film.mark(Math.min(k, film.count), clock)) / (total || 1)}%`;
    this.segments.forEach(({ style }, i) => {
      const { first, count } = this.phases[i];
      style.left = left(first);
      style.right = `calc(100% - ${left(first + count)})`;
    });
    [...this.ticks.children].forEach(({ style }, i) => (style.left = left(i + 1)));
    put(this.range, "max", total);
  }
}
