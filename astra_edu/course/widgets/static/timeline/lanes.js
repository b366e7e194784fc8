// The lanes' places below each other, in CSS pixels: those of an NPU (or the links) are a group, closed until opened.

import { clamp } from "../frame/numbers.js";
import { NAMES } from "./stretch.js";

export const AXIS = 30; // above the lanes
export const LANE = 36;
export const NEXT = 4;
const GAP = 9; // between them; the line that shows a span's waiting runs here
const LOW = 18; // a lane where there are several groups; NEXT is the gap below it
const HIGHEST = 620; // of all lanes together, before they scroll
const ROWS = 120; // of the rows of a lane together
const REACH = 4; // how far from a span the pointer still finds it

export class Lanes {
  constructor() {
    this.open = new Set(); // groups whose lanes are all shown
  }

  load(run) {
    this.run = run;
    this.open = new Set([...this.open].filter((group) => run.folds.has(group)));
    this.#arrange();
  }

  /** Of a closed group those lanes that are shown at all share one place, as their spans never overlap. */
  #arrange() {
    const { lanes, many } = this.run;
    const [least, gap] = many ? [LOW, NEXT] : [LANE, GAP];
    let y = AXIS;
    lanes.forEach((lane, i) => {
      const rows = lane.tracks.length;
      lane.first = lanes[i - 1]?.group !== lane.group;
      lane.closed = many && !this.open.has(lane.group);
      lane.hidden = lane.closed && !lane.shut && !lane.first;
      lane.row = rows > 1 ? clamp(ROWS / rows, 3, 20) : least;
      lane.height = lane.row * rows;
      lane.y = lane.closed && !lane.first ? lanes[i - 1].y : y;
      if (lane.first || !lane.closed) y += Math.max(least, lane.height) + gap;
    });
    this.height = y + 2; // of all
    this.seen = many ? Math.min(this.height, HIGHEST) : this.height; // at once
  }

  /** Open or close a group; returns whether it can be. */
  toggle(group) {
    if (!this.run.folds.has(group)) return false;
    if (!this.open.delete(group)) this.open.add(group);
    this.#arrange();
    return true;
  }

  /** Close what is open; open all if nothing is. */
  toggleAll() {
    this.open = this.open.size ? new Set() : new Set(this.run.folds);
    this.#arrange();
  }

  /** Those at a height: several where a closed group's share their place. */
  at(y) {
    return this.run.lanes.filter((lane) => !lane.hidden && y >= lane.y && y < lane.y + lane.height);
  }

  /** The group whose name is at a point, if there are several. */
  named(x, y) {
    return this.run.many && x < NAMES - REACH ? this.at(y)[0]?.group : undefined;
  }

  /** Whether a lane can be seen with all scrolled up by `top`. */
  inSight({ hidden, y, height }, top) {
    return !hidden && y < top + this.seen && y + height > top;
  }

  /** How far to scroll for a lane to be seen; as far as now where it is. */
  scrolled({ y, height }, top) {
    return clamp(top, y + height + NEXT - this.seen, y - AXIS);
  }

  /** The span at a point, or null; what is scrolled up by `top` is below the axis no longer. */
  spanAt(stretch, x, y, top = 0) {
    if (x < NAMES - REACH || y < top + AXIS - GAP) return null;
    const { run } = this;
    const time = stretch.time(x);
    const tracks = this.at(y).map((lane) => lane.tracks[Math.floor((y - lane.y) / lane.row)]);
    const near = tracks.map((track) => run.near(track, time, REACH / stretch.scale)).filter((span) => span !== null);
    return near.sort((a, b) => run.away(a, time) - run.away(b, time))[0] ?? null;
  }
}
