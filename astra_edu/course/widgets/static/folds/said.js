// A step in words and numbers.

import { count, percent } from "../frame/words.js";

const HELD = { weight: "a weight", output: "an output", input: "an input" };
export const DATAFLOWS = Object.keys(HELD);
export const FIGURES = ["fold", "cycle", "PEs that hold something", "MACs done"];

/** The values of FIGURES. */
export function figures(data, [start, end], step) {
  const which = end - start > 1 ? `${count(start + 1)}–${count(end)}` : count(end);
  return [
    `${which} of ${count(data.fold_count)}`,
    `${count(step ? data.end[step - 1] : 0)} of ${count(data.cycles)}`,
    `${step ? percent(data.held[step - 1]) : "–"} now, ${percent(data.mapping)} as a mean`,
    `${step ? percent(data.done[step - 1]) : "–"} so far, ${percent(data.compute)} at the end`,
  ];
}

/** Below the arrays: how much of them is taken. */
export function taken({ data, rows, columns }, [start, end], step) {
  if (!step) return "nothing yet";
  if (end - start > 1) return `${percent(data.held[step - 1])} of all PEs hold ${HELD[data.holds]}`;
  const idle = data.array[0] * data.array[1] - rows[start] * columns[start];
  return `${rows[start]} × ${columns[start]} PEs hold ${HELD[data.holds]}, ${count(idle)} idle`;
}

const range = (from, size) => (size > 1 ? `${count(from)} to ${count(from + size - 1)}` : count(from));

export function sentence(plane, [start, end], step) {
  const { data } = plane;
  if (!step) return `Before the first of ${count(data.fold_count)} folds. Press play, or → for one round.`;
  const [along, across] = data.axes;
  const when = `cycles ${count(data.end[step - 1] - data.fold_cycles + 1)} to ${count(data.end[step - 1])}`;
  const share = percent(data.held[step - 1]);
  if (end - start > 1) {
    return `Round ${count(step)} of ${count(data.rounds)}, folds ${count(start + 1)} to ${count(end)}, ${when}: one fold on each of ${end - start} arrays; ${share} of all PEs hold ${HELD[data.holds]}.`;
  }
  const where = `${along} ${range(plane.row[start], plane.rows[start])} along the rows, ${across} ${range(plane.column[start], plane.columns[start])} along the columns`;
  return `Fold ${count(end)} of ${count(data.fold_count)}, ${when}: ${where}; ${share} of ${data.array[2] > 1 ? "all" : "the"} PEs hold ${HELD[data.holds]}.`;
}
