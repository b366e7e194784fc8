// The lanes' names: of one group in two lines, with their share of the run; of several in one, each under its NPU.

import { write } from "../frame/canvas.js";
import { firstWhere } from "../frame/numbers.js";
import { percent } from "../frame/words.js";
import { LANE, LOW } from "./lanes.js";
import { NAMES } from "./stretch.js";

const INDENT = 13; // right of the triangle that says whether a group is open
const SHARE = 45; // wide enough for it

export function drawName(context, looks, run, lanes, lane) {
  if (lanes.many) return drawShort(context, looks, run, lanes, lane);
  const middle = lane.y + Math.max(LANE, lane.height) / 2;
  write(context, looks, lane.name, 0, middle - 7, 12.5);
  write(context, looks, `${percent(lane.busy / run.total)} of the run`, 0, middle + 8, 11, 0.75);
}

function drawShort(context, looks, run, lanes, lane) {
  const middle = lane.y + lane.height / 2;
  if (lane.first && lanes.folds.has(lane.group) && !lanes.heads.has(lane.group)) write(context, looks, lane.closed ? "▸" : "▾", 0, middle, 11);
  context.font = `11.5px ${looks.font}`;
  const room = NAMES - INDENT - SHARE;
  const wide = (text) => context.measureText(text).width;
  const whole = nameOf(run, lane, lanes.heads.has(lane.group));
  const name = cut(lane.closed && wide(whole) > room ? whole.split(", ")[0] : whole, room, wide);
  write(context, looks, name, INDENT, middle, 11.5);
  write(context, looks, percent(lane.busy / run.total), NAMES - 6, middle, 10.5, 0.75, "right");
}

/** The name of an open group in a line of its own, with room over the chart. */
export function drawHead(context, looks, name, y) {
  write(context, looks, "▾", 0, y + LOW / 2, 11);
  write(context, looks, name, INDENT, y + LOW / 2, 11.5);
}

/** Of a lane of several groups: a closed group's name; of an open group's lanes their own, after its name the first. */
export function nameOf({ groups }, { closed, first, group, short }, headed = false) {
  if (closed) return groups[group];
  return first && !headed ? `${groups[group]}, ${short}` : short;
}

/** As much of a text as there is room for. */
export function cut(text, room, wide) {
  const fits = (length) => wide(`${text.slice(0, length)}…`) <= room;
  return wide(text) <= room ? text : `${text.slice(0, firstWhere(0, text.length, (length) => !fits(length + 1)))}…`;
}
