// The dashboard: one design or two, their comparison, and the page's address, which always names what is on show.

import { Design, add } from "./design.js";
import { Line } from "./line.js";

const WAIT_MS = 300; // browsers refuse to change the address more often
const SIDES = ["a", "b"];
const kinds = JSON.parse(document.body.dataset.kinds);
const [first] = Object.keys(kinds);
const part = (id) => document.getElementById(id);
const designs = new Map();
let timer = null;

const line = new Line({
  open: () => (designs.size ? designs.forEach((design) => design.again()) : begin()),
  answer(message) {
    if (message.stopped) {
      lost(message.stopped);
      designs.forEach((design) => design.again());
    } else if (!designs.has(message.side)) lost(message.problem ?? "");
    else {
      if (message.set?.answered) lost("");
      designs.get(message.side).heardOf(message);
    }
  },
  lost,
});

function lost(sentence) {
  part("lost").textContent = sentence;
  part("lost").hidden = !sentence;
}

/** What the address names. */
function begin() {
  const wanted = new URLSearchParams(location.search);
  for (const side of SIDES) {
    const [kind, ...setting] = (wanted.get(side) ?? "").split(":");
    if (kind in kinds) design(side).open(kind, setting.join(":"));
    else if (side === "a") design(side).open(first, "");
  }
}

function design(side) {
  const made = new Design(part("designs"), side, kinds, {
    say: (message) => line.say(message),
    changed,
    close: () => close(side),
  });
  designs.set(side, made);
  return made;
}

function close(side) {
  line.say({ side, close: true });
  designs.get(side).end();
  designs.delete(side);
  changed();
}

function changed() {
  const two = designs.size === 2;
  part("designs").classList.toggle("two", two);
  part("second").hidden = two;
  part("link").hidden = false;
  const [left, right] = SIDES.map((side) => designs.get(side)).filter(Boolean);
  left.beside(right);
  right?.beside(left);
  compare(left, right);
  timer ??= setTimeout(address, WAIT_MS);
}

function address() {
  timer = null;
  const wanted = new URLSearchParams();
  for (const [side, { kind, text }] of [...designs].sort()) wanted.set(side, `${kind}:${text}`);
  history.replaceState(null, "", `?${wanted}`);
}

/** Their numbers side by side, and what the second is against the first. */
function compare(left, right) {
  const box = part("compared");
  box.hidden = !(left?.data && right?.data);
  box.replaceChildren();
  if (box.hidden) return;
  const [one, other] = [left.data.scene.numbers, right.data.scene.numbers];
  const names = Object.keys(one).filter((name) => name in other);
  if (!names.length) return void add(box, "p", { textContent: "These two have no number in common." });
  const table = add(box, "table", {});
  const head = add(add(table, "thead", {}), "tr", {});
  add(head, "td", {});
  const [first, second] = [left.side.toUpperCase(), right.side.toUpperCase()];
  for (const textContent of [first, second, `${second} against ${first}`]) add(head, "th", { scope: "col", textContent });
  const body = add(table, "tbody", {});
  for (const name of names) {
    const row = add(body, "tr", {});
    add(row, "th", { scope: "row", textContent: name });
    const [[a, saidA], [b, saidB]] = [one[name], other[name]];
    for (const textContent of [saidA, saidB, percent(a, b)]) add(row, "td", { textContent });
  }
}

function percent(from, to) {
  if (from === to) return "the same";
  if (!from) return "";
  const share = (100 * (to - from)) / from;
  return `${share < 0 ? "−" : "+"}${Math.abs(share).toFixed(1)} %`;
}

part("second").onclick = () => {
  const [shown] = designs.values();
  design(shown.side === "a" ? "b" : "a").open(shown.kind, shown.data?.text ?? "");
};

part("link").onclick = async () => {
  clearTimeout(timer);
  address();
  try {
    await navigator.clipboard.writeText(location.href);
    part("told").textContent = "copied";
  } catch {
    part("told").textContent = "it stands in the address bar";
  }
};
