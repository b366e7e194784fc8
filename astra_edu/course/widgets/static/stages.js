// The stages of a pipeline: draws the payload made by stages.py. One module, no libraries.
//   Run   the payload: the passes of each stage, what a stage does and holds at a time
//   View  one per place on the page: controls, lanes with a cursor, what each stage holds, play
// Times are in ns, positions on the canvas in CSS pixels.

const NAMES = 62; // left of the lanes
const BARS = 190; // right of them: how much each stage holds
const AXIS = 28; // above them
const GAP = 5; // between them
const MESSAGE_MS = 100; // between two messages to Python
const EVENT_S = 0.35; // playing: how long it takes from one event to the next, on average
const DARK = "#1b1b1b";
const LOOKS = [
  { name: "forward", letter: "F", fill: [87, 173, 136], edge: "#00694f" },
  { name: "backward", letter: "B", fill: [195, 201, 242], edge: "#3f4aa0", hatched: true },
];
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  play: "M4 2l9 6-9 6z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};
const KEYS =
  "Space or k: play or pause\n← →: to the moment before, after, at which a pass begins or ends\nHome, End: start, end\n" +
  "Mouse: click or drag in the lanes to move the cursor\nTab: to the controls; there ← → change a value";

/** To tell the ids of views on one page apart. Each widget has a module of its own, so counting wouldn't do. */
const unique = () => `astra-stages-${Math.random().toString(36).slice(2)}`;

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const group = (x, digits) => x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const shortcut = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");

function make(tag, attributes = {}, parent = null) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value);
  }
  parent?.append(element);
  return element;
}

/** Give a button its icon and its name. */
function dress(button, icon, name) {
  button.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
  button.title = name;
  button.setAttribute("aria-label", name);
}

/** Set a text only if it changed: the DOM is slow, comparing is not. */
function say(element, text) {
  if (element.astraText !== text) element.textContent = element.astraText = text;
}

/** [size in ns, name, digits] of the unit for a time, the same as Python's format_ns. */
const unit = (ns) => (ns < 1e4 ? [1, "ns", 0] : ns < 1e8 ? [1e3, "µs", 3] : [1e6, "ms", 3]);

function nanoseconds(ns, like = ns) {
  const [size, name, digits] = unit(like);
  return `${group(ns / size, digits)} ${name}`;
}

