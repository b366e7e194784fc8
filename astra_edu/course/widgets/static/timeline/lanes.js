// Where the lanes are below each other, in CSS pixels, and which are open. With several NPUs each has a group of lanes.

import { clamp } from "../frame/numbers.js";
import { NAMES } from "./stretch.js";

export const AXIS = 30; // above the lanes
export const LANE = 36;
export const GAP = 9; // between them; the line that shows a span's waiting runs here
export const NEXT = 4; // between them where there are many,
export const LOW = 18; // which are lower, too
const ROWS = 120; // of the rows of a lane together
const HIGHEST = 620; // of all lanes together, before they scroll
const REACH = 4; // how far from a span the pointer still finds it

export class Lanes {
  /** open: groups whose lanes are all shown, of an earlier run. */
  constructor({ lanes, groups }, open = new Set()) {
    this.lanes = lanes;
    this.many = groups.length > 1;
    this.folds = new Set(this.many ? lanes.filter(({ shut }) => !shut).map(({ group }) => group) : []);
    this.open = new Set([...open].filter((group) => this.folds.has(group)));
    this.#arrange();
  }

  /** Of a closed group those that are shown at all share one place, as they never overlap. */
  #arrange() {
    const { lanes, many } = this;
    const [least, gap] = many ? [LOW, NEXT] : [LANE, GAP];
    let y = AXIS;
    this.heads = new Map(); // where the names of open groups stand that have no lane of their own, such as the links
    lanes.forEach((lane, i) => {
      const rows = lane.tracks.length;
      lane.first = lanes[i - 1]?.group !== lane.group;
      lane.closed = many && !this.open.has(lane.group);
      lane.hidden = lane.closed && !lane.shut && !lane.first;
      lane.row = rows > 1 ? clamp(ROWS / rows, 3, 20) : least;
      lane.height = lane.row * rows;
      if (lane.first && !lane.closed && this.#headed(lane.group)) {
        this.heads.set(lane.group, y);
        y += LOW + gap;
      }
      lane.y = lane.closed && !lane.first ? lanes[i - 1].y : y;
      if (lane.first || !lane.closed) y += Math.max(least, lane.height) + gap;
    });
    this.height = y + 2;
    this.seen = many ? Math.min(this.height, HIGHEST) : this.height;
  }

  /** Whether a group has a line for its name while it is open: where no lane stands for the whole of it. */
  #headed(group) {
    return this.folds.has(group) && !this.lanes.some((lane) => lane.group === group && lane.shut);
  }

  /** The group whose name is at a place, if any. */
  groupAt(y) {
    for (const [group, top] of this.heads) if (y >= top && y < top + LOW) return group;
    return this.at(y)[0]?.group;
  }

  /** Open or close a group; returns whether it can be. */
  toggle(group) {
    if (!this.folds.has(group)) return false;
    if (!this.open.delete(group)) this.open.add(group);
    this.#arrange();
    return true;
  }

  toggleAll() {
    this.open = this.open.size ? new Set() : new Set(this.folds);
    this.#arrange();
  }

  at(y) {
    return this.lanes.filter((lane) => !lane.hidden && y >= lane.y && y < lane.y + lane.height);
  }

  /** Whether a lane is on the canvas, scrolled down by `top`. */
  inSight({ hidden, y, height }, top) {
    return !hidden && y < top + this.seen && y + height > top;
  }

  /** How far to scroll, from `top`, so that a lane is in sight. */
  scrollTo({ y, height }, top) {
    return this.many ? clamp(top, y + height + NEXT - this.seen, y - AXIS) : top;
  }
}

/** Whether a place on the canvas is one of the lanes' names. */
export const onNames = (x) => x < NAMES - REACH;

/** The span at a place on the canvas, scrolled down by `top`, or null. */
export function spanAt(run, lanes, stretch, x, y, top = 0) {
  if (onNames(x) || y < top + AXIS - GAP) return null;
  const time = stretch.time(x);
  const near = lanes.at(y).map((lane) => lane.tracks[Math.floor((y - lane.y) / lane.row)])
    .map((track) => (track ? run.near(track, time, REACH / stretch.scale) : null)).filter((span) => span !== null);
  return near.sort((a, b) => run.away(a, time) - run.away(b, time))[0] ?? null;
}
