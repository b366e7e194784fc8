// How each kind of span looks: letters and a hatch beside the colour.

import { hatch } from "../frame/canvas.js";

export const EXPOSED = "exposed communication";
export const LOOKS = [
  { name: "forward", letters: "F", fill: "#57ad88", hatch: "" },
  { name: "input gradient", letters: "IG", fill: "#f3e79b", hatch: "." },
  { name: "weight gradient", letters: "WG", fill: "#e2b6d2", hatch: "-" },
  { name: EXPOSED, letters: "E", fill: "#c4c4c4", hatch: "x" },
  { name: "reduce-scatter", letters: "RS", fill: "#f7b787", hatch: "/" },
  { name: "all-gather", letters: "AG", fill: "#93c8ee", hatch: "\\" },
  { name: "all-reduce", letters: "AR", fill: "#9c7fd0", hatch: "x" },
  { name: "all-to-all", letters: "A2A", fill: "#4d9c92", hatch: "|" },
  { name: "compute", letters: "", fill: "#57ad88", hatch: "" },
  { name: "backward", letters: "B", fill: "#c3c9f2", hatch: "/" },
  { name: "broadcast", letters: "B", fill: "#e6d5b8", hatch: "+" },
  { name: "send", letters: "", fill: "#e2b6d2", hatch: "-" },
  { name: "receive", letters: "", fill: "#f8ecf4", hatch: "." },
  { name: "message", letters: "", fill: "#d6e6f2", hatch: "" },
  { name: "memory access", letters: "", fill: "#c3c9f2", hatch: "o" },
  { name: "CPU", letters: "", fill: "#f3e79b", hatch: "|" },
  { name: "waits for other NPUs", letters: "", fill: "#ffffff", hatch: "." },
  { name: "bubble", letters: "", fill: "#f1f1f1", hatch: "" },
  { name: "note", letters: "", fill: "#ffffff", hatch: "" },
];
const QUIET = new Set(["waits for other NPUs", "bubble", "note"]); // nothing happens: to be seen through
const SEEN_THROUGH = 0.28;

/** How much of a look covers what is behind it. */
export const opacityOf = ({ name }) => (QUIET.has(name) ? SEEN_THROUGH : 1);

/** What a text on a look stands on: its colour without the hatch, or nothing. */
export const groundOf = ({ name, fill, hatch }) => (hatch && !QUIET.has(name) ? fill : "");

/** The number in LOOKS; a phase with a name of its own gets a look of its own. */
export function lookOf(name) {
  const known = LOOKS.findIndex((look) => look.name === name);
  if (known >= 0) return known;
  const letters = name.split(/[- ]/).map((word) => word[0].toUpperCase()).join("");
  return LOOKS.push({ name, letters, fill: "#dcdcdc", hatch: "|" }) - 1;
}

/** A bar; the hatch begins at `origin`, so that it moves with the bar. */
export function bar(context, look, x, y, width, height, origin = x) {
  context.fillStyle = look.fill;
  context.fillRect(x, y, width, height);
  if (look.hatch && width >= 4) hatch(context, look.hatch, [x, y, width, height], origin);
}
