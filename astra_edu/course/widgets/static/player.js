// The player: draws the payload made by drawing.py.
//   film   what happens: positions of the steps, who holds what when
//   deck   one per model: the position, playing, and sharing both with Python
//   PlayerView   one per place on the page: the picture, the table, the controls

import { make, makeHead, makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { makeHelp } from "./frame/help.js";
import { hearKeys } from "./frame/keys.js";
import { Transport, transportKeys } from "./frame/transport.js";
import { count, moment } from "./frame/words.js";
import { Deck } from "./player/deck.js";
import { sentence } from "./player/said.js";
import { Scenery } from "./player/stage.js";
import { Strip } from "./player/strip.js";
import { Table } from "./player/table.js";

const PLAYER_LABELS = { first: "First step", previous: "Previous step", next: "Next step", last: "Last step" };
const CLOCKS = { steps: "one beat a step", time: "simulated time" };
const PLAYER_KEYS =
  "Space or k: play or pause\n← →: one step back or forward\nHome, End: first, last\n" +
  "+ −: faster, slower\nt: steps or simulated time\n↑ ↓: follow one NPU, Esc: all again\n?: these keys";

export class PlayerView {
  constructor(model, el) {
    const deck = (this.deck = Deck.of(model));
    this.model = model;
    this.id = unique();
    this.npu = null; // the NPU clicked on or reached by key; hovering wins over it
    this.hover = null;
    this.root = makeRoot(el, "player", this.id, "live");
    this.root.astraDeck = deck; // for tests and the curious
    this.#build();
    this.load();
    this.#observe(model.get("keys"));
    deck.join(this);
    this.draw();
  }

  destroy() {
    this.deck.leave(this);
    this.root.remove();
  }

  #build() {
    const { head, title } = makeHead(this.root);
    this.title = title;
    this.banner = make("span", { class: "astra-banner" }, head);
    this.body = make("div", { class: "astra-body" }, this.root);
    this.stage = new Scenery(this.body, this.id);
    this.table = new Table(this.body);
    const panel = make("div", { class: "astra-panel" }, this.root);
    this.strip = new Strip(panel, this.deck);
    this.transport = new Transport(panel, this.deck, PLAYER_LABELS);
    this.#buildClocks(this.transport.bar);
    makeHelp(this.transport.bar, this.model.get("keys") ?? this.root, this.id, PLAYER_KEYS);
    this.live = make("p", { class: "astra-live", id: `${this.id}-live` }, this.root);
    this.problem = make("p", { class: "astra-problem", role: "alert" }, this.root);
  }

  #buildClocks(bar) {
    this.clocks = make("span", { class: "astra-clocks", role: "group", "aria-label": "Clock" }, bar);
    this.clockButtons = Object.entries(CLOCKS).map(([clock, text]) => {
      const button = make("button", { type: "button", class: "astra-clock", text }, this.clocks);
      button.addEventListener("click", () => this.deck.use(clock));
      return [clock, button];
    });
  }

  /** outer: the widget that this is a part of, if it is: then that has the focus, and its keys are the player's. */
  #observe(outer) {
    const { deck, root } = this;
    if (outer) put(root, "tabindex", null);
    hearKeys(outer ?? root, {
      ...transportKeys(deck),
      t: () => deck.use(deck.clock === "steps" ? "time" : "steps"),
      ArrowDown: () => this.#follow(1),
      ArrowUp: () => this.#follow(-1),
      Escape: () => this.#keep(null),
    });
    const npuOf = (event) => {
      const npu = event.target.closest?.("[data-npu]")?.dataset.npu;
      return npu === undefined ? null : Number(npu);
    };
    root.addEventListener("pointerover", (event) => this.#look(npuOf(event), event.target.closest?.("td")));
    root.addEventListener("pointerleave", () => this.#look(null, null));
    this.body.addEventListener("click", (event) => {
      const npu = npuOf(event);
      this.#keep(npu === this.npu ? null : npu);
    });
  }

  #look(npu, cell) {
    this.hover = npu;
    this.table.look(cell);
    this.draw();
  }

  #keep(npu) {
    this.npu = npu;
    this.draw();
  }

  #follow(by) {
    const n = this.deck.data.npus;
    this.#keep(this.npu === null ? (by > 0 ? 0 : n - 1) : (this.npu + by + n) % n);
  }

  /** What belongs to one schedule. */
  load() {
    const { data, film } = this.deck;
    put(this.root, "aria-label", `Animation: ${data.title}`);
    put(this.title, "text", data.caveat ? `${data.title}: ${data.caveat}` : data.title);
    put(this.problem, "text", data.problem ? `This schedule is wrong. ${data.problem}` : "");
    this.counting = data.kind === "counts";
    this.root.classList.toggle("astra-counting", this.counting);
    this.hover = null;
    if (this.npu >= data.npus) this.npu = null;
    if (this.counting) return this.#loadCounts(data);
    this.body.classList.toggle("astra-wide", data.table.columns.length > 12);
    this.stage.load(data);
    this.table.load(data, this.stage.nodes);
    this.strip.load(data, film.count);
    put(this.clocks, "hidden", !data.marks);
  }

  #loadCounts(data) {
    this.table.loadCounts(data);
    put(this.live, "aria-live", "polite");
    put(this.live, "text", `${count(data.step_count)} steps in all. Shards are those of the busiest NPU in one step.`);
  }

  draw() {
    if (this.counting) return;
    const { deck } = this;
    const { data, film, position, clock, step } = deck;
    const focus = this.hover ?? this.npu;
    const counted = `step ${step} of ${count(data.step_count)}`;
    const text = clock === "time" ? `${moment(position, deck.total)} · ${counted}` : counted;
    this.strip.draw(film, position, clock, step ? `${text}, ${data.steps[step - 1].phase}` : text);
    this.transport.show(deck, text);
    for (const [name, button] of this.clockButtons) put(button, "aria-pressed", String(name === clock));
    this.#drawText(step, focus);
    this.stage.draw(position, clock, step, focus);
    this.table.draw(film, position, clock, step, focus);
    this.stage.focus(focus);
  }

  #drawText(step, focus) {
    const { data, film, playing } = this.deck;
    put(this.live, "aria-live", playing ? "off" : "polite"); // nobody wants every step read out
    const key = `${step} ${focus}`;
    if (this.said === key && this.saidOf === data) return;
    [this.said, this.saidOf] = [key, data];
    const now = data.steps[step - 1];
    put(this.banner, "text", now ? now.phase : "before the first step");
    put(this.banner, "class", `astra-banner ${now ? `astra-cue astra-${now.op}` : ""}`);
    put(this.live, "text", sentence(data, film, step, focus));
  }
}

export default widgetOf(PlayerView);
