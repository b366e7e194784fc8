// The timeline: draws the payload made by timeline.py. One module, no libraries.
//   Run   the payload: columns of spans; a track is a row of a lane, its spans stand together by their start
//   Look  how each kind of span is drawn: letters and a hatch beside the colour
//   View  one per place on the page: the lanes, the window on them, the span that is looked at
// Times are in ns, positions on the canvas in CSS pixels.

const NAMES = 172; // left of the lanes
const AXIS = 30; // above them
const LANE = 36;
const GAP = 9; // between them; the line that shows a span's waiting runs here
const SHORTEST = 2; // ns that fill the whole width at the deepest zoom
const REACH = 4; // how far from a span the pointer still finds it
const SETTLED_MS = 150; // after the last move the window is shared with Python and the table is brought up to date
const DARK = "#1b1b1b";
const KEYS =
  "+ −: zoom in, out · 0: the whole run · Enter: zoom to the span\n← →: earlier, later · Home, End: to the start, to the end\n" +
  "n p (or Shift + → ←): next, previous span of the lane · ↑ ↓: another lane · Esc: no span\n" +
  "/: highlight a layer; Enter there: its next span\n" +
  "Mouse: drag to move, click a span to keep it, double-click to zoom to it. The wheel zooms after a click here, or with Ctrl.\n" +
  "Dashed frames: the rest of the chunk's way. The line below a lane: how long the span waited for its turn.\n" +
  "Spans narrower than a pixel are drawn together, as a column that is as high as they fill their pixel's time.";

/** To tell the ids of views on one page apart. Each widget has a module of its own, so counting wouldn't do. */
const unique = () => `astra-timeline-${Math.random().toString(36).slice(2)}`;

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const group = (x, least, most) => x.toLocaleString("en", { minimumFractionDigits: least, maximumFractionDigits: most });

function make(tag, attributes = {}, parent = null) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value);
  }
  parent?.append(element);
  return element;
}

/** [size in ns, name] of the unit for a time, the same as Python's format_ns. */
const unit = (ns) => (ns < 1e4 ? [1, "ns"] : ns < 1e8 ? [1e3, "µs"] : [1e6, "ms"]);

/** A time to the ns, e.g. "1,404.443125 ms", in the unit that suits it or `like`. */
function nanoseconds(ns, like = ns) {
  const [size, name] = unit(like);
  return `${group(ns / size, size > 1 ? 3 : 0, size > 1e3 ? 6 : 3)} ${name}`;
}

