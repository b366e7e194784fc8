// An instrument: settings beside pictures that follow, and a question to commit to before they are shown.
// Draws what instruments/instrument.py sends; a saved page finds the other settings in `stored`.

import { make, makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { makeHelp } from "./frame/help.js";
import { hearKeys } from "./frame/keys.js";
import { Loop } from "./frame/loop.js";
import { Reel } from "./frame/reel.js";
import { Transport, transportKeys } from "./frame/transport.js";
import { Watch } from "./frame/watch.js";
import { changes } from "./instrument/changes.js";
import { Patterns } from "./instrument/looks.js";
import { showPictures } from "./instrument/pictures.js";
import { Predict } from "./instrument/predict.js";
import { Reach } from "./instrument/reach.js";
import { Settings } from "./instrument/settings.js";
import { Share } from "./instrument/share.js";
import { Source } from "./instrument/source.js";
import { Stage, film } from "./instrument/stage.js";

const LABELS = { first: "Start", previous: "Step before", next: "Next step", last: "End" };
const KEYS =
  "Space or k: play or pause\n← →: the step before, the next step\nHome, End: start, end\n+ −: faster, slower\n" +
  "Tab: to the settings; there ← → change a value\nMouse: drag a slider; drag the strip below the stage\n?: these keys";

export class InstrumentView {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.root = makeRoot(el, "instrument", this.id);
    this.loop = new Loop(() => this.draw());
    this.reel = new Reel(model, "step", () => this.loop.wake(), () => this.#saySteps());
    this.#build();
    this.#observe();
    this.load();
  }

  destroy() {
    this.reel.stop();
    this.loop.stop();
    this.settings.stop();
    this.watch.end();
    this.root.remove();
  }

  #build() {
    const { root, id, model } = this;
    const sides = make("div", { class: "astra-sides" }, root);
    const left = make("div", { class: "astra-left" }, sides);
    const right = make("div", { class: "astra-right" }, sides);
    put(root, "tabindex", "0");
    right.addEventListener("pointerdown", ({ target }) => target.closest("button, input, select, summary, pre, a") || root.focus({ preventScroll: true }));
    this.patterns = new Patterns(root, id);
    this.settings = new Settings(left, (...wish) => this.source.ask(...wish));
    this.predict = new Predict(left, id, (value) => this.#commit(value), () => this.#ask(), () => this.#mark());
    this.reach = new Reach(this.predict, this.settings);
    this.share = new Share(left, () => this.#pin(), () => this.settings.take(this.settings.values(this.pinned.text)), (name) => this.#act(name), () => this.#stop());
    this.title = make("strong", { class: "astra-title" }, right);
    this.problem = make("p", { class: "astra-problem", role: "alert" }, right);
    this.note = make("p", { class: "astra-note", "aria-live": "polite" }, right);
    this.headline = make("p", { class: "astra-headline", "aria-live": "polite" }, right);
    this.stage = new Stage(right, this.patterns, {
      clicked: (name) => this.reach.click(name),
      dragged: (...how) => this.reach.drag(...how),
    });
    this.said = make("p", { class: "astra-live", "aria-live": "polite" }, right);
    this.views = make("div", { class: "astra-views" }, right);
    this.transport = new Transport(right, this.reel, LABELS);
    this.range = make("input", { type: "range", min: 0, step: "any", class: "astra-range", "aria-label": "Step" });
    this.transport.where.after(this.range);
    makeHelp(this.transport.bar, root, id, KEYS);
    this.charts = make("div", { class: "astra-charts" }, right);
    this.bars = make("div", { class: "astra-all-bars" }, right);
    this.words = make("div", { class: "astra-words" }, right);
    this.numbers = make("details", { class: "astra-numbers" }, right);
    make("summary", { text: "The same as a table" }, this.numbers);
    this.tables = make("div", {}, this.numbers);
    this.range.addEventListener("input", () => this.reel.scrub(Number(this.range.value)));
    this.pinned = null;
    this.source = new Source(model, id, this.settings, () => this.load());
  }

  #observe() {
    const { model } = this;
    this.watch = new Watch();
    this.watch.model(model, {
      data: () => this.source.arrived(),
      answered: () => this.source.arrived(),
      values: () => this.live || this.source.find(),
      other: () => this.load(),
      step: () => this.reel.pull(),
      guess: () => this.load(),
      reply: () => this.load(),
      act: () => this.#busy(),
      acted: () => this.#busy(),
      doing: () => this.#busy(),
    });
    hearKeys(this.root, transportKeys(this.reel));
  }

  /** What belongs to the setting on show; on a saved page, to the one that was last found. */
  get data() {
    return this.source.data;
  }

  get live() {
    return this.source.live;
  }

  #commit(value) {
    const { about } = this.data.question;
    this.model.set("guess", { about, value });
    this.root.focus({ preventScroll: true }); // the form is gone
    if (this.live) this.model.save_changes();
    else this.#reply(value, this.model.get("stored")[about].answer);
  }

  /** What Python does on a live page: answer, and take the values that follow. */
  #reply(value, answer) {
    this.model.set("reply", answer);
    if (value !== null && Object.keys(answer.takes).length) this.settings.take(answer.takes);
  }

  #ask() {
    this.model.set("reply", {});
    this.model.set("guess", {});
    if (this.live) this.model.save_changes();
  }

  #act(name) {
    this.model.set("act", { name, count: (this.model.get("act")?.count ?? 0) + 1 });
    this.model.save_changes();
  }

  #stop() {
    this.model.set("stop", this.model.get("act").count);
    this.model.save_changes();
  }

  /** Whether Python is still at what a button asked for is said at once, and how far it is when it says so. */
  #busy() {
    const { model } = this;
    const waits = this.live && (model.get("act")?.count ?? 0) > (model.get("acted") ?? 0);
    const { words = "at work …", stops } = model.get("doing") ?? {};
    this.share.wait(waits ? words : "", Boolean(waits && stops));
  }

  #pin() {
    this.pinned = this.pinned ? null : this.data;
    this.load();
  }

  /** Whether a question is open, so that no number is shown. */
  get veiled() {
    return Boolean(this.data.question) && !("value" in this.model.get("guess"));
  }

  /** Whether the stage would answer what is asked, so that only its first step is shown. */
  get still() {
    const { stage } = this.data.scene;
    return this.veiled && Boolean(stage?.clock || stage?.hidden);
  }

  load() {
    const { data } = this;
    const { scene } = data;
    put(this.root, "aria-label", data.title);
    put(this.title, "text", data.title);
    put(this.problem, "text", data.problem && `✗ ${data.problem}`);
    if (data.problem) this.#offer(data.nearest);
    put(this.note, "text", data.problem ? "" : data.note ?? "");
    this.patterns.show(data.looks);
    this.settings.show(data, this.model.get("values"), this.source.answered);
    this.predict.show(data.question, this.model.get("guess"), this.model.get("reply"));
    if (this.live) this.share.offer(data.actions);
    this.share.show(data.short ?? data.text, scene.code, this.pinned && (this.pinned.text === data.text ? "here" : "away"));
    this.root.classList.toggle("astra-impossible", Boolean(data.problem));
    const others = [["before", this.source.before], ["pinned", this.pinned], ["other", this.model.get("other")]];
    const compared = others.filter(([, other]) => other && other.text !== data.text);
    put(this.headline, "text", this.veiled ? "Predict first: the numbers come then." : scene.headline);
    this.words.replaceChildren();
    if (!this.veiled) {
      for (const text of scene.sentences) make("p", { text }, this.words);
      for (const [name, other] of compared) {
        const differs = name !== "before" ? this.settings.changed(other.text, data.text) : "";
        const text = changes(name, scene.numbers, other.scene.numbers, differs);
        if (text) make("p", { class: "astra-change", text }, this.words);
      }
    }
    this.bars.hidden = this.numbers.hidden = this.veiled;
    this.reach.load(data, this.model.get("values"));
    this.stage.load(scene.stage);
    this.timed = showPictures(this, scene, compared);
    this.showViews(scene);
    this.#mark();
    const moves = scene.stage?.steps.length > 1 && !this.still;
    for (const part of [this.range, this.transport.bar]) part.hidden = !moves;
    this.said.hidden = !scene.stage || (this.still && scene.stage.clock);
    put(this.range, "max", scene.stage ? scene.stage.steps.length - 1 : 0);
    this.reel.load(film(scene.stage));
    this.loop.wake();
  }

  #offer(nearest) {
    const words = this.settings.differs(nearest, this.model.get("values"));
    if (!words) return;
    const button = make("button", { type: "button", text: words }, this.problem);
    this.problem.astraKnown = {};
    button.addEventListener("click", () => {
      this.root.focus({ preventScroll: true });
      this.settings.take(nearest);
    });
  }

  /** What a kind of instrument draws besides, in `views`. */
  showViews() {}

  /** The question is where the pictures are in sight, however many settings there are. */
  askOnTheRight() {
    const { box, result, again } = this.predict;
    if (box.parentElement !== this.headline.parentElement) this.headline.after(box, result, again);
  }

  /** What a view draws; a saved page has it once, however many settings share it. */
  stored(view) {
    return typeof view === "number" ? this.model.get("views")[view] : view;
  }

  #mark() {
    this.stage.mark(...this.reach.marks);
  }

  #saySteps() {
    const { stage } = this.data.scene;
    if (stage) put(this.said, "text", stage.steps[this.still ? 0 : Math.round(this.reel.at)]);
  }

  draw() {
    const { stage } = this.data.scene;
    if (!stage) return;
    const at = this.still ? 0 : this.reel.at;
    const step = Math.round(at);
    this.stage.draw(at);
    for (const chart of this.timed) chart.show(this.still ? null : this.stage.time(at));
    this.range.value = this.reel.at;
    put(this.range, "aria-valuetext", stage.steps[step]);
    put(this.said, "text", stage.steps[step]);
    this.transport.show(this.reel, stage.steps.length > 1 ? `step ${step} of ${stage.steps.length - 1}` : "");
  }
}

export default widgetOf(InstrumentView);
