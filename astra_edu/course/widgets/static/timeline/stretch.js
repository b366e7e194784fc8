// The stretch of time that is shown, kept inside the run, and the lanes' places on the canvas, in CSS pixels.

import { clamp } from "../frame/numbers.js";

export const NAMES = 172; // left of the lanes
export const AXIS = 30; // above them
export const LANE = 36;
const GAP = 9; // between them; the line that shows a span's waiting runs here
const ROWS = 120; // of the rows of a lane together
const SHORTEST = 2; // ns that fill the whole width at the deepest zoom
const REACH = 4; // how far from a span the pointer still finds it

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

  /** Where to look so that a stretch of time is in sight; null if it is. */
  showing(start, end) {
    const { from, to, length } = this;
    const apart = end <= from || start >= to;
    if (!apart && (end - start >= length || (start >= from && end <= to))) return null;
    const middle = (start + Math.min(end, start + length)) / 2;
    return [middle - length / 2, middle + length / 2];
  }
}

/** Put the lanes below each other; returns how high they are in all. */
export function arrange(lanes) {
  let y = AXIS;
  for (const lane of lanes) {
    const rows = lane.tracks.length;
    lane.y = y;
    lane.row = rows > 1 ? clamp(ROWS / rows, 3, 20) : LANE;
    lane.height = lane.row * rows;
    y += Math.max(LANE, lane.height) + GAP;
  }
  return y + 2;
}

/** The span at a point of the canvas, or null. */
export function spanAt(run, stretch, x, y) {
  if (x < NAMES - REACH) return null;
  const lane = run.lanes.find((lane) => y >= lane.y && y < lane.y + lane.height);
  const track = lane?.tracks[Math.floor((y - lane.y) / lane.row)];
  return track ? run.near(track, stretch.time(x), REACH / stretch.scale) : null;
}
