// The player: draws the payload made by drawing.py. One module, no libraries.
//   Film  what happens: positions of the steps, who holds what when
//   Deck  one per model: the position, playing, and sharing both with Python
//   View  one per place on the page: the picture, the table, the controls
// A position is in beats (clock "steps") or in ns (clock "time").

const SVG = "http://www.w3.org/2000/svg";
const MESSAGE_MS = 100; // between two messages to Python
const SHARED = ["data", "step", "time", "playing", "speed", "clock"]; // with Python
const TINY = 1e-6;
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  play: "M4 2l9 6-9 6z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};
const KEYS =
  "Space or k: play or pause\n← →: one step back or forward\nHome, End: first, last\n" +
  "+ −: faster, slower\nt: steps or simulated time\n↑ ↓: follow one NPU, Esc: all again";

/** To tell the ids of views on one page apart. Each widget has a module of its own, so counting wouldn't do. */
const unique = () => `astra-${Math.random().toString(36).slice(2)}`;

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A new element; names with "text" set its text, everything else is an attribute. */
function make(tag, attributes = {}, parent = null) {
  const inSvg = parent instanceof SVGElement || tag === "svg";
  const element = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) put(element, name, value);
  parent?.append(element);
  return element;
}

/** Set an attribute (or "text") only if it changed: the DOM is slow, comparing is not. */
function put(element, name, value) {
  const known = (element.astraKnown ??= {});
  if (known[name] === value) return;
  known[name] = value;
  if (name === "text") element.textContent = value;
  else if (value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

function along([a, b, c, d], t) {
  const s = 1 - t;
  const w = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return [0, 1].map((i) => w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i]);
}

function nanoseconds(ns) {
  const group = (x, digits) => x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return ns < 10000 ? `${group(Math.round(ns), 0)} ns` : `${group(ns / 1000, 3)} µs`;
}

/** Whether a key belongs to the page around the player, such as Ctrl+S or Shift+Enter. */
const shortcut = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");

class Film {
  constructor(data) {
    this.data = data;
    this.count = data.steps.length;
    this.beat = clamp(24 / Math.max(1, this.count), 0.3, 1.5); // seconds a step takes at speed 1
    this.cells = new Map(); // who holds what, as changes: {set, steps, time} lists, by NPU and chunk
    for (const [npu, chunk, set] of data.start ?? []) this.#change(npu, chunk, set, -Infinity, -Infinity);
    this.arrivals = [];
    data.steps.forEach((step, k) => {
      for (const token of [...step.tokens].sort((a, b) => a[7] - b[7])) {
        token[2].forEach((chunk, i) => this.#change(token[1], chunk, token[3][i], k + 1, token[7]));
        this.arrivals.push(token[7]);
      }
    });
    this.arrivals.sort((a, b) => a - b);
  }

  #change(npu, chunk, set, beat, ns) {
    const key = npu * this.data.names.length + chunk;
    if (!this.cells.has(key)) this.cells.set(key, { set: [], steps: [], time: [] });
    const cell = this.cells.get(key);
    cell.set.push(set);
    cell.steps.push(beat);
    cell.time.push(ns);
  }

  /** The number of the set of contributors that `npu` holds of `chunk` at a position. */
  held(npu, chunk, position, clock) {
    const cell = this.cells.get(npu * this.data.names.length + chunk);
    return cell ? (cell.set[upTo(cell[clock], position) - 1] ?? 0) : 0;
  }

  /** Changes only when a chunk has arrived since. */
  arrived(position, clock) {
    return clock === "steps" ? Math.floor(position + TINY) : upTo(this.arrivals, position);
  }

  mark(step, clock) {
    return clock === "time" ? this.data.marks[step] : step;
  }

  total(clock) {
    return this.mark(this.count, clock);
  }

  /** The step a position belongs to: 0 before the first, k from its start until the next one's. */
  step(position, clock) {
    if (clock === "steps") return clamp(Math.ceil(position - TINY), 0, this.count);
    return Math.min(upTo(this.data.marks, position - TINY, true), this.count);
  }

  convert(position, from, to) {
    const k = this.step(position, from);
    if (k === 0) return 0;
    const [low, high] = [this.mark(k - 1, from), this.mark(k, from)];
    const share = high > low ? (position - low) / (high - low) : 1;
    return this.mark(k - 1, to) + share * (this.mark(k, to) - this.mark(k - 1, to));
  }

  /** How far a token is: below 0 not yet sent, above 1 arrived. */
  progress(step, k, token, position, clock) {
    if (clock === "time") return (position - token[6]) / Math.max(TINY, token[7] - token[6]);
    return (position - k - token[5]) / (1 - step.spread);
  }

  /** Who asked for no motion sees every token half way, as in the still pictures. */
  drawn(step, token, progress) {
    return calm() ? clamp((0.5 - token[5]) / (1 - step.spread), 0.01, 0.99) : progress;
  }
}

/** How many of the ascending numbers are <= x (strictly: < x). */
function upTo(numbers, x, strictly = false) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (strictly ? numbers[middle] < x : numbers[middle] <= x + TINY) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Deck {
  static #decks = new WeakMap();

  /** The one deck of a model. Every view has a wrapper of its own of the model, but they hold the same data. */
  static of(model) {
    const known = Deck.#decks.get(model.get("data"));
    return known?.views.size ? known : new Deck(model);
  }

  constructor(model) {
    this.model = model;
    this.views = new Set();
    this.pull = () => {
      this.pulling ||= queueMicrotask(() => this.#pull()) ?? true;
    };
    this.frame = (now) => this.#frame(now);
    this.#load();
    this.playing = this.model.get("playing");
  }

  join(view) {
    for (const name of SHARED) view.model.on(`change:${name}`, this.pull);
    this.views.add(view);
    this.#wake();
  }

  leave(view) {
    for (const name of SHARED) view.model.off(`change:${name}`, this.pull);
    this.views.delete(view);
    if (this.views.size) {
      this.model = [...this.views][0].model;
      return;
    }
    cancelAnimationFrame(this.request);
    clearTimeout(this.timer);
    if (this.timer) this.#send();
    this.request = this.timer = null;
  }

  get step() {
    return this.film.step(this.position, this.clock);
  }

  get total() {
    return this.film.total(this.clock);
  }

  get speed() {
    return this.model.get("speed");
  }

  /** Go to a position; `glide` moves there instead of jumping. */
  seek(position, { glide = false } = {}) {
    this.goal = null;
    position = clamp(position, 0, this.total);
    if (glide && !calm()) this.goal = position;
    else this.position = position;
    this.#share(!glide);
    this.#wake();
  }

  /** One step on or back, ending where that step is over. A glide still under way is finished first. */
  go(by) {
    if (this.goal !== null && this.goal !== undefined) this.position = this.goal;
    const k = this.step;
    const inside = this.film.mark(k, this.clock) - this.position > TINY;
    if (by > 0) this.seek(this.film.mark(Math.min(inside ? k : k + 1, this.film.count), this.clock), { glide: !this.playing });
    else this.seek(this.film.mark(Math.max(k - 1, 0), this.clock));
  }

  play(on) {
    if (on === this.playing || (on && !this.film.count)) return;
    this.playing = on;
    this.goal = null;
    this.waited = 0;
    if (on && this.position > this.total - TINY) this.position = 0;
    this.#share(true);
    this.#wake();
  }

  use(clock) {
    if (clock === this.clock || !this.film.data.marks) return;
    const wasGoing = this.goal ?? this.position;
    this.goal = null;
    this.position = this.film.convert(wasGoing, this.clock, clock);
    this.clock = clock;
    this.#share(true);
    this.#wake();
  }

  setSpeed(speed) {
    this.model.set("speed", speed);
    this.model.save_changes();
    this.#wake();
  }

  #load() {
    this.data = this.model.get("data");
    Deck.#decks.set(this.data, this);
    this.film = new Film(this.data);
    this.clock = this.data.marks ? this.model.get("clock") : "steps";
    this.position = clamp(this.model.get("time"), 0, this.total);
    this.playing = false;
    this.seen = this.#seen();
  }

  #seen() {
    return Object.fromEntries(["step", "time", "playing", "clock"].map((name) => [name, this.model.get(name)]));
  }

  /** Python (or another view's deck) changed something: follow it, whichever of step and time it said. */
  #pull() {
    this.pulling = false;
    const [now, seen] = [this.#seen(), this.seen];
    this.seen = now;
    const replaced = this.model.get("data") !== this.data;
    if (replaced) {
      const share = this.position / (this.total || 1);
      const playing = this.playing;
      this.#load();
      if (playing) this.position = share * this.total;
      this.playing = playing;
      this.goal = null;
      this.#share(true);
    } else if (now.clock !== this.clock) {
      this.position = now.time !== seen.time ? now.time : this.film.convert(this.position, this.clock, now.clock);
      this.clock = now.clock;
      this.goal = null;
    } else if (now.time !== seen.time) {
      this.position = clamp(now.time, 0, this.total);
      this.goal = null;
    } else if (now.step !== seen.step && now.step !== this.step) {
      this.position = this.film.mark(clamp(now.step, 0, this.film.count), this.clock);
      this.goal = null;
    }
    if (now.playing !== seen.playing && now.playing !== this.playing) this.play(now.playing);
    this.#wake(replaced);
  }

  #wake(replaced = false) {
    if (replaced) this.views.forEach((view) => view.load());
    if (this.views.size) this.request ??= requestAnimationFrame(this.frame);
  }

  #frame(now) {
    this.request = null;
    const seconds = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    const moving = this.playing || (this.goal ?? null) !== null;
    this.last = moving ? now : null;
    if (moving) this.#advance(seconds);
    this.views.forEach((view) => view.draw());
    if (this.playing || (this.goal ?? null) !== null) this.#wake();
  }

  #advance(seconds) {
    const rate = (this.speed / this.film.beat) * (this.total / this.film.count);
    if (this.playing && calm()) {
      this.waited += seconds;
      if (this.waited < this.film.beat / this.speed) return;
      this.waited = 0;
      const k = this.step;
      const inside = this.film.mark(k, this.clock) - this.position > TINY;
      this.position = this.film.mark(inside ? k : Math.min(k + 1, this.film.count), this.clock);
    } else {
      this.position += rate * seconds;
    }
    const end = this.goal ?? this.total;
    if (this.position < end - TINY) return this.#share(false);
    this.position = end;
    this.goal = null;
    if (this.position > this.total - TINY) this.playing = false;
    this.#share(true);
  }

  /** Tell Python: at most every MESSAGE_MS while something moves, and once more when it has stopped. */
  #share(now) {
    const wait = MESSAGE_MS - (performance.now() - (this.sent ?? -Infinity));
    if (wait > 0) {
      this.timer ??= setTimeout(() => ((this.timer = null), this.#send()), wait);
    } else if (now || !this.timer) {
      this.#send();
    }
  }

  #send() {
    this.sent = performance.now();
    const state = { clock: this.clock, time: this.position, step: this.step, playing: this.playing, shown: this.data.number };
    Object.assign(this.seen, state);
    for (const [name, value] of Object.entries(state)) this.model.set(name, value);
    this.model.save_changes();
  }
}

