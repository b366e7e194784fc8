// What stands below the stage: bars, lanes and curves, each with those of another setting as a ghost, and all as tables.

import { Bars } from "./bars.js";
import { CurveView } from "./curve_view.js";
import { LaneView } from "./lane_view.js";
import { showTables } from "./tables.js";

/** Before a prediction only open lanes. compared: [whose, data] of other settings. Returns what follows the stage. */
export function showPictures({ bars, charts, tables, numbers, patterns, veiled, reach }, scene, compared) {
  const [whose, other] = compared.at(-1) ?? [];
  const clicked = (name) => reach.click(name);
  bars.replaceChildren();
  charts.replaceChildren();
  const lanes = scene.lanes.filter(({ open }) => open || !veiled);
  const curves = veiled ? [] : scene.curves;
  scene.bars.forEach((one, i) => new Bars(bars, patterns, one, other?.scene.bars[i], whose));
  numbers.ontoggle = () => numbers.open && showTables(tables, scene); // they take long to build, and are seldom looked at
  numbers.ontoggle();
  return [
    ...lanes.map((one, i) => new LaneView(charts, patterns, one, { clicked, ghost: other?.scene.lanes[i], whose, bare: veiled })),
    ...curves.map((one, i) => new CurveView(charts, patterns, one, other?.scene.curves[i], whose)),
  ];
}
