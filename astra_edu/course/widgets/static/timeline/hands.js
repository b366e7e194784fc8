// Pointer, wheel and keys: what they do with the timeline.

import { clamp } from "../frame/numbers.js";
import { NAMES } from "./stretch.js";

const STILL = 3; // px that a click may move
const LINES = [1, 16, 400]; // px of the wheel's units: pixels, lines, pages

export const actsOf = (view) => ({
  ArrowLeft: () => view.pan(-0.1),
  ArrowRight: () => view.pan(0.1),
  "Shift+ArrowLeft": () => view.step(-1),
  "Shift+ArrowRight": () => view.step(1),
  ArrowUp: () => view.change(-1),
  ArrowDown: () => view.change(1),
  n: () => view.step(1),
  p: () => view.step(-1),
  "+": () => view.zoom(0.5),
  "=": () => view.zoom(0.5),
  "-": () => view.zoom(2),
  0: () => view.look(0, view.stretch.total),
  Home: () => view.look(0, view.to - view.from),
  End: () => view.look(view.stretch.total - (view.to - view.from), view.stretch.total),
  Enter: () => view.zoomTo(view.focus),
  Escape: () => view.choose(null),
  "/": () => view.search.focus(),
  o: () => view.toggle(view.run.lanes[view.lane ?? 0].group),
  O: () => view.toggleAll(),
});

/** Where an event is, as lanes are placed: below all that is scrolled away. */
function placeOf({ clientX, clientY }, { canvas, plot }) {
  const box = canvas.getBoundingClientRect();
  return [clientX - box.left, clientY - box.top + plot.scrollTop];
}

/** Drag to move, click to keep a span or to open lanes by their name, double-click to zoom to it, point at it to read its facts. */
export function hearPointer(plot, view) {
  let drag = null;
  const at = (event) => view.at(...placeOf(event, view));
  plot.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    plot.setPointerCapture(event.pointerId);
    drag = { x: placeOf(event, view)[0], from: view.from, moved: false };
  });
  plot.addEventListener("pointermove", (event) => {
    if (!drag) return view.point(at(event));
    const by = placeOf(event, view)[0] - drag.x;
    drag.moved ||= Math.abs(by) > STILL;
    if (!drag.moved) return;
    const from = drag.from - by / view.scale;
    view.look(from, from + view.to - view.from);
  });
  plot.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) view.click(...placeOf(event, view));
    drag = null;
  });
  plot.addEventListener("pointercancel", () => (drag = null));
  plot.addEventListener("pointerleave", () => view.point(null));
  plot.addEventListener("dblclick", (event) => view.zoomTo(at(event)));
  plot.addEventListener("wheel", (event) => turn(event, view), { passive: false });
  plot.addEventListener("scroll", () => view.draw());
}

/** Without focus or Ctrl the wheel moves the page, as everywhere on it; where lanes scroll, it scrolls them. */
function turn(event, view) {
  const mine = !view.lanes.many && document.activeElement === view.plot;
  if (!(event.ctrlKey || event.metaKey || mine)) return;
  event.preventDefault();
  const { deltaX, deltaY, shiftKey } = event;
  const px = LINES[event.deltaMode];
  if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) view.pan(((deltaX || deltaY) * px) / 1000);
  else view.zoom(1.0015 ** clamp(deltaY * px, -400, 400), view.time(Math.max(placeOf(event, view)[0], NAMES)));
}
