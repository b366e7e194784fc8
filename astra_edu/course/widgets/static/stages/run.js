// A pipeline's run: the passes of each stage, what a stage does and keeps at a time. Times are in ns.

import { clamp, neighbour, upTo } from "../frame/numbers.js";
import { STILL_S } from "../frame/playback.js";
import { moment, ranges } from "../frame/words.js";

const EVENT_S = 0.35; // playing: how long it takes from one event to the next, on average
export const LOOKS = [
  { name: "forward", letter: "F", fill: [87, 173, 136], edge: "#00694f" },
  { name: "backward", letter: "B", fill: [195, 201, 242], edge: "#3f4aa0", hatch: "//", ground: "#eef0fb" },
];

export class Run {
  constructor(data) {
    this.data = data;
    this.total = data.total_ns;
    this.stages = data.spans.map((flat) => {
      const passes = [];
      for (let i = 0; i < flat.length; i += 5) {
        passes.push({ kind: flat[i], virtualStage: flat[i + 1], microBatch: flat[i + 2], start: flat[i + 3], end: flat[i + 4] });
      }
      return { passes, starts: passes.map((pass) => pass.start) };
    });
    const times = this.stages.flatMap(({ passes }) => passes.flatMap(({ start, end }) => [start, end]));
    this.events = [...new Set(times)].sort((a, b) => a - b);
    this.most = Math.max(...data.keeps);
  }

  /** To be played: an event is a time at which a pass begins or ends. */
  film() {
    const { events, total } = this;
    const step = (time, by) => neighbour(events, time, by);
    return { end: total, rate: total / clamp(EVENT_S * events.length, 4, 30), beat: STILL_S, step, after: (time) => step(time, 1), shown: (time) => time };
  }

  /** "F 5,2": a pass of micro-batch 2 through part 5 of the model. */
  name(stage, { kind, virtualStage, microBatch }) {
    return `${LOOKS[kind].letter} ${virtualStage * this.data.stages + stage},${microBatch}`;
  }

  letter(virtualStage) {
    return this.data.virtual > 1 ? String.fromCharCode(97 + virtualStage) : "";
  }

  /** What a stage does at a time, or null. */
  doing(stage, time) {
    const { passes, starts } = this.stages[stage];
    const pass = passes[upTo(starts, time) - 1];
    return pass && time < pass.end ? pass : null;
  }

  doingText(stage, time) {
    const pass = this.doing(stage, time);
    if (!pass) return this.stages[stage].passes.at(-1).end <= time ? "done" : "waits";
    const through = this.data.virtual > 1 ? `, virtual stage ${this.letter(pass.virtualStage)}` : "";
    return `${LOOKS[pass.kind].name} of micro-batch ${pass.microBatch}${through}`;
  }

  /** The micro-batches whose activations a stage holds at a time, for each virtual stage, ascending. */
  held(stage, time) {
    const { passes, starts } = this.stages[stage];
    const held = Array.from({ length: this.data.virtual }, () => new Set());
    for (const { kind, virtualStage, microBatch, end } of passes.slice(0, upTo(starts, time))) {
      if (kind === 0) held[virtualStage].add(microBatch);
      else if (end <= time) held[virtualStage].delete(microBatch);
    }
    return held.map((set) => [...set].sort((a, b) => a - b));
  }

  /** The same in words, and as a number of micro-batches. */
  holds(stage, time) {
    const held = this.held(stage, time);
    const words = held.map((set, virtualStage) => set.length && (this.data.virtual > 1 ? `${this.letter(virtualStage)}: ${ranges(set)}` : ranges(set)));
    return { text: words.filter(Boolean).join("; ") || "nothing", number: held.reduce((sum, set) => sum + set.length, 0) / this.data.virtual };
  }

  /** What all stages do and keep at a time, in a sentence. */
  said(time) {
    const stages = this.stages.map((_, stage) => `stage ${stage} ${this.doingText(stage, time)}, keeps ${this.holds(stage, time).text}`);
    return `${moment(time, this.total)}: ${stages.join("; ")}`;
  }
}
