// The stretch of time that is shown, kept inside the run, and where its times are on the canvas, in CSS pixels.

import { clamp } from "../frame/numbers.js";

export const NAMES = 172; // left of the lanes
const SHORTEST = 2; // ns that fill the whole width at the deepest zoom

export class Stretch {
  constructor() {
    Object.assign(this, { from: 0, to: 0, total: 0, width: NAMES });
  }

  get length() {
    return this.to - this.from;
  }

  get middle() {
    return (this.from + this.to) / 2;
  }

  get whole() {
    return this.from === 0 && this.to === this.total;
  }

  /** CSS pixels of a ns. */
  get scale() {
    return (this.width - NAMES) / this.length;
  }

  x(time) {
    return NAMES + (time - this.from) * this.scale;
  }

  time(x) {
    return this.from + (x - NAMES) / this.scale;
  }

  look(from, to) {
    const { total } = this;
    const length = clamp(to - from, Math.min(SHORTEST, total), total);
    this.from = clamp(from, 0, total - length);
    this.to = length === total ? total : this.from + length;
  }

  /** Where to look to show `by` times as much, with a time staying in its place. */
  zoomed(by, time) {
    return [time - (time - this.from) * by, time + (this.to - time) * by];
  }

  /** The same length, so many times that length later. */
  panned(by) {
    return [this.from + by * this.length, this.to + by * this.length];
  }

  /** A stretch of time with some room at both sides. */
  around(start, end) {
    const room = Math.max(end - start, 1) / 4;
    return [start - room, end + room];
  }

  /** Where to look so that a stretch of time is in sight; null if it is. */
  showing(start, end) {
    const { from, to, length } = this;
    const apart = end <= from || start >= to;
    if (!apart && (end - start >= length || (start >= from && end <= to))) return null;
    const middle = (start + Math.min(end, start + length)) / 2;
    return [middle - length / 2, middle + length / 2];
  }
}