/** Ascending numbers as "0–3, 5". */
function ranges(numbers) {
  const runs = [];
  for (const n of numbers) {
    if (runs.length && n === runs.at(-1)[1] + 1) runs.at(-1)[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`)).join(", ");
}

/** How many of the ascending numbers are <= x. */
function upTo(numbers, x) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Run {
  constructor(data) {
    this.data = data;
    this.total = data.total_ns;
    this.stages = data.spans.map((flat) => {
      const passes = [];
      for (let i = 0; i < flat.length; i += 5) {
        passes.push({ kind: flat[i], chunk: flat[i + 1], microBatch: flat[i + 2], start: flat[i + 3], end: flat[i + 4] });
      }
      return { passes, starts: passes.map((pass) => pass.start) };
    });
    this.events = [...new Set(this.stages.flatMap(({ passes }) => passes.flatMap(({ start, end }) => [start, end])))].sort((a, b) => a - b);
    this.most = Math.max(...data.keeps);
  }

  /** "F 5,2": a pass of micro-batch 2 through part 5 of the model. */
  name(stage, { kind, chunk, microBatch }) {
    return `${LOOKS[kind].letter} ${chunk * this.data.stages + stage},${microBatch}`;
  }

  letter(chunk) {
    return this.data.virtual > 1 ? String.fromCharCode(97 + chunk) : "";
  }

  /** What a stage does at a time, or null. */
  doing(stage, time) {
    const { passes, starts } = this.stages[stage];
    const pass = passes[upTo(starts, time) - 1];
    return pass && time < pass.end ? pass : null;
  }

  /** The micro-batches whose activations a stage holds at a time, for each chunk, ascending. */
  held(stage, time) {
    const { passes, starts } = this.stages[stage];
    const held = Array.from({ length: this.data.virtual }, () => new Set());
    for (const { kind, chunk, microBatch, end } of passes.slice(0, upTo(starts, time))) {
      if (kind === 0) held[chunk].add(microBatch);
      else if (end <= time) held[chunk].delete(microBatch);
    }
    return held.map((set) => [...set].sort((a, b) => a - b));
  }

  /** The same in words, and as a number of micro-batches. */
  holds(stage, time) {
    const held = this.held(stage, time);
    const words = held.map((set, chunk) => set.length && (this.data.virtual > 1 ? `${this.letter(chunk)}: ${ranges(set)}` : ranges(set)));
    return { text: words.filter(Boolean).join("; ") || "nothing", number: held.reduce((sum, set) => sum + set.length, 0) / this.data.virtual };
  }

  doingText(stage, time) {
    const pass = this.doing(stage, time);
    if (!pass) return this.stages[stage].passes.at(-1).end <= time ? "done" : "waits";
    const chunk = this.data.virtual > 1 ? `, chunk ${this.letter(pass.chunk)}` : "";
    return `${LOOKS[pass.kind].name} of micro-batch ${pass.microBatch}${chunk}`;
  }
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.playing = false;
    this.frame = (now) => this.#frame(now);
    this.root = make("div", { class: "astra-stages", role: "group" }, el);
    this.root.astraStages = this; // for tests and the curious
    this.#build();
    this.#observe();
    this.load();
  }

  destroy() {
    for (const [name, hear] of this.heard) this.model.off(`change:${name}`, hear);
    this.sizes.disconnect();
    this.themes.disconnect();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.request);
    this.root.remove();
  }

  get time() {
    return clamp(this.model.get("time"), 0, this.run.total);
  }

  // ---- what stays when the setting changes ----

  #build() {
    const { root } = this;
    const head = make("div", { class: "astra-head" }, root);
    this.title = make("strong", { class: "astra-title" }, head);
    this.#buildControls();
    this.problem = make("p", { class: "astra-problem", role: "alert" }, root);
    this.words = make("p", { class: "astra-words" }, root);
    this.plot = make("div", { class: "astra-plot", tabindex: "0", role: "application", "aria-roledescription": "pipeline chart", "aria-describedby": `${this.id}-keys` }, root);
    this.canvas = make("canvas", { "aria-hidden": "true" }, this.plot);
    this.context = this.canvas.getContext("2d");
    this.lanes = make("canvas").getContext("2d"); // without the cursor
    this.range = make("input", { type: "range", min: "0", step: "any", class: "astra-range", "aria-label": "Time" }, root);
    const bar = make("div", { class: "astra-bar" }, root);
    for (const [name, label, act] of [
      ["first", "Start", () => this.jump(0)],
      ["previous", "Moment before", () => this.go(-1)],
      ["play", "Play", () => this.play(!this.playing)],
      ["next", "Moment after", () => this.go(1)],
      ["last", "End", () => this.jump(this.run.total)],
    ]) {
      const button = make("button", { type: "button" }, bar);
      dress(button, name, label);
      button.addEventListener("click", act);
      if (name === "play") this.playButton = button;
    }
    const keys = make("button", { type: "button", class: "astra-keys", text: "keys", "aria-label": "Keyboard and mouse", "aria-expanded": "false" }, bar);
    this.where = make("output", { class: "astra-where", "aria-live": "off" }, bar);
    this.legend = make("p", { class: "astra-legend" }, root);
    this.help = make("p", { class: "astra-help", id: `${this.id}-keys`, text: KEYS, hidden: "" }, root);
    keys.addEventListener("click", () => keys.setAttribute("aria-expanded", String(!(this.help.hidden = !this.help.hidden))));
    this.said = make("p", { class: "astra-said", "aria-live": "polite" }, root);
    this.table = make("table", {}, make("div", { class: "astra-table" }, root));
  }

  #buildControls() {
    const fields = (this.fields = make("fieldset", {}, this.root));
    make("legend", { text: "Setting" }, fields);
    this.controls = {};
    const menu = (name, text) => {
      const label = make("label", { text: `${text} ` }, fields);
      const select = make("select", {}, label);
      select.addEventListener("change", () => this.#share(name, name === "slow" ? (select.value === "" ? null : Number(select.value)) : select.value));
      this.controls[name] = select;
    };
    const slider = (name, text) => {
      const label = make("label", { text: `${text} ` }, fields);
      const range = make("input", { type: "range", step: "1", "aria-label": text }, label);
      range.astraReadout = make("output", { "aria-live": "off" }, label);
      range.addEventListener("input", () => {
        const value = this.#values(name)?.[range.value] ?? Number(range.value);
        this.#read(name, value);
        this.#share(name, value);
      });
      this.controls[name] = range;
    };
    menu("order", "order");
    slider("stages", "stages");
    slider("micro_batches", "micro-batches");
    slider("virtual", "chunks a stage");
    slider("ratio", "backward");
    slider("p2p", "transfer");
    menu("slow", "slow stage");
  }

  /** The values that a slider steps through, where these are not the whole numbers. */
  #values(name) {
    return { ratio: this.run.data.ratios, p2p: this.run.data.transfers }[name];
  }

  #read(name, value) {
    const text = { ratio: `${value} × forward`, p2p: value ? `${Math.round(100 * value)} % of forward` : "takes no time" }[name] ?? `${value}`;
    say(this.controls[name].astraReadout, text);
    this.controls[name].setAttribute("aria-valuetext", text);
  }

  #observe() {
    const { plot, root, range } = this;
    const show = () => this.#showSetting();
    this.heard = [["data", () => this.load()], ["time", () => this.wake()]];
    for (const name of Object.keys(this.controls)) this.heard.push([name, show]);
    for (const [name, hear] of this.heard) this.model.on(`change:${name}`, hear);
    this.sizes = new ResizeObserver(() => this.redraw());
    this.sizes.observe(plot);
    this.themes = new MutationObserver(() => this.redraw());
    this.themes.observe(document.body, { attributes: true });
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("keyup", (event) => shortcut(event) || event.stopPropagation());
    range.addEventListener("input", () => (this.play(false), this.seek(Number(range.value))));
    plot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      plot.setPointerCapture(event.pointerId);
      this.drag = true;
      this.play(false);
      this.seek(this.timeAt(event.offsetX));
    });
    plot.addEventListener("pointermove", (event) => this.drag && this.seek(this.timeAt(event.offsetX)));
    for (const end of ["pointerup", "pointercancel"]) plot.addEventListener(end, () => (this.drag = false));
  }

  // ---- what belongs to one setting ----

  load() {
    const run = (this.run = new Run(this.model.get("data")));
    const { data } = run;
    say(this.title, data.title);
    say(this.problem, data.problem && `✗ ${data.problem}`);
    say(this.words, data.sentences.join(" "));
    this.root.classList.toggle("astra-stale", Boolean(data.problem));
    this.root.setAttribute("aria-label", `Pipeline: ${data.title}`);
    this.plot.setAttribute("aria-label", `${data.title}. ${data.sentences.join(" ")}`);
    this.range.max = run.total;
    this.lane = data.stages > 10 ? 24 : 34;
    this.height = AXIS + data.stages * (this.lane + GAP) + 2;
    this.plot.style.height = `${this.height}px`;
    this.#showSetting();
    this.#drawLegend();
    this.#buildTable();
    this.redraw();
  }

  #showSetting() {
    const { data } = this.run;
    const { order, slow, stages, micro_batches, virtual, ratio, p2p } = this.controls;
    const fill = (select, options) => {
      const known = JSON.stringify(options);
      if (select.astraOptions === known) return;
      select.astraOptions = known;
      select.replaceChildren(...options.map(([value, text]) => make("option", { value, text })));
    };
    fill(order, data.orders.map(([name]) => [name, name]));
    order.value = this.model.get("order");
    fill(slow, [["", "none"], ...Array.from({ length: this.model.get("stages") }, (_, stage) => [String(stage), `stage ${stage}`])]);
    slow.value = this.model.get("slow") ?? "";
    for (const [name, range] of Object.entries({ stages, micro_batches, virtual })) {
      range.min = 1;
      range.max = data.most[name];
    }
    for (const [name, range] of Object.entries({ ratio, p2p })) {
      range.min = 0;
      range.max = this.#values(name).length - 1;
    }
    for (const name of ["stages", "micro_batches", "virtual", "ratio", "p2p"]) {
      const value = this.model.get(name);
      const place = this.#values(name)?.indexOf(value) ?? value;
      if (place >= 0) this.controls[name].value = place;
      this.#read(name, value);
    }
    virtual.disabled = !data.orders.find(([name]) => name === order.value)?.[1];
    virtual.closest("label").classList.toggle("astra-off", virtual.disabled);
    this.fields.disabled = this.model.get("live") === false; // in a saved page nobody simulates
  }

  #buildTable() {
    const { data } = this.run;
    this.table.replaceChildren();
    this.caption = make("caption", {}, this.table);
    const head = make("tr", {}, make("thead", {}, this.table));
    const heads = ["stage", "now", "keeps activations of micro-batches", "now", "at most", "by formula", "idle in all"];
    for (const text of heads) make("th", { scope: "col", text }, head);
    const body = make("tbody", {}, this.table);
    this.rows = data.rows.map(([stage, idle, keeps, formula]) => {
      const row = make("tr", {}, body);
      make("th", { scope: "row", text: `stage ${stage}` }, row);
      const cells = ["", "", "", keeps, formula, idle].map((text) => make("td", { text }, row));
      return { doing: cells[0], holds: cells[1], number: cells[2] };
    });
  }

  #drawLegend() {
    const keys = LOOKS.map((look) => {
      const key = make("span", { class: "astra-key" });
      const context = make("canvas", { width: 56, height: 32, "aria-hidden": "true" }, key).getContext("2d");
      context.scale(2, 2);
      this.#cell(context, look, 0, 1, 0, 0, 28, 16);
      this.#letters(context, look, look.letter, 14, 8.5, "sans-serif");
      key.append(look.name);
      return key;
    });
    const cells = "F k,n: micro-batch n through part k of the model; a number alone: the micro-batch";
    const chunks = this.run.data.virtual > 1 ? ["letters and paler cells: the stage's chunks"] : [];
    this.legend.replaceChildren(...keys, ...["grey: bubble", cells, ...chunks].map((text) => make("span", { text })));
  }

  // ---- the cursor ----

  x(time) {
    return NAMES + time * this.scale;
  }

  timeAt(x) {
    return (x - NAMES) / this.scale;
  }

  seek(time) {
    this.#share("time", clamp(time, 0, this.run.total));
    this.wake();
  }

  /** To a time, and read out what happens there. */
  jump(time) {
    this.play(false);
    this.seek(time);
    this.#readOut();
  }

  /** To the next or previous moment at which something begins or ends. */
  go(by) {
    const { events } = this.run;
    const k = upTo(events, this.time);
    const before = events[k - 1] === this.time ? k - 2 : k - 1;
    this.jump(events[clamp(by > 0 ? k : before, 0, events.length - 1)]);
  }

  play(on) {
    if (on === this.playing || (on && !this.run.total)) return;
    this.playing = on;
    this.last = null;
    this.waited = 0;
    if (on && this.time >= this.run.total) this.seek(0);
    dress(this.playButton, on ? "pause" : "play", on ? "Pause" : "Play");
    if (!on) this.#readOut();
    this.wake();
  }

  #readOut() {
    const stages = this.run.stages.map((_, stage) => {
      return `stage ${stage} ${this.run.doingText(stage, this.time)}, keeps ${this.run.holds(stage, this.time).text}`;
    });
    say(this.said, `${nanoseconds(this.time, this.run.total)}: ${stages.join("; ")}`);
  }

  #frame(now) {
    this.request = null;
    if (this.playing) this.#advance(Math.min(0.1, (now - (this.last ?? now)) / 1000));
    this.last = now;
    this.draw();
    if (this.playing) this.wake();
  }

  /** Who asked for no motion sees one moment after the other. */
  #advance(seconds) {
    const { events, total } = this.run;
    this.waited += seconds;
    let time = this.time + (seconds * total) / clamp(EVENT_S * events.length, 4, 30);
    if (calm()) {
      if (this.waited < EVENT_S) return;
      this.waited = 0;
      time = events[upTo(events, this.time)] ?? total;
    }
    this.#share("time", Math.min(time, total));
    if (time >= total) this.play(false);
  }

  /** Tell Python: at most every MESSAGE_MS while something moves, and once more when it has stopped. */
  #share(name, value) {
    this.model.set(name, value);
    this.timer ??= setTimeout(() => ((this.timer = null), this.model.save_changes()), MESSAGE_MS);
  }

  #key(event) {
    if (shortcut(event)) return;
    event.stopPropagation(); // a notebook has its own use for plain keys: x cuts a cell
    const inControls = this.fields.contains(event.target);
    if (inControls || (event.key === " " && event.target.tagName === "BUTTON")) return;
    const acts = {
      " ": () => this.play(!this.playing),
      k: () => this.play(!this.playing),
      ArrowLeft: () => this.go(-1),
      ArrowRight: () => this.go(1),
      Home: () => this.jump(0),
      End: () => this.jump(this.run.total),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // ---- drawing ----

  wake() {
    this.request ??= requestAnimationFrame(this.frame);
  }

  redraw() {
    this.drawn = false;
    this.wake();
  }

  draw() {
    const { context, plot, canvas, run, time } = this;
    const [width, ratio] = [plot.clientWidth, devicePixelRatio];
    if (width <= NAMES + BARS) return;
    if (!this.drawn) this.#drawLanes(width, ratio);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.lanes.canvas, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = this.x(time);
    context.fillStyle = this.paper;
    context.fillRect(x - 2, AXIS - 6, 4, this.height - AXIS + 6);
    context.fillStyle = this.ink;
    context.fillRect(x - 1, AXIS - 6, 2, this.height - AXIS + 6);
    run.stages.forEach((_, stage) => this.#drawHeld(stage, run.holds(stage, time)));
    this.range.value = time;
    const text = nanoseconds(time, run.total);
    this.range.setAttribute("aria-valuetext", text);
    say(this.where, `${text} of ${nanoseconds(run.total)}`);
    say(this.caption, `At ${text}`);
  }

  /** The bar of a stage: how much it holds now, within a frame that is as long as it ever holds; and its row. */
  #drawHeld(stage, { text, number }) {
    const { context, run, ink } = this;
    const [x, y] = [this.width - BARS + 12, this.y(stage)];
    const long = (micro) => (micro / run.most) * (BARS - 86);
    context.fillStyle = "#e69f00";
    context.fillRect(x, y + 5, long(number), this.lane - 10);
    context.strokeStyle = ink;
    context.lineWidth = 1.2;
    context.strokeRect(x, y + 5, long(run.data.keeps[stage]), this.lane - 10);
    const short = (value) => String(Number(value.toFixed(2)));
    this.#text(context, `${short(number)} of ${short(run.data.keeps[stage])}`, this.width - 4, y + this.lane / 2, 12, 1, "right");
    const row = this.rows[stage];
    say(row.doing, run.doingText(stage, this.time));
    say(row.holds, text);
    say(row.number, short(number));
  }

  y(stage) {
    return AXIS + stage * (this.lane + GAP);
  }

  #drawLanes(width, ratio) {
    const { lanes, canvas, run } = this;
    for (const each of [lanes.canvas, canvas]) {
      each.width = Math.round(width * ratio);
      each.height = Math.round(this.height * ratio);
    }
    const style = getComputedStyle(this.root);
    [this.ink, this.paper, this.font] = [style.color, style.backgroundColor, style.fontFamily];
    this.width = width;
    this.scale = (width - NAMES - BARS) / Math.max(1, run.total);
    lanes.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#drawAxis(lanes);
    run.stages.forEach(({ passes }, stage) => {
      const y = this.y(stage);
      this.#text(lanes, `stage ${stage}`, 0, y + this.lane / 2, 12.5);
      lanes.globalAlpha = 0.1;
      lanes.fillStyle = this.ink;
      lanes.fillRect(NAMES, y, width - NAMES - BARS, this.lane);
      lanes.globalAlpha = 1;
      for (const pass of passes) {
        const [look, x, wide] = [LOOKS[pass.kind], this.x(pass.start), (pass.end - pass.start) * this.scale];
        this.#cell(lanes, look, pass.chunk, run.data.virtual, x, y, wide, this.lane);
        lanes.font = `11px ${this.font}`;
        const texts = [run.name(stage, pass), `${pass.microBatch}${run.letter(pass.chunk)}`];
        const fits = texts.find((text) => lanes.measureText(text).width + 5 <= wide);
        if (fits) this.#letters(lanes, look, fits, x + wide / 2, y + this.lane / 2 + 0.5, this.font);
      }
    });
    this.drawn = true;
  }

  /** A pass: later chunks are paler, backward passes hatched. */
  #cell(context, look, chunk, virtual, x, y, wide, high) {
    const share = (0.6 * chunk) / Math.max(1, virtual - 1);
    const [r, g, b] = look.fill.map((value) => Math.round(value + share * (255 - value)));
    context.fillStyle = `rgb(${r} ${g} ${b})`;
    context.fillRect(x, y, wide, high);
    if (wide < 4) return;
    if (look.hatched) {
      context.save();
      context.beginPath();
      context.rect(x, y, wide, high);
      context.clip();
      context.beginPath();
      for (let d = -high; d < wide; d += 7) {
        context.moveTo(x + d, y + high);
        context.lineTo(x + d + high, y);
      }
      context.strokeStyle = "rgb(63 74 160 / 0.55)";
      context.lineWidth = 1.1;
      context.stroke();
      context.restore();
    }
    context.strokeStyle = look.edge;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
  }

  /** A text on a cell; where there is a hatch, it gets a ground without one. */
  #letters(context, look, text, x, y, font) {
    context.font = `11px ${font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    if (look.hatched) {
      const wide = context.measureText(text).width;
      context.fillStyle = "#eef0fb";
      context.fillRect(x - wide / 2 - 1.5, y - 7, wide + 3, 13);
    }
    context.fillStyle = DARK;
    context.fillText(text, x, y);
  }

  #text(context, text, x, y, size, alpha = 1, align = "left") {
    context.font = `${size}px ${this.font}`;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillStyle = this.ink;
    context.globalAlpha = alpha;
    context.fillText(text, x, y);
    context.globalAlpha = 1;
  }

  #drawAxis(context) {
    const { total } = this.run;
    const [size, name] = unit(total);
    const power = 10 ** Math.floor(Math.log10(Math.max(1, total) / 100));
    const steps = [1, 10, 100, 1000].flatMap((p) => [1, 2, 5].map((k) => k * p * power));
    const step = steps.find((step) => step * this.scale >= 64) ?? total;
    const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
    this.#text(context, `time, ${name}`, 0, 10, 11, 0.8);
    this.#text(context, "micro-batches kept, of most", this.width - BARS + 12, 10, 11, 0.8);
    for (let k = 0; k * step <= total && step > 0; k += 1) {
      const x = this.x(k * step);
      context.globalAlpha = 0.2;
      context.fillStyle = this.ink;
      context.fillRect(x - 0.5, 18, 1, this.height - 18);
      this.#text(context, group((k * step) / size, digits), x, 10, 11, 0.9, "center");
    }
  }
}

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.destroy();
}

export default { render };