class View {
  constructor(model, el) {
    const deck = (this.deck = Deck.of(model));
    this.model = model;
    this.id = unique();
    this.npu = null; // the NPU clicked on or reached by key; hovering wins over it
    this.hover = null;
    this.root = make("div", { class: "astra-player", tabindex: "0", role: "group" }, el);
    this.root.astraDeck = deck; // for tests and the curious
    this.#build();
    this.load();
    this.observe();
    deck.join(this);
    this.draw();
  }

  destroy() {
    this.deck.leave(this);
    this.root.remove();
  }

  // ---- what stays when the schedule is replaced ----

  #build() {
    const head = make("div", { class: "astra-head" }, this.root);
    this.title = make("strong", { class: "astra-title" }, head);
    this.banner = make("span", { class: "astra-banner" }, head);
    this.body = make("div", { class: "astra-body" }, this.root);
    this.stageBox = make("div", { class: "astra-stage" }, this.body);
    this.tableBox = make("div", { class: "astra-table" }, this.body);
    this.panel = make("div", { class: "astra-panel" }, this.root);
    const track = make("div", { class: "astra-track" }, this.panel);
    this.strip = make("div", { class: "astra-strip", "aria-hidden": "true" }, track);
    this.range = make("input", { type: "range", min: "0", step: "any", class: "astra-range", "aria-label": "Position in the schedule" }, track);
    const bar = make("div", { class: "astra-bar" }, this.panel);
    const { deck } = this;
    const end = () => deck.seek(deck.total);
    for (const [name, label, act] of [
      ["first", "First step", () => (deck.play(false), deck.seek(0))],
      ["previous", "Previous step", () => (deck.play(false), deck.go(-1))],
      ["play", "Play", () => deck.play(!deck.playing)],
      ["next", "Next step", () => (deck.play(false), deck.go(1))],
      ["last", "Last step", () => (deck.play(false), end())],
    ]) {
      const button = make("button", { type: "button", class: `astra-button astra-${name}`, "aria-label": label, title: label }, bar);
      const icon = make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, button);
      this[name] = make("path", { d: ICONS[name] }, icon);
      button.addEventListener("click", act);
      if (name === "play") this.playButton = button;
    }
    this.where = make("output", { class: "astra-where", "aria-live": "off" }, bar);
    const speed = make("label", { class: "astra-speed", text: "speed " }, bar);
    this.speed = make("select", { "aria-label": "Speed" }, speed);
    for (const s of SPEEDS) make("option", { value: s, text: `${s}×` }, this.speed);
    this.clocks = make("span", { class: "astra-clocks", role: "group", "aria-label": "Clock" }, bar);
    for (const [clock, text] of [["steps", "one beat a step"], ["time", "simulated time"]]) {
      const button = make("button", { type: "button", class: "astra-clock", "data-clock": clock, text }, this.clocks);
      button.addEventListener("click", () => deck.use(clock));
    }
    const keys = make("button", { type: "button", class: "astra-keys", title: KEYS, "aria-label": "Keyboard shortcuts", "aria-expanded": "false", text: "keys" }, bar);
    keys.addEventListener("click", () => {
      put(keys, "aria-expanded", String(this.help.hidden));
      put(this.help, "hidden", !this.help.hidden);
    });
    this.help = make("pre", { class: "astra-help", hidden: true, text: KEYS }, this.panel);
    this.live = make("p", { class: "astra-live", "aria-live": "polite", id: `${this.id}-live` }, this.root);
    this.problem = make("p", { class: "astra-problem", role: "alert" }, this.root);
    put(this.root, "aria-describedby", `${this.id}-live`);
  }

  observe() {
    const { deck, root } = this;
    this.range.addEventListener("input", () => deck.seek(Number(this.range.value)));
    this.speed.addEventListener("change", () => deck.setSpeed(Number(this.speed.value)));
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("keyup", (event) => shortcut(event) || event.stopPropagation());
    const npuOf = (event) => event.target.closest?.("[data-npu]")?.dataset.npu ?? null;
    root.addEventListener("pointerover", (event) => this.#look(npuOf(event), event.target.closest?.("td")));
    root.addEventListener("pointerleave", () => this.#look(null, null));
    this.body.addEventListener("click", (event) => {
      const npu = npuOf(event);
      this.npu = npu === null || Number(npu) === this.npu ? null : Number(npu);
      this.draw();
    });
  }

  #look(npu, cell) {
    this.hover = npu === null ? null : Number(npu);
    this.cell = cell?.dataset.chunk ? cell : null;
    this.draw();
  }

  #key(event) {
    if (shortcut(event)) return;
    event.stopPropagation(); // a notebook has its own use for plain keys: x cuts a cell
    const { deck } = this;
    const tag = event.target.tagName;
    if (tag === "SELECT") return;
    if (event.key === " " && tag === "BUTTON") return;
    const faster = (by) => deck.setSpeed(SPEEDS[clamp(SPEEDS.indexOf(deck.speed) + by, 0, SPEEDS.length - 1)]);
    const follow = (by) => {
      const n = deck.data.npus;
      this.npu = this.npu === null ? (by > 0 ? 0 : n - 1) : (this.npu + by + n) % n;
      this.draw();
    };
    const acts = {
      " ": () => deck.play(!deck.playing),
      k: () => deck.play(!deck.playing),
      ArrowRight: () => (deck.play(false), deck.go(1)),
      ArrowLeft: () => (deck.play(false), deck.go(-1)),
      Home: () => (deck.play(false), deck.seek(0)),
      End: () => (deck.play(false), deck.seek(deck.total)),
      "+": () => faster(1),
      "=": () => faster(1),
      "-": () => faster(-1),
      t: () => deck.use(deck.clock === "steps" ? "time" : "steps"),
      ArrowDown: () => follow(1),
      ArrowUp: () => follow(-1),
      Escape: () => ((this.npu = null), this.draw()),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // ---- what belongs to one schedule ----

  load() {
    const { data } = this.deck;
    for (const [name, [light, dark]] of Object.entries(data.palette)) {
      this.root.style.setProperty(`--astra-${name}`, `light-dark(${light}, ${dark})`);
    }
    put(this.root, "aria-label", `Animation: ${data.title}`);
    put(this.title, "text", data.title);
    put(this.problem, "text", data.problem ? `This schedule is wrong. ${data.problem}` : "");
    this.counting = data.kind === "counts";
    this.root.classList.toggle("astra-counting", this.counting);
    this.shownStep = this.shownCells = this.marked = this.cell = this.hover = null;
    if (this.npu >= data.npus) this.npu = null;
    if (this.counting) return this.#loadCounts(data);
    this.#loadStage(data);
    this.#loadTable(data);
    this.#loadStrip(data);
    put(this.clocks, "hidden", !data.marks);
  }

  #loadCounts(data) {
    const table = make("table");
    make("caption", { text: data.note }, table);
    const head = make("tr", {}, make("thead", {}, table));
    for (const text of data.head) make("th", { scope: "col", text }, head);
    const body = make("tbody", {}, table);
    for (const row of data.rows) {
      const line = make("tr", {}, body);
      row.forEach((text, i) => make(i ? "td" : "th", i ? { text } : { scope: "row", text }, line));
    }
    this.tableBox.replaceChildren(table);
    put(this.live, "text", `${data.step_count.toLocaleString("en")} steps in all. Chunks are those of the busiest NPU in one step.`);
  }

  #loadStage(data) {
    const { stage } = data;
    const svg = make("svg", { viewBox: `0 0 ${stage.size.join(" ")}`, "aria-hidden": "true" });
    const defs = make("defs", {}, svg);
    for (const op of ["reduce", "copy"]) {
      const head = make("marker", { id: `${this.id}-${op}`, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, defs);
      make("path", { d: "M0 0L8 4L0 8z", class: `astra-tip-${op}` }, head);
    }
    const wires = make("g", { class: `astra-wires${stage.links.length > 100 ? " astra-many" : ""}` }, svg);
    for (const d of stage.links) make("path", { d }, wires);
    for (const d of stage.buses) make("path", { d, class: "astra-bus" }, wires);
    for (const [x, y, width, height] of stage.boxes) {
      make("rect", { x, y, width, height, rx: 6, class: "astra-box" }, svg);
      if (width >= 60) make("text", { x: x + width / 2, y: y + height - 8, class: "astra-box-name", text: "switch" }, svg);
    }
    this.arrows = make("g", { class: "astra-arrows" }, svg);
    const size = clamp(stage.radius * 0.95, 8, 13);
    this.nodes = stage.nodes.map(([x, y], npu) => {
      const node = make("g", { class: "astra-node", "data-npu": npu }, svg);
      make("circle", { cx: x, cy: y, r: stage.radius }, node);
      make("text", { x, y: y + size * 0.36, "font-size": size, text: npu }, node);
      return node;
    });
    this.tokenLayer = make("g", { class: "astra-tokens" }, svg);
    this.pool = [];
    this.stageBox.replaceChildren(svg);
  }

  #loadTable(data) {
    const { columns, chunk, wanted, texts } = data.table;
    this.body.classList.toggle("astra-wide", columns.length > 12);
    const table = make("table", { class: texts ? "astra-texts" : "astra-heat" });
    make("caption", { text: data.table.leaving ? "What each NPU still has for which NPU, and has got from it" : "What each NPU holds of each chunk" }, table);
    const few = (i, all) => all || i % 8 === 0;
    const head = make("tr", {}, make("thead", {}, table));
    make("th", { scope: "col", class: "astra-corner", text: data.detail ? "NPU" : "" }, head);
    columns.forEach((text, c) => make("th", { scope: "col", title: text, text: few(c, texts) ? text : "" }, head));
    const body = make("tbody", {}, table);
    this.rows = [];
    this.cells = chunk.map((row, r) => {
      const line = make("tr", { "data-npu": r }, body);
      this.rows.push(line);
      make("th", { scope: "row", text: few(r, data.detail) ? r : "" }, line);
      return row.map((c, i) => {
        const demanded = wanted[r][i] && wanted.some((other) => !other[i]) ? "astra-wanted" : "";
        const cell = make("td", { "data-chunk": c, class: demanded }, line);
        const label = texts ? make("span", {}, cell) : null; // its own layout root: the table needn't be laid out again
        return Object.assign(cell, { astraLabel: label, astra: { r, i, chunk: c, wanted: wanted[r][i] } });
      });
    });
    table.style.setProperty("--astra-rows", data.npus);
    this.detail = make("p", { class: "astra-detail" });
    this.tableBox.replaceChildren(table, this.#legend(data), this.detail);
  }

  #legend(data) {
    const legend = make("p", { class: "astra-legend" });
    const ops = new Set(data.phases.map((phase) => phase.op));
    if (ops.has("reduce")) make("span", { class: "astra-cue astra-reduce", text: "added on arrival" }, legend);
    if (ops.has("copy")) make("span", { class: "astra-cue astra-copy", text: "copied" }, legend);
    if (data.reducing) make("span", { class: "astra-key astra-key-partial", text: "whose data are in it" }, legend);
    make("span", { class: "astra-key astra-key-final", text: "as it must end" }, legend);
    return legend;
  }

  #loadStrip(data) {
    this.strip.replaceChildren();
    this.stripFor = null;
    data.phases.forEach((phase) => {
      const segment = make("div", { class: `astra-segment astra-${phase.op}`, title: phase.label }, this.strip);
      make("span", { text: phase.label }, segment);
    });
    this.ticks = make("div", { class: "astra-ticks" }, this.strip);
    if (this.deck.film.count <= 128) for (let k = 1; k < this.deck.film.count; k += 1) make("i", {}, this.ticks);
  }

  // ---- every frame ----

  draw() {
    if (this.counting) return;
    const { deck } = this;
    const { film, position, clock, step } = deck;
    const focus = this.hover ?? this.npu;
    this.#drawBar(film, position, clock, step);
    this.#drawText(step, focus);
    this.#drawTokens(film, position, clock, step, focus);
    this.#drawTable(film, position, clock, step);
    this.nodes.forEach((node, npu) => node.classList.toggle("astra-focus", npu === focus));
    this.rows.forEach((row, npu) => row.classList.toggle("astra-focus", npu === focus));
  }

  #drawBar(film, position, clock, step) {
    const { deck } = this;
    if (this.stripFor !== clock) {
      this.stripFor = clock;
      const left = (k) => `${(100 * film.mark(Math.min(k, film.count), clock)) / (deck.total || 1)}%`;
      [...this.strip.querySelectorAll(".astra-segment")].forEach((segment, i) => {
        const { first, count } = deck.data.phases[i];
        segment.style.left = left(first);
        segment.style.right = `calc(100% - ${left(first + count)})`;
      });
      [...this.ticks.children].forEach((tick, i) => (tick.style.left = left(i + 1)));
      put(this.range, "max", deck.total);
    }
    if (Number(this.range.value) !== position) this.range.value = position;
    const count = `step ${step} of ${film.count}`;
    const text = clock === "time" ? `${nanoseconds(position)} · ${count}` : count;
    put(this.where, "text", text);
    put(this.range, "aria-valuetext", step ? `${text}, ${deck.data.steps[step - 1].phase}` : text);
    put(this.play, "d", deck.playing ? ICONS.pause : ICONS.play);
    put(this.playButton, "aria-label", deck.playing ? "Pause" : "Play");
    put(this.playButton, "title", deck.playing ? "Pause" : "Play");
    const speed = String(deck.speed);
    if (this.speed.value !== speed) {
      if (![...this.speed.options].some((option) => option.value === speed)) make("option", { value: speed, text: `${speed}×` }, this.speed);
      this.speed.value = speed;
    }
    for (const button of this.clocks.children) put(button, "aria-pressed", String(button.dataset.clock === clock));
  }

  #drawText(step, focus) {
    const key = `${step} ${focus}`;
    if (this.said === key && this.saidOf === this.deck.data) return;
    [this.said, this.saidOf] = [key, this.deck.data];
    const { data, film } = this.deck;
    const now = data.steps[step - 1];
    put(this.banner, "text", now ? now.phase : "before the first step");
    put(this.banner, "class", `astra-banner ${now ? `astra-cue astra-${now.op}` : ""}`);
    if (!now) return put(this.live, "text", `Before the first of ${film.count} steps. Press play, or → for one step.`);
    if (focus === null) return put(this.live, "text", now.text);
    const mine = now.tokens.filter((token) => token[0] === focus || token[1] === focus);
    const said = mine.slice(0, 4).map((token) => this.#sentence(token, step));
    if (mine.length > 4) said.push(`and ${mine.length - 4} more from or to NPU ${focus}`);
    if (!mine.length) said.push(fill(data.words.nothing, { npu: focus }));
    put(this.live, "text", `${now.text.split(": ")[0]}: ${said.join("; ")}.`);
  }

  #sentence([source, destination, chunks], step) {
    const { data, film } = this.deck;
    const names = chunks.map((chunk) => data.names[chunk]);
    const sets = [...new Set(chunks.map((chunk) => film.held(source, chunk, step - 1, "steps")))];
    const [, spoken, size] = data.sets[sets[0]];
    return fill(data.words.send, {
      source,
      destination,
      chunks: names.length > 4 ? `${names.length} chunks (${names.slice(0, 3).join(", ")}, …)` : names.join(", "),
      holding: data.reducing && sets.length === 1 ? `, ${size === 1 ? data.words.own : spoken},` : "",
    });
  }

  #drawTokens(film, position, clock, step, focus) {
    const { data } = this.deck;
    let used = 0;
    data.steps.forEach((shown, k) => {
      const current = k === step - 1;
      if (!current && (clock === "steps" || Math.abs(k - step + 1) > 64)) return;
      const [first] = shown.tokens[0] ?? []; // where there are too many names, show those of the text's example
      const leads = (token) => (focus === null ? token[0] === first : token[0] === focus || token[1] === focus);
      const ordered = shown.labels ? shown.tokens : [...shown.tokens].sort((a, b) => leads(a) - leads(b));
      ordered.forEach((token) => {
        const progress = film.progress(shown, k, token, position, clock);
        if (!current && (progress <= 0 || progress >= 1)) return;
        this.#drawToken(used++, shown, token, film.drawn(shown, token, progress), clock, focus, leads(token));
      });
    });
    for (let i = used; i < this.pool.length; i += 1) {
      put(this.pool[i].group, "display", "none");
      put(this.pool[i].arrow, "display", "none");
    }
  }

  #drawToken(place, step, token, progress, clock, focus, leads) {
    const { stage } = this.deck.data;
    const [source, destination, , , label] = token;
    const mine = focus !== null && leads;
    const named = step.labels || (leads && this.deck.data.detail);
    const [letter, padding, tall] = stage.token;
    const [start, stop] = stage.travel;
    const [width, height] = named ? [letter * label.length + padding, tall] : [7, 7];
    const key = `${source},${destination}`;
    const it = (this.pool[place] ??= this.#newToken());
    put(it.arrow, "display", null);
    put(it.arrow, "d", stage.paths[key]);
    const tip = named ? `url(#${this.id}-${step.op})` : null;
    put(it.arrow, "marker-end", tip);
    const dim = focus !== null && !mine ? " astra-dim" : "";
    const thin = !named || (step.tokens.length > 24 && !mine) ? " astra-thin" : "";
    put(it.arrow, "class", `astra-arrow astra-${step.op}${dim}${thin}`);
    const share = clamp(progress, 0, 1);
    const eased = clock === "time" ? share : share * share * (3 - 2 * share);
    const [x, y] = along(stage.routes[key], start + (stop - start) * eased);
    const gone = progress <= 0 || (progress >= 1 && !step.docks);
    put(it.group, "display", gone ? "none" : null);
    if (gone) return;
    put(it.group, "transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
    put(it.group, "class", `astra-token astra-${step.op}${dim}`);
    put(it.group, "data-from", source);
    put(it.group, "data-to", destination);
    put(it.box, "x", -width / 2);
    put(it.box, "y", -height / 2);
    put(it.box, "width", width);
    put(it.box, "height", height);
    put(it.box, "rx", step.op === "copy" ? height / 2 : 2);
    put(it.text, "text", named ? label : "");
  }

  #newToken() {
    const group = make("g", {}, this.tokenLayer);
    const box = make("rect", {}, group);
    return { group, box, text: make("text", { y: 4 }, group), arrow: make("path", {}, this.arrows) };
  }

  #drawTable(film, position, clock, step) {
    const { data } = this.deck;
    const state = `${clock} ${film.arrived(position, clock)}`;
    if (state !== this.shownCells) {
      this.shownCells = state;
      this.cells.forEach((row, r) => {
        row.forEach((cell) => this.#drawCell(data, cell, film.held(r, cell.astra.chunk, position, clock)));
        this.nodes[r].classList.toggle("astra-done", row.every(({ astra }) => !astra.wanted || astra.set === astra.wanted));
      });
    }
    if (step !== this.shownStep) {
      this.shownStep = step;
      this.marked?.forEach((cell) => cell.classList.remove("astra-sends", "astra-gets-reduce", "astra-gets-copy"));
      this.marked = new Set();
      const now = data.steps[step - 1];
      const mark = (npu, chunk, name) => {
        const cell = this.#cellOf(npu, chunk, name === "astra-sends");
        cell?.classList.add(name);
        if (cell) this.marked.add(cell);
      };
      for (const [source, destination, chunks] of now?.tokens ?? []) {
        for (const chunk of chunks) {
          mark(source, chunk, "astra-sends");
          mark(destination, chunk, `astra-gets-${now.op}`);
        }
      }
    }
    put(this.detail, "text", this.cell ? this.#said(data, this.cell.astra) : "");
  }

  /** The cell about a chunk in an NPU's row; an all-to-all's blocks have one only where they start and end. */
  #cellOf(npu, chunk, leaving) {
    const n = this.deck.data.npus;
    if (!this.deck.data.table.leaving) return this.cells[npu][chunk];
    const [origin, goal] = [Math.floor(chunk / n), chunk % n];
    if (leaving) return origin === npu ? this.cells[npu][goal] : null;
    return goal === npu ? this.cells[npu][origin] : null;
  }

  #drawCell(data, cell, set) {
    const { astra } = cell;
    if (astra.set === set) return;
    astra.set = set;
    const final = set !== 0 && set === astra.wanted;
    const share = data.reducing && !final ? data.sets[set][2] / data.npus : set && 1;
    const kind = final ? "astra-final" : data.reducing ? "astra-partial" : "astra-kept";
    cell.classList.remove("astra-final", "astra-partial", "astra-kept");
    if (set) cell.classList.add(kind);
    cell.style.setProperty("--astra-level", share);
    if (!data.table.texts) return;
    const { leaving } = data.table;
    const text = leaving ? data.names[set ? astra.chunk : leaving[astra.r][astra.i]].slice(1) : data.sets[set][0];
    put(cell.astraLabel, "text", final ? (leaving ? `${text} ✓` : "✓") : text);
  }

  #said(data, { r, chunk, set }) {
    const [, spoken, size] = data.sets[set];
    const holding = data.reducing && set ? `${spoken} (${size} of ${data.npus})` : spoken;
    return fill(data.words.holds, { npu: r, chunk: data.names[chunk], holding });
  }
}

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.destroy();
}

export default { render };
