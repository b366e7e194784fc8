// The stage: pieces that move from step to step, between frames and lines that don't.

import { make, put } from "../frame/dom.js";
import { clamp } from "../frame/numbers.js";
import { STILL_S } from "../frame/playback.js";
import { Hands } from "./hands.js";
import { makeLegend, place } from "./looks.js";
import { StageLink } from "./stage_link.js";

const STEP_S = 1.6; // playing, from one step to the next
const MOVES = 0.6; // the share of it in which pieces move
const MOMENT_S = 0.8; // from one moment of a clock to the next, where pieces move all the time
const WAY = 0.75; // the share of their time that they take to what they come by

/** A stage's steps, to be played: they stand on whole numbers. */
export function film(stage) {
  const end = stage ? stage.steps.length - 1 : 0;
  const step = (at, by) => clamp(by > 0 ? Math.floor(at + 1e-6) + 1 : Math.ceil(at - 1e-6) - 1, 0, end);
  return { end, rate: 1 / (stage?.clock ? MOMENT_S : STEP_S), beat: 3 * STILL_S, step, after: (at) => step(at, 1), shown: (at) => at };
}

const smooth = (t) => t * t * (3 - 2 * t);

const between = (a, b, t) => a.map((x, i) => x + (b[i] - x) * t);

/** From box a to box b, by way of a third one if there is one. */
function onTheWay(a, b, by, t) {
  if (!by) return between(a, b, t);
  return t < WAY ? between(a, by, t / WAY) : between(by, b, (t - WAY) / (1 - WAY));
}

export class Stage {
  /** clicked(name): something on the stage was clicked. dragged(name, dx, dy): it was dragged so far, in its units. */
  constructor(root, patterns, hands) {
    this.patterns = patterns;
    this.swipe = make("div", { class: "astra-swipe" }, root);
    this.svg = make("svg", { class: "astra-scene", role: "img" }, this.swipe);
    this.hands = new Hands(this.svg, hands);
    this.below = make("div", { class: "astra-below" }, root);
    [this.back, this.front] = [make("g", {}, this.svg), make("g", {}, this.svg)];
    this.pieces = [];
  }

  load(stage) {
    for (const part of [this.swipe, this.below]) put(part, "hidden", !stage);
    if (!stage || stage === this.stage) return;
    this.stage = stage;
    const [width, height] = stage.size;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.back.replaceChildren();
    this.below.replaceChildren();
    const looks = stage.pieces.flatMap((piece) => piece.looks.filter((_, step) => piece.at[step]));
    makeLegend(this.below, this.patterns, [...looks, ...stage.links.flatMap((link) => link.looks.filter((_, step) => link.wide[step]))]);
    this.counters = stage.frames.map((frame) => this.#frame(frame)).filter(({ says }) => says.length);
    for (const { name, at: [x, y], text, anchor } of stage.labels) {
      make("text", { class: "astra-label", "data-label": name, x, y, style: `text-anchor: ${anchor}`, text }, this.back);
    }
    this.links = stage.links.map((link) => new StageLink(this.back, this.patterns, link));
    for (const { group } of this.pieces.slice(stage.pieces.length)) group.remove();
    this.pieces = stage.pieces.map((piece, i) => this.#piece(piece, this.pieces[i]));
  }

  /** used: what showed another piece before; elements are slow to make. */
  #piece(piece, used) {
    const group = used?.group ?? make("g", {}, this.front);
    const box = used?.box ?? this.patterns.box(group);
    const title = used?.title ?? make("title", {}, group);
    const word = piece.text || piece.says.length ? used?.word ?? make("text", { class: "astra-word" }, group) : used?.word?.remove() ?? null;
    put(group, "data-piece", piece.name);
    put(title, "text", piece.title || piece.text);
    if (word) put(word, "text", piece.text);
    return { piece, group, box, title, word };
  }

  #frame({ name, box, text, says }) {
    const group = make("g", { "data-frame": name }, this.back);
    const [x, y, wide, high] = box;
    make("rect", { class: "astra-frame", x, y, width: wide, height: high }, group);
    make("text", { class: "astra-caption", x: x + 1, y: y - 3, text }, group);
    return { says, word: says.length ? make("text", { class: "astra-word", x: x + wide / 2, y: y + high / 2 + 3 }, group) : null };
  }

  /** Mark what can be clicked or dragged, and what was chosen. All three are lists of names. */
  mark(clickable, draggable, chosen) {
    this.hands.mark(clickable, draggable, chosen);
  }

  /** When it is at a place between steps, in the unit of the lanes and curves beside it; null if it has no times. */
  time(at) {
    const times = this.stage?.times;
    if (!times?.length) return null;
    const from = Math.min(Math.floor(at), times.length - 1);
    return times[from] + (times[Math.min(from + 1, times.length - 1)] - times[from]) * (at - from);
  }

  draw(at) {
    if (!this.stage) return;
    put(this.svg, "aria-label", `${this.stage.title}. ${this.stage.steps[Math.round(at)]}`);
    const from = Math.min(Math.floor(at), this.stage.steps.length - 1);
    const to = Math.min(from + 1, this.stage.steps.length - 1);
    const t = this.stage.clock ? at - from : smooth(clamp((at - from) / MOVES, 0, 1));
    for (const { says, word } of this.counters) put(word, "text", says[Math.round(at)]);
    for (const link of this.links) link.draw(t < 0.5 ? from : to);
    for (const { piece, group, box, word } of this.pieces) {
      const [a, b] = [piece.at[from], piece.at[to]];
      const here = a && b ? onTheWay(a, b, piece.by[to], t) : a ?? b;
      put(group, "visibility", (a || b) && (a ? (b ? 1 : 1 - t) : t) > 0.01 ? "visible" : "hidden");
      if (!here) continue;
      put(group, "opacity", a && b ? 1 : a ? 1 - t : t);
      const look = piece.looks[t < 0.5 ? from : to];
      this.patterns.dress(box, look);
      place(box, here);
      if (word) {
        this.patterns.clear(word, look);
        if (piece.says.length) put(word, "text", piece.says[t < 0.5 ? from : to]);
        put(word, "x", here[0] + here[2] / 2);
        put(word, "y", here[1] + here[3] / 2 + 3);
      }
    }
  }
}