function bytes(size) {
  const power = size ? clamp(Math.floor(Math.log2(size) / 10), 0, 4) : 0;
  return `${group(size / 1024 ** power, 0, 3)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

const several = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** Whether a key belongs to the page around the timeline, such as Ctrl+S or Shift+Enter. */
const shortcut = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");

// ---- what happened ----

class Run {
  constructor(data) {
    this.data = data;
    const { spans } = data; // from Python a view of bytes, in a saved page base64
    const buffer = typeof spans === "string" ? Uint8Array.from(atob(spans), (c) => c.charCodeAt(0)).buffer
      : spans.buffer.slice(spans.byteOffset, spans.byteOffset + spans.byteLength);
    const n = (this.count = buffer.byteLength / 32);
    [this.start, this.end, this.queued] = [0, 1, 2].map((i) => new Float64Array(buffer, 8 * n * i, n));
    [this.chunk, this.kind] = [24, 28].map((i) => new Int32Array(buffer, i * n, n));
    this.total = data.total_ns;
    this.tracks = data.tracks.map(([lane, row, first, count]) => ({ lane, row, first, last: first + count }));
    this.lanes = data.lanes.map(([name, spans, busy], lane) => {
      return { name, spans, busy, tracks: this.tracks.filter((track) => track.lane === lane) };
    });
    this.kinds = data.kinds.map(([layer, work, collective, phase, size]) => {
      return { layer, work, collective, phase, size, look: lookOf(phase === "compute" ? work : phase) };
    });
    this.layers = [...new Set(this.kinds.map((kind) => kind.layer))].filter(Boolean);
  }

  of(span) {
    return this.kinds[this.kind[span]];
  }

  track(span) {
    return this.tracks.find(({ first, last }) => first <= span && span < last);
  }

  /** The first span of a track that ends after a time; the track's end if none does. */
  after(track, time) {
    return firstWhere(track.first, track.last, (i) => this.end[i] > time);
  }

  /** [first, last) spans of a track that a stretch of time touches. */
  within(track, from, to) {
    const first = this.after(track, from);
    return [first, firstWhere(first, track.last, (i) => this.start[i] >= to)];
  }

  /** The span of a track nearest to a time, if it is no further than `reach`. */
  near(track, time, reach) {
    const next = this.after(track, time);
    const away = (i) => (i < track.first || i >= track.last ? Infinity : Math.max(this.start[i] - time, time - this.end[i], 0));
    const best = away(next - 1) < away(next) ? next - 1 : next;
    return away(best) <= reach ? best : null;
  }

  /** {spans, busy} of a lane in a stretch of time: how many there are, how long it carries at least one. */
  busy({ tracks }, from, to) {
    const pieces = [];
    for (const track of tracks) {
      const [first, last] = this.within(track, from, to);
      for (let i = first; i < last; i += 1) pieces.push([Math.max(from, this.start[i]), Math.min(to, this.end[i])]);
    }
    if (tracks.length > 1) pieces.sort((a, b) => a[0] - b[0]);
    let [busy, now] = [0, from];
    for (const [start, end] of pieces) {
      busy += Math.max(0, end - Math.max(now, start));
      now = Math.max(now, end);
    }
    return { spans: pieces.length, busy };
  }

  /** The spans of one chunk on its way: it queues for each at the moment at which the one before is over. */
  way(span) {
    if (this.chunk[span] < 0) return [span];
    const { layer, work } = this.of(span);
    const same = (i) => this.chunk[i] === this.chunk[span] && this.of(i).layer === layer && this.of(i).work === work;
    const mine = Array.from(this.start.keys()).filter(same).sort((a, b) => this.start[a] - this.start[b]);
    const way = [span];
    for (const i of mine.filter((i) => this.start[i] >= this.end[span])) {
      if (this.queued[i] === this.end[way.at(-1)]) way.push(i);
    }
    for (const i of mine.filter((i) => this.end[i] <= this.start[span]).reverse()) {
      if (this.end[i] === this.queued[way[0]]) way.unshift(i);
    }
    return way;
  }

  /** [heading, [name, value]...]: everything there is to say about a span. */
  facts(span) {
    const { layer, work, collective, phase, size } = this.of(span);
    const [start, end, lane] = [this.start[span], this.end[span], this.lanes[this.track(span).lane]];
    const when = [
      ["starts", nanoseconds(start, this.total)],
      ["ends", nanoseconds(end, this.total)],
      ["lasts", `${nanoseconds(end - start)} (${percent((end - start) / this.total)} of the run)`],
    ];
    if (collective) {
      const way = this.way(span);
      return [`${layer}, ${work}: ${phase}`, [
        ["on", lane.name],
        ["collective", collective],
        ["chunk", `${this.chunk[span]}, phase ${way.indexOf(span) + 1} of ${way.length}`],
        ["brings", bytes(size)],
        ["waited", nanoseconds(start - this.queued[span])],
        ...when,
      ]];
    }
    if (phase === "compute") return [`${layer}: ${work}`, [["on", lane.name], ...when]];
    const carried = this.lanes.filter(({ name }) => name.startsWith("dimension "))
      .map((dimension) => [dimension.name, this.busy(dimension, start, end).busy / (end - start)]);
    const meanwhile = carried.some(([, share]) => share > 0)
      ? carried.map(([name, share]) => `${name} busy ${percent(share)}`).join(", ")
      : "nothing on the network";
    if (end - start <= 1) when.push(["note", "the training loop takes 1 ns from one state to the next"]);
    return ["exposed communication: the NPU does not compute", [["meanwhile", meanwhile], ...when]];
  }
}

/** The first whole number from `low` on for which `holds`; `high` if there is none. False must come before true. */
function firstWhere(low, high, holds) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// ---- how it looks ----

const LOOKS = [
  { name: "forward", letters: "F", fill: "#57ad88", hatch: "" },
  { name: "input gradient", letters: "IG", fill: "#f3e79b", hatch: "." },
  { name: "weight gradient", letters: "WG", fill: "#e2b6d2", hatch: "-" },
  { name: "exposed", letters: "E", fill: "#c4c4c4", hatch: "x" },
  { name: "reduce-scatter", letters: "RS", fill: "#f7b787", hatch: "/" },
  { name: "all-gather", letters: "AG", fill: "#93c8ee", hatch: "\\" },
  { name: "all-reduce", letters: "AR", fill: "#9c7fd0", hatch: "x" },
  { name: "all-to-all", letters: "A2A", fill: "#4d9c92", hatch: "|" },
];
const HATCHES = { "/": ["M-1 7L7 -1M3 11L11 3"], "\\": ["M-1 1L7 9M3 -3L11 5"], x: ["M0 0L8 8M0 8L8 0"], "|": ["M4 0V8"], "-": ["M0 4H8"], ".": ["M2 2h1.6M6 6h1.6"] };

/** The number in LOOKS; a phase with a name of its own gets a look of its own. */
function lookOf(name) {
  const known = LOOKS.findIndex((look) => look.name === name);
  if (known >= 0) return known;
  const letters = name.split(/[- ]/).map((word) => word[0].toUpperCase()).join("");
  return LOOKS.push({ name, letters, fill: "#dcdcdc", hatch: "|" }) - 1;
}

/** A look's pattern for a canvas, made once for it. */
function hatching(context, look) {
  const known = (context.astraHatches ??= new Map());
  if (!known.has(look)) {
    const tile = make("canvas", { width: 16, height: 16 }).getContext("2d");
    tile.scale(2, 2);
    tile.strokeStyle = "rgb(0 0 0 / 0.32)";
    tile.lineWidth = 1.2;
    for (const path of HATCHES[look.hatch]) tile.stroke(new Path2D(path));
    known.set(look, context.createPattern(tile.canvas, "repeat"));
  }
  return known.get(look);
}

/** A bar; the hatch begins at `origin`, so that it moves with the bar. */
function bar(context, look, x, y, width, height, origin = x) {
  context.fillStyle = look.fill;
  context.fillRect(x, y, width, height);
  if (!look.hatch || width < 4) return;
  const pattern = hatching(context, look);
  pattern.setTransform(new DOMMatrix([0.5, 0, 0, 0.5, origin % 8, y % 8]));
  context.fillStyle = pattern;
  context.fillRect(x, y, width, height);
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.frame = () => ((this.request = null), this.draw());
    this.widths = new Map(); // of texts
    this.focus = this.hover = null; // the span kept by key or click, the one under the pointer
    this.root = make("div", { class: "astra-widget astra-timeline", role: "group" }, el);
    this.root.astraTimeline = this; // for tests and the curious
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

  #build() {
    const head = make("div", { class: "astra-head" }, this.root);
    this.title = make("strong", { class: "astra-title" }, head);
    this.times = make("span", { class: "astra-times" }, head);
    this.plot = make("div", { class: "astra-plot", tabindex: "0", role: "application", "aria-roledescription": "timeline", "aria-describedby": `${this.id}-keys` }, this.root);
    this.canvas = make("canvas", { "aria-hidden": "true" }, this.plot);
    this.context = this.canvas.getContext("2d");
    const bar = make("div", { class: "astra-bar" }, this.root);
    for (const [text, label, act] of [
      ["+", "Zoom in", () => this.zoom(0.5)],
      ["−", "Zoom out", () => this.zoom(2)],
      ["whole", "Whole run", () => this.look(0, this.run.total)],
      ["◂", "Earlier", () => this.pan(-0.5)],
      ["▸", "Later", () => this.pan(0.5)],
    ]) {
      make("button", { type: "button", text, title: label, "aria-label": label }, bar).addEventListener("click", act);
    }
    const keys = make("button", { type: "button", class: "astra-keys", text: "keys", "aria-label": "Keyboard and mouse", "aria-expanded": "false" }, bar);
    this.where = make("output", { class: "astra-where", "aria-live": "off" }, bar);
    const search = make("span", { class: "astra-search" }, bar);
    const label = make("label", { text: "highlight layer " }, search);
    this.search = make("input", { type: "search", size: 12, list: `${this.id}-layers`, spellcheck: "false", autocomplete: "off" }, label);
    this.names = make("datalist", { id: `${this.id}-layers` }, search);
    this.found = make("output", { class: "astra-found", "aria-live": "polite" }, search);
    this.help = make("p", { class: "astra-help", id: `${this.id}-keys`, text: KEYS, hidden: "" }, this.root);
    keys.addEventListener("click", () => keys.setAttribute("aria-expanded", String(!(this.help.hidden = !this.help.hidden))));
    this.legend = make("div", { class: "astra-legend" }, this.root);
    this.detail = make("div", { class: "astra-facts" }, this.root);
    this.said = make("p", { class: "astra-said", "aria-live": "polite" }, this.root);
    this.details = make("details", {}, this.root);
    make("summary", { text: "Table of the lanes, for the time that is shown" }, this.details);
    this.table = make("table", {}, this.details);
  }

  #observe() {
    const { plot, search } = this;
    this.heard = [["data", () => this.load()], ["window", () => this.#pull()], ["highlight", () => this.#match()]];
    for (const [name, hear] of this.heard) this.model.on(`change:${name}`, hear);
    this.sizes = new ResizeObserver(() => this.wake());
    this.sizes.observe(plot);
    this.themes = new MutationObserver(() => this.wake());
    this.themes.observe(document.body, { attributes: true });
    this.root.addEventListener("keydown", (event) => shortcut(event) || event.stopPropagation());
    this.root.addEventListener("keyup", (event) => shortcut(event) || event.stopPropagation());
    plot.addEventListener("keydown", (event) => this.#key(event));
    plot.addEventListener("focus", () => this.wake());
    plot.addEventListener("blur", () => this.wake());
    plot.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    plot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      plot.setPointerCapture(event.pointerId);
      this.drag = { x: event.offsetX, from: this.from, moved: false };
    });
    plot.addEventListener("pointermove", (event) => this.#point(event));
    plot.addEventListener("pointerup", (event) => {
      if (this.drag && !this.drag.moved) this.choose(this.at(event.offsetX, event.offsetY));
      this.drag = null;
    });
    plot.addEventListener("pointercancel", () => (this.drag = null));
    plot.addEventListener("pointerleave", () => this.#hover(null));
    plot.addEventListener("dblclick", (event) => this.zoomTo(this.at(event.offsetX, event.offsetY)));
    search.addEventListener("input", () => this.#share("highlight", search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.nextFound();
      if (event.key === "Escape") this.plot.focus();
    });
    this.details.addEventListener("toggle", () => this.#tabulate());
  }

  // ---- what belongs to one run ----

  load() {
    const whole = !this.run || (this.from === 0 && this.to === this.run.total);
    const run = (this.run = new Run(this.model.get("data")));
    this.focus = this.hover = this.drag = null;
    this.way = [];
    if (!(this.lane < run.lanes.length)) this.lane = undefined;
    const { title, total, compute, exposed } = run.data;
    this.title.textContent = `${total} in all`;
    this.times.textContent = `compute ${compute}, exposed communication ${exposed}`;
    this.plot.setAttribute("aria-label", `${title}: ${this.title.textContent}, ${this.times.textContent}; ${several(run.count, "span")} in ${run.lanes.length} lanes`);
    this.root.setAttribute("aria-label", `Timeline: ${title}`);
    this.names.replaceChildren(...run.layers.map((value) => make("option", { value })));
    this.#drawLegend();
    this.#arrange();
    this.#tell();
    const window = this.model.get("window");
    if (window) this.#pull();
    else if (whole) this.look(0, run.total);
    else this.look(this.from, this.to);
    this.#match();
  }

  #arrange() {
    let y = AXIS;
    for (const lane of this.run.lanes) {
      const rows = lane.tracks.length;
      lane.y = y;
      lane.row = rows > 1 ? clamp(120 / rows, 3, 20) : LANE;
      lane.height = lane.row * rows;
      y += Math.max(LANE, lane.height) + GAP;
    }
    this.height = y + 2;
    this.plot.style.height = `${this.height}px`;
  }

  #drawLegend() {
    const looks = [...new Set(this.run.kinds.map((kind) => kind.look))].sort((a, b) => a - b);
    this.legend.replaceChildren(...looks.map((number) => {
      const key = make("span", { class: "astra-key" });
      const context = make("canvas", { width: 64, height: 36, "aria-hidden": "true" }, key).getContext("2d");
      context.scale(2, 2);
      bar(context, LOOKS[number], 0, 0, 32, 18);
      this.#letter(context, LOOKS[number], LOOKS[number].letters, 16, 9.5, "center");
      key.append(LOOKS[number].name === "exposed" ? "exposed communication" : LOOKS[number].name);
      return key;
    }));
  }

  #match() {
    const text = (this.model.get("highlight") ?? "").trim().toLowerCase();
    if (this.search.value.trim().toLowerCase() !== text) this.search.value = this.model.get("highlight");
    const layers = this.run.layers.map((layer) => layer.toLowerCase());
    const wanted = new Set(layers.includes(text) ? [text] : layers.filter((layer) => text && layer.includes(text)));
    this.matched = wanted.size ? this.run.kinds.map((kind) => wanted.has(kind.layer.toLowerCase())) : null;
    const spans = this.matched ? this.run.kind.reduce((n, kind) => n + this.matched[kind], 0) : 0;
    this.found.textContent = !text ? "" : wanted.size ? `${several(spans, "span")} of ${several(wanted.size, "layer")}` : "no such layer";
    this.wake();
  }

  // ---- the window ----

  x(time) {
    return NAMES + (time - this.from) * this.scale;
  }

  time(x) {
    return this.from + (x - NAMES) / this.scale;
  }

  /** Show a stretch of time, kept inside the run. */
  look(from, to) {
    const { total } = this.run;
    const length = clamp(to - from, Math.min(SHORTEST, total), total);
    this.from = clamp(from, 0, total - length);
    this.to = length === total ? total : this.from + length;
    this.wake();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#settle(), SETTLED_MS);
  }

  zoom(by, around = this.#middle()) {
    this.look(around - (around - this.from) * by, around + (this.to - around) * by);
  }

  /** Of the span that is kept, if it is in sight; else of the window. */
  #middle() {
    const middle = this.focus === null ? -1 : (this.run.start[this.focus] + this.run.end[this.focus]) / 2;
    return middle >= this.from && middle <= this.to ? middle : (this.from + this.to) / 2;
  }

  pan(by) {
    const way = by * (this.to - this.from);
    this.look(this.from + way, this.to + way);
  }

  zoomTo(span) {
    if (span === null) return;
    const length = Math.max(this.run.end[span] - this.run.start[span], 1);
    this.look(this.run.start[span] - length / 4, this.run.end[span] + length / 4);
  }

  #settle() {
    const whole = this.from === 0 && this.to === this.run.total;
    const window = whole ? null : [this.from, this.to];
    if (String(window) !== String(this.model.get("window"))) this.#share("window", window);
    this.#tabulate();
  }

  #share(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  #pull() {
    const [from, to] = this.model.get("window") ?? [0, this.run.total];
    if (from !== this.from || to !== this.to) this.look(from, to);
  }

  // ---- the span that is looked at ----

  /** The span at a point of the canvas, or null. */
  at(x, y) {
    if (x < NAMES - REACH) return null;
    const lane = this.run.lanes.find((lane) => y >= lane.y && y < lane.y + lane.height);
    const track = lane?.tracks[Math.floor((y - lane.y) / lane.row)];
    return track ? this.run.near(track, this.time(x), REACH / this.scale) : null;
  }

  /** Keep a span, so that keys go on from it; its facts are read out. */
  choose(span) {
    this.focus = span;
    this.lane = span === null ? this.lane : this.run.track(span).lane;
    this.#tell(true);
  }

  /** The same, and bring it into sight. */
  goTo(span) {
    const [start, end, length] = [this.run.start[span], this.run.end[span], this.to - this.from];
    if (end <= this.from || start >= this.to || (end - start < length && (start < this.from || end > this.to))) {
      const from = (start + Math.min(end, start + length)) / 2 - length / 2;
      this.look(from, from + length);
    }
    this.choose(span);
  }

  /** To the next span of the lane, in time order over all its rows. */
  step(by) {
    if (this.focus === null) return this.#enter(this.lane ?? this.run.lanes.findIndex((lane) => lane.spans), this.#middle());
    const { start } = this.run;
    const before = (a, b) => start[a] - start[b] || a - b;
    const next = this.run.lanes[this.lane].tracks
      .map(({ first, last }) => {
        const after = firstWhere(first, last, (i) => before(i, this.focus) > (by > 0 ? 0 : -1));
        return by > 0 ? after : after - 1;
      })
      .filter((i, row) => i >= this.run.lanes[this.lane].tracks[row].first && i < this.run.lanes[this.lane].tracks[row].last)
      .filter((i) => before(i, this.focus) * by > 0)
      .sort((a, b) => by * before(a, b));
    if (next.length) this.goTo(next[0]);
  }

  /** To another lane, at the same time. */
  change(by) {
    const n = this.run.lanes.length;
    let lane = this.focus === null && this.lane === undefined ? (by > 0 ? 0 : n - 1) : (this.lane ?? 0) + by;
    while (lane >= 0 && lane < n && !this.run.lanes[lane].spans) lane += by;
    if (lane >= 0 && lane < n) this.#enter(lane, this.#middle());
  }

  #enter(lane, time) {
    const near = this.run.lanes[lane].tracks.map((track) => this.run.near(track, time, Infinity)).filter((i) => i !== null);
    const away = (i) => Math.max(this.run.start[i] - time, time - this.run.end[i], 0);
    if (near.length) this.goTo(near.sort((a, b) => away(a) - away(b))[0]);
  }

  /** To the next span that is highlighted, in time order; from the last one to the first. */
  nextFound() {
    const { kind, start } = this.run;
    if (!this.matched) return;
    const spans = Array.from(kind.keys()).filter((i) => this.matched[kind[i]]).sort((a, b) => start[a] - start[b] || a - b);
    if (spans.length) this.goTo(spans[(spans.indexOf(this.focus) + 1) % spans.length]);
  }

  #hover(span) {
    if (span === this.hover) return;
    this.hover = span;
    this.#tell();
  }

  #tell(aloud = false) {
    const span = this.hover ?? this.focus;
    this.way = span === null ? [] : this.run.way(span);
    if (span === null) {
      this.detail.replaceChildren(make("p", { text: "Point at a span for its facts, or step from span to span with the keys n and p." }));
      if (aloud) this.said.textContent = "no span";
    } else {
      const [heading, facts] = this.run.facts(span);
      const list = make("dl");
      for (const [name, value] of facts) {
        const pair = make("div", {}, list);
        make("dt", { text: name }, pair);
        make("dd", { text: value }, pair);
      }
      this.detail.replaceChildren(make("strong", { text: heading }), list);
      if (aloud) this.said.textContent = `${heading}; ${facts.map((fact) => fact.join(" ")).join(", ")}`;
    }
    this.wake();
  }

  // ---- pointer and keys ----

  #point(event) {
    if (!this.drag) return this.#hover(this.at(event.offsetX, event.offsetY));
    const by = event.offsetX - this.drag.x;
    this.drag.moved ||= Math.abs(by) > 3;
    if (!this.drag.moved) return;
    const from = this.drag.from - by / this.scale;
    this.look(from, from + this.to - this.from);
  }

  /** Without focus or Ctrl the wheel moves the page, as everywhere on it. */
  #wheel(event) {
    if (!(event.ctrlKey || event.metaKey || document.activeElement === this.plot)) return;
    event.preventDefault();
    const unit = [1, 16, 400][event.deltaMode];
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(((event.deltaX || event.deltaY) * unit) / 1000);
    else this.zoom(1.0015 ** clamp(event.deltaY * unit, -400, 400), this.time(Math.max(event.offsetX, NAMES)));
  }

  #key(event) {
    if (shortcut(event)) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const acts = {
      ArrowLeft: () => (event.shiftKey ? this.step(by) : this.pan(by / 10)),
      ArrowRight: () => (event.shiftKey ? this.step(by) : this.pan(by / 10)),
      ArrowUp: () => this.change(-1),
      ArrowDown: () => this.change(1),
      n: () => this.step(1),
      p: () => this.step(-1),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.look(0, this.run.total),
      Home: () => this.look(0, this.to - this.from),
      End: () => this.look(this.run.total - (this.to - this.from), this.run.total),
      Enter: () => this.zoomTo(this.focus),
      Escape: () => this.choose(null),
      "/": () => this.search.focus(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // ---- drawing ----

  wake() {
    this.request ??= requestAnimationFrame(this.frame);
  }

  draw() {
    const { context, plot, canvas, run } = this;
    const [width, ratio] = [plot.clientWidth, devicePixelRatio];
    if (width <= NAMES) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(this.height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(this.height * ratio);
    }
    const style = getComputedStyle(this.root);
    [this.ink, this.paper, this.font] = [style.color, style.backgroundColor, style.fontFamily];
    this.width = width;
    this.scale = (width - NAMES) / (this.to - this.from);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 1;
    context.clearRect(0, 0, width, this.height);
    this.#drawNames();
    this.#drawAxis();
    context.save();
    context.beginPath();
    context.rect(NAMES, 0, width - NAMES, this.height);
    context.clip();
    for (const track of run.tracks) this.#drawTrack(track);
    this.#drawLookedAt();
    context.restore();
    this.where.textContent = `${nanoseconds(Math.round(this.from), run.total)} to ${nanoseconds(Math.round(this.to), run.total)}`;
  }

  #text(text, x, y, size, alpha = 1, align = "left") {
    const { context } = this;
    context.font = `${size}px ${this.font}`;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillStyle = this.ink;
    context.globalAlpha = alpha;
    context.fillText(text, x, y);
    context.globalAlpha = 1;
  }

  #drawNames() {
    const { context, run } = this;
    for (const { name, y, height, busy } of run.lanes) {
      context.globalAlpha = 0.06;
      context.fillStyle = this.ink;
      context.fillRect(NAMES, y, this.width - NAMES, height);
      const middle = y + Math.max(LANE, height) / 2;
      this.#text(name, 0, middle - 7, 12.5);
      this.#text(`${percent(busy / run.total)} of the run`, 0, middle + 8, 11, 0.75);
    }
  }

  #drawAxis() {
    const { context } = this;
    const [size, name] = unit(this.run.total);
    const digits = (step) => Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
    const words = (time, step) => group(time / size, digits(step), digits(step));
    context.font = `11px ${this.font}`;
    const least = (step) => context.measureText(words(this.to, step)).width + 34;
    const power = 10 ** Math.floor(Math.log10((this.to - this.from) / 100));
    const steps = [1, 10, 100, 1000].flatMap((p) => [1, 2, 5].map((k) => Math.max(1, k * p * power)));
    const step = steps.find((step) => step * this.scale >= least(step)) ?? this.to - this.from;
    this.#text(`time, ${name}`, NAMES - 12, 11, 11, 0.75, "right");
    for (let k = Math.ceil(this.from / step); k * step <= this.to; k += 1) {
      const x = this.x(k * step);
      context.globalAlpha = 0.18;
      context.fillStyle = this.ink;
      context.fillRect(x - 0.5, 20, 1, this.height - 20);
      const text = words(k * step, step);
      const half = context.measureText(text).width / 2;
      this.#text(text, clamp(x, NAMES + half - 6, this.width - half - 1), 11, 11, 0.85, "center");
    }
    context.globalAlpha = 0.15;
    context.fillRect(NAMES, 22, this.width - NAMES, 3);
    const part = (this.width - NAMES) / this.run.total;
    context.globalAlpha = 0.75;
    context.fillRect(NAMES + this.from * part, 22, Math.max(2, (this.to - this.from) * part), 3);
    context.globalAlpha = 1;
  }

  /** A bar for every span of a pixel or more; narrower ones become columns, as high as they fill their pixel. */
  #drawTrack(track) {
    const { run, context, matched } = this;
    const lane = run.lanes[track.lane];
    const [y, height] = [lane.y + track.row * lane.row, lane.row > 4 ? lane.row - (lane.tracks.length > 1) : lane.row];
    const [first, last] = run.within(track, this.from, this.to);
    const filled = new Float64Array(2 * LOOKS.length); // of the pixel, for each look, pale and not
    let pixel = null;
    const column = () => {
      const sum = filled.reduce((a, b) => a + b, 0);
      const unit = Math.max(Math.min(sum, 1) * height, Math.min(4, height)) / sum;
      let bottom = y + height;
      filled.forEach((share, i) => {
        if (!share) return;
        context.globalAlpha = i % 2 ? 0.22 : 1;
        context.fillStyle = LOOKS[i >> 1].fill;
        context.fillRect(pixel, (bottom -= share * unit), 1, share * unit);
      });
      filled.fill(0);
    };
    const labels = [];
    for (let i = first; i < last; i += 1) {
      const [x0, x1] = [this.x(run.start[i]), this.x(run.end[i])];
      const [kind, pale] = [run.of(i), Boolean(matched && !matched[run.kind[i]])];
      if (x1 - x0 < 1) {
        if (pixel !== null && pixel !== Math.floor(x0)) column();
        pixel = Math.floor(x0);
        filled[2 * kind.look + pale] += Math.max(x1 - x0, 1e-6);
        continue;
      }
      const [a, b] = [Math.max(x0, NAMES - 8), Math.min(x1, this.width + 8)];
      context.globalAlpha = pale ? 0.22 : 1;
      bar(context, LOOKS[kind.look], a, y, Math.max(1, b - a - (x1 - x0 > 3)), height, x0);
      if (b - a > 12 && height >= 12) labels.push([i, Math.max(a, NAMES), Math.min(b, this.width), pale]);
    }
    if (pixel !== null) column();
    for (const [i, a, b, pale] of labels) if (!pale) this.#label(i, a, b, y + height / 2);
    context.globalAlpha = 1;
  }

  /** The longest text about a span that fits between two places. */
  #label(span, a, b, y) {
    const { context, run } = this;
    const { layer, phase, collective, look } = run.of(span);
    const { letters } = LOOKS[look];
    const texts = collective
      ? [`${layer} ${phase}, chunk ${run.chunk[span]}`, `${layer} ${letters} ${run.chunk[span]}`, `${letters} ${run.chunk[span]}`, letters]
      : phase === "compute" ? [`${layer} ${LOOKS[look].name}`, `${layer} ${letters}`, letters]
      : ["exposed communication", "exposed", letters];
    context.font = `11px ${this.font}`;
    const fits = texts.find((text) => this.#wide(text) + 8 <= b - a);
    if (fits) this.#letter(context, LOOKS[look], fits, (a + b) / 2, y, "center", this.#wide(fits));
  }

  #wide(text) {
    if (!this.widths.has(text)) {
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(text, this.context.measureText(text).width);
    }
    return this.widths.get(text);
  }

  /** A text on a bar; where there is a hatch, it gets a ground without one. */
  #letter(context, look, text, x, y, align, width = 0) {
    context.globalAlpha = 1;
    context.font = `11px ${this.font ?? "sans-serif"}`;
    if (look.hatch) {
      const wide = width || context.measureText(text).width;
      context.fillStyle = look.fill;
      context.fillRect(x - wide / 2 - 2, y - 7, wide + 4, 14);
    }
    context.fillStyle = DARK;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillText(text, x, y);
  }

  /** Frames around the span that is looked at and around the rest of its chunk's way, and a line for its waiting. */
  #drawLookedAt() {
    const { context, run } = this;
    const frame = (span, grow, width, style) => {
      const { lane: number, row } = run.track(span);
      const lane = run.lanes[number];
      const [x0, x1] = [this.x(run.start[span]), Math.max(this.x(run.end[span]), this.x(run.start[span]) + 3)];
      context.strokeStyle = style;
      context.lineWidth = width;
      context.strokeRect(x0 - grow, lane.y + row * lane.row - grow, x1 - x0 + 2 * grow, lane.row + 2 * grow);
    };
    context.setLineDash([4, 3]);
    for (const span of this.way) frame(span, 1, 1.5, this.ink);
    context.setLineDash([]);
    for (const span of new Set([this.focus, this.hover])) {
      if (span === null) continue;
      frame(span, 1.5, 4.5, this.paper);
      frame(span, 1.5, 2.5, this.ink);
    }
    const span = this.hover ?? this.focus;
    if (span === null || run.start[span] <= run.queued[span]) return;
    const { lane: number } = run.track(span);
    const lane = run.lanes[number];
    const [x0, x1, y] = [this.x(run.queued[span]), this.x(run.start[span]), lane.y + lane.height + 4.5];
    context.fillStyle = this.ink;
    context.fillRect(x0, y, x1 - x0, 1.5);
    context.fillRect(x0, y - 3, 1.5, 7);
    context.fillRect(x1 - 1.5, y - 3, 1.5, 7);
  }

  #tabulate() {
    if (!this.details.open) return;
    const { run, from, to } = this;
    this.table.replaceChildren();
    make("caption", { text: `From ${nanoseconds(from, run.total)} to ${nanoseconds(to, run.total)}` }, this.table);
    const head = make("tr", {}, make("thead", {}, this.table));
    for (const text of ["lane", "spans", "busy", "of the time"]) make("th", { scope: "col", text }, head);
    const body = make("tbody", {}, this.table);
    for (const lane of run.lanes) {
      const { spans, busy } = run.busy(lane, from, to);
      const row = make("tr", {}, body);
      make("th", { scope: "row", text: lane.name }, row);
      for (const text of [spans.toLocaleString("en"), nanoseconds(busy), percent(busy / (to - from))]) make("td", { text }, row);
    }
  }
}

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.destroy();
}

export default { render };
