// What happens in a schedule: positions of the steps, who holds what when.
// A position is in beats (clock "steps") or in ns (clock "time").

import { clamp, firstWhere, upTo } from "../frame/numbers.js";
import { TINY } from "../frame/playback.js";

const LONG_S = 24; // to play everything at speed 1, if no beat is shorter or longer than it may be

export class Film {
  constructor(data) {
    this.data = data;
    this.count = data.steps.length;
    this.beat = clamp(LONG_S / Math.max(1, this.count), 0.3, 1.5); // seconds a step takes at speed 1
    this.cells = new Map(); // who holds what, as changes: {set, steps, time} lists, by NPU and shard
    for (const [npu, shard, set] of data.start ?? []) this.#change(npu, shard, set, -Infinity, -Infinity);
    this.arrivals = [];
    data.steps.forEach((step, k) => {
      for (const token of [...step.tokens].sort((a, b) => a[7] - b[7])) {
        token[2].forEach((shard, i) => this.#change(token[1], shard, token[3][i], k + 1, token[7]));
        this.arrivals.push(token[7]);
      }
    });
    this.arrivals.sort((a, b) => a - b);
  }

  #change(npu, shard, set, beat, ns) {
    const key = npu * this.data.names.length + shard;
    if (!this.cells.has(key)) this.cells.set(key, { set: [], steps: [], time: [] });
    const cell = this.cells.get(key);
    cell.set.push(set);
    cell.steps.push(beat);
    cell.time.push(ns);
  }

  /** The number of the set of contributors that `npu` holds of `shard` at a position. */
  held(npu, shard, position, clock) {
    const cell = this.cells.get(npu * this.data.names.length + shard);
    return cell ? (cell.set[upTo(cell[clock], position + TINY) - 1] ?? 0) : 0;
  }

  /** Changes only when a shard has arrived since. */
  arrived(position, clock) {
    return clock === "steps" ? Math.floor(position + TINY) : upTo(this.arrivals, position + TINY);
  }

  mark(step, clock) {
    return clock === "time" ? this.data.marks[step] : step;
  }

  total(clock) {
    return this.mark(this.count, clock);
  }

  /** The step a position belongs to: 0 before the first, k from its start until the next one's. */
  step(position, clock) {
    if (clock === "steps") return clamp(Math.ceil(position - TINY), 0, this.count);
    const { marks } = this.data;
    return Math.min(firstWhere(0, marks.length, (k) => marks[k] >= position - TINY), this.count);
  }

  /** Where one step on from a position is over (by 1), or one back (by -1). */
  after(position, clock, by = 1) {
    const k = this.step(position, clock);
    const inside = this.mark(k, clock) - position > TINY;
    return this.mark(clamp(by > 0 && inside ? k : k + by, 0, this.count), clock);
  }

  convert(position, from, to) {
    const k = this.step(position, from);
    if (k === 0) return 0;
    const [low, high] = [this.mark(k - 1, from), this.mark(k, from)];
    const share = high > low ? (position - low) / (high - low) : 1;
    return this.mark(k - 1, to) + share * (this.mark(k, to) - this.mark(k - 1, to));
  }

  /** The same by one clock, for a Playback. */
  by(clock) {
    const end = this.total(clock);
    return { end, rate: end / Math.max(1, this.count) / this.beat, beat: this.beat, after: (position) => this.after(position, clock) };
  }
}

/** How far a token of step `k` is: below 0 not yet sent, above 1 arrived. */
export function progress(step, k, token, position, clock) {
  if (clock === "time") return (position - token[6]) / Math.max(TINY, token[7] - token[6]);
  return (position - k - token[5]) / (1 - step.spread);
}

/** The same in a picture that doesn't move: every token is half way. */
export const halfWay = (step, token) => clamp((0.5 - token[5]) / (1 - step.spread), 0.01, 0.99);

/** The point of a cubic curve at `t`. */
export function along([a, b, c, d], t) {
  const s = 1 - t;
  const w = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return [0, 1].map((i) => w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i]);
}
