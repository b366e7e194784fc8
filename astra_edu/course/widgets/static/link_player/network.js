// The network: its nodes and links, the messages on them, and how many wait.

import { make, put } from "../frame/dom.js";

const LABELLED = 100; // with more links, no numbers at them
const TOKEN = 8; // px of a message
const MOST_TOKENS = 600;
const LOSS = 1 / 400; // of the run: a loss is a moment; this long it is seen

/** The stroke of a link that sends for a share of the time. */
export const strokeOf = (share) => `stroke:var(--astra-level-${Math.ceil(5 * share - 1e-9)})`;

/** The point of a quadratic curve at `share` of its way. */
export function pointOn([, , , x1, y1, cx, cy, x2, y2], share) {
  const [a, b, c] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
  return [a * x1 + b * cx + c * x2, a * y1 + b * cy + c * y2];
}

/** Where the number of waiting messages stands: left of the link's beginning. */
export function beside([, , , x1, y1, , , x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [across, along] = [(y2 - y1) / length, (x2 - x1) / length];
  const away = 6 + 15 * Math.abs(across) + 8 * Math.abs(along); // halves of a number's width and height, and the link's
  return [x1 + 0.2 * (x2 - x1) + away * across, y1 + 0.2 * (y2 - y1) - away * along + 4];
}

export class Network {
  constructor(box, data) {
    this.data = data;
    const svg = make("svg", { viewBox: `0 0 ${data.size.join(" ")}`, "aria-hidden": "true" });
    const wires = make("g", {}, svg);
    this.wires = data.links.map(([, , , x1, y1, cx, cy, x2, y2]) => make("path", { class: "astra-link", d: `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}` }, wires));
    for (const node of data.nodes) this.#makeNode(svg, node, data.radius);
    this.messages = make("path", { class: "astra-message" }, svg);
    this.crosses = make("path", { class: "astra-cross" }, svg);
    this.waiting = data.links.length > LABELLED ? [] : data.links.map((link) => {
      const [x, y] = beside(link);
      return make("text", { class: "astra-waiting", x, y }, svg);
    });
    for (const [text, , , isSwitch, x, y] of data.nodes) { // over everything else
      if (isSwitch) make("text", { class: "astra-switch-name", x, y: y + 4, text }, svg);
    }
    box.replaceChildren(svg);
  }

  #makeNode(svg, [name, x, y, isSwitch], r) {
    if (isSwitch) {
      make("rect", { class: "astra-net-node", x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 3 }, svg);
    } else {
      make("circle", { class: "astra-net-node", cx: x, cy: y, r }, svg);
      if (r >= 7) make("text", { class: "astra-plain", x, y: y + 4, text: name }, svg);
    }
  }

  draw(states, time, followed) {
    states.forEach((state, i) => this.#drawLink(i, state, i === followed));
    this.#drawMessages(states);
    this.#drawLosses(time);
  }

  #drawLink(i, { share, sending, waiting }, followed) {
    const wire = this.wires[i];
    put(wire, "class", `astra-link${sending ? "" : " astra-idle"}${followed ? " astra-followed" : ""}`);
    put(wire, "style", strokeOf(share));
    put(wire, "stroke-width", (1.2 + 4.3 * share + (followed ? 1.5 : 0)).toFixed(2));
    if (this.waiting.length) put(this.waiting[i], "text", waiting ? `+${waiting}` : "");
  }

  #drawMessages(states) {
    const places = states.flatMap(({ underWay }, i) => underWay.map((share) => pointOn(this.data.links[i], share)));
    const token = ([x, y]) => `M${(x - TOKEN / 2).toFixed(1)} ${(y - TOKEN / 2).toFixed(1)}h${TOKEN}v${TOKEN}h${-TOKEN}z`;
    put(this.messages, "d", places.slice(0, MOST_TOKENS).map(token).join(""));
  }

  #drawLosses(time) {
    const { lost, links, total_ns: total } = this.data;
    const now = lost.filter(([, at]) => at <= time && at > time - LOSS * total);
    const cross = ([, , , x, y]) => `M${x - 6} ${y - 6}l12 12m0 -12l-12 12`;
    put(this.crosses, "d", [...new Set(now.map(([i]) => cross(links[i])))].join(""));
  }
}

export function makeLegend(legend, data) {
  legend.replaceChildren();
  const key = (text, draw) => {
    const place = make("span", { class: "astra-key" }, legend);
    if (draw) draw(make("svg", { viewBox: "0 0 44 14", "aria-hidden": "true" }, place));
    make("span", { text }, place);
  };
  key("share of the time so far in which a link sends: the more, the wider it is and the stronger its colour", (svg) => {
    for (const level of [1, 3, 5]) {
      make("path", { class: "astra-link", d: `M${2 + 7 * (level - 1)} 7h12`, style: strokeOf(level / 5), "stroke-width": 1.2 + 0.86 * level }, svg);
    }
  });
  key("idle now", (svg) => make("path", { class: "astra-link astra-idle", d: "M2 7h40", style: strokeOf(2 / 5), "stroke-width": 2 }, svg));
  key("a message", (svg) => make("path", { class: "astra-message", d: "M18 3h8v8h-8z" }, svg));
  key("+3: three wait for the link");
  if (data.lost.length) key("a packet is lost", (svg) => make("path", { class: "astra-cross", d: "M18 3l8 8m0 -8l-8 8" }, svg));
  key("behind the slider: the share of all links that send");
}

/** How many of the links send, over time. */
export function drawLoad(strip, busy) {
  const svg = make("svg", { viewBox: `0 0 ${busy.length} 1`, preserveAspectRatio: "none" });
  const steps = busy.map((share, k) => `L${k} ${1 - share}L${k + 1} ${1 - share}`).join("");
  make("path", { class: "astra-load", d: `M0 1${steps}L${busy.length} 1z` }, svg);
  strip.replaceChildren(svg);
}
