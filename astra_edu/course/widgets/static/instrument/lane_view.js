// Lanes: blocks over a time. A block that is clicked, or reached with the arrow keys, says what it is and what it waited for.

import { make, put } from "../frame/dom.js";
import { axis, tickWords } from "./axes.js";
import { WHOSE } from "./changes.js";
import { makeLegend, place } from "./looks.js";

const LANES = { width: 640, left: 136, right: 14, row: 24, high: 18, top: 4, bottom: 18 };
const LETTER = 5.8; // how wide one is, about

export class LaneView {
  /** clicked(name): a block was clicked. ghost: the lanes of another setting. bare: whether the time isn't to be told. */
  constructor(root, patterns, lanes, { clicked, ghost, whose, bare }) {
    Object.assign(this, { patterns, lanes, clicked, bare });
    const { width, left, right, row, top, bottom } = LANES;
    const figure = make("figure", { class: "astra-lanes" }, root);
    make("figcaption", { text: bare ? lanes.title : `${lanes.title}, ${lanes.unit}` }, figure);
    const height = top + row * lanes.lanes.length + bottom;
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${lanes.title}: ${lanes.blocks.length} blocks; arrow keys go from one to the next` }, make("div", { class: "astra-swipe" }, figure));
    this.x = axis(0, Math.max(lanes.end, bare ? 0 : ghost?.end ?? 0) || 1, false, left, width - right);
    this.#ground(svg, height);
    this.blocks = lanes.blocks.map((block) => this.#block(svg, block));
    this.head = make("path", { class: "astra-playhead", visibility: "hidden" }, svg);
    if (ghost && !bare) make("path", { class: "astra-ghost", d: `M${this.x.at(ghost.end)} 0V${height - bottom + 4}` }, svg);
    const legend = makeLegend(figure, patterns, lanes.blocks.map(({ look }) => look));
    if (ghost && !bare) make("span", { text: `dashed: end of the ${WHOSE[whose]}` }, legend);
    this.said = make("p", { class: "astra-block-said", "aria-live": "polite" }, figure);
    this.current = 0;
    if (this.blocks.length) put(this.blocks[0].group, "tabindex", 0);
  }

  #ground(svg, height) {
    const { lanes, x } = this;
    lanes.lanes.forEach((name, i) => {
      const y = LANES.top + i * LANES.row;
      make("path", { class: "astra-grid", d: `M${LANES.left} ${y + LANES.high + 2}H${LANES.width - LANES.right}` }, svg);
      make("text", { class: "astra-name", x: LANES.left - 8, y: y + 13, text: name }, svg);
    });
    for (const tick of this.bare ? [] : x.ticks) make("text", { x: x.at(tick), y: height - 4, text: tickWords(tick) }, svg);
  }

  #block(svg, block) {
    const group = make("g", { "data-block": block.name, class: "astra-block", tabindex: -1, role: "button", "aria-label": this.#says(block) }, svg);
    const box = this.patterns.box(group);
    this.patterns.dress(box, block.look);
    const [from, to] = [this.x.at(block.start), this.x.at(block.end)];
    const y = LANES.top + this.lanes.lanes.indexOf(block.lane) * LANES.row;
    place(box, [from, y, Math.max(0.75, to - from), LANES.high]);
    if (block.text && block.text.length * LETTER + 4 < to - from) this.patterns.clear(make("text", { class: "astra-word", x: (from + to) / 2, y: y + 13, text: block.text }, group), block.look);
    make("title", { text: this.#says(block) }, group);
    group.addEventListener("click", () => this.#take(block));
    group.addEventListener("keydown", (event) => this.#key(event, block));
    return { block, group };
  }

  #says({ title, text, look, lane, start, end }) {
    const what = title || text || look;
    return this.bare ? what : `${lane}, ${tickWords(start)} to ${tickWords(end)} ${this.lanes.unit}: ${what}`;
  }

  #key(event, block) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = { ArrowRight: () => this.#go(1), ArrowLeft: () => this.#go(-1), Enter: () => this.#take(block), " ": () => this.#take(block) };
    if (!acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }

  #go(by) {
    const next = this.blocks[this.current + by];
    if (!next) return;
    this.#take(next.block, false);
    next.group.focus();
  }

  #take(block, tell = true) {
    const { blocks } = this;
    put(blocks[this.current].group, "tabindex", -1);
    this.current = blocks.findIndex((other) => other.block === block);
    put(blocks[this.current].group, "tabindex", 0);
    for (const other of blocks) {
      other.group.classList.toggle("astra-chosen", other.block === block);
      other.group.classList.toggle("astra-because", !this.bare && block.because.includes(other.block.name));
    }
    put(this.said, "text", this.#says(block));
    if (tell) this.clicked(block.name);
  }

  /** Show where in the time the stage has got; null: it has none. */
  show(time) {
    put(this.head, "visibility", time === null || this.bare ? "hidden" : "visible");
    if (time !== null) put(this.head, "d", `M${this.x.at(time).toFixed(2)} 0V${LANES.top + LANES.row * this.lanes.lanes.length}`);
  }
}
