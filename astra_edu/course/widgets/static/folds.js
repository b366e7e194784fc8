// The folds: draws the payload made by folds.py. One module, no libraries.
//   Plane  the folds as columns of numbers, and where they are on the picture
//   View   one per place on the page: the plane, the arrays, the controls
// A step is a round of folds, one on each array: step 0 is before the first round, step k when round k is over.

const SVG = "http://www.w3.org/2000/svg";
const MESSAGE_MS = 100; // between two messages to Python
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const ALL_S = 24; // to play everything at speed 1, if no beat is shorter or longer than it may be
const BOX = { width: 420, height: 392, left: 40, top: 36, right: 8, bottom: 34 };
const STRETCH = 4; // what is longer than this many times its width is drawn out of scale
const FINEST = 3; // px between two lines
const LEAST = 5; // px of the current fold, however small it is
const MARKS = 16; // pointers at the edges
const SIZES = [1, 2, 3, 4, 6, 8, 12].concat([...Array(20).keys()].flatMap((p) => [16 << p, 24 << p]).filter((n) => n <= 1e6));
const SIDES = SIZES.filter((n) => n <= 512);
const COUNTS = [1, 2, 4, 8, 16, 32, 64];
const CONTROLS = [
  ["m", "M", SIZES],
  ["n", "N", SIZES],
  ["k", "K", SIZES],
  ["rows", "rows", SIDES],
  ["columns", "columns", SIDES],
  ["count", "arrays", COUNTS],
];
const HELD = { weight: "a weight", output: "an output", input: "an input" };
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  play: "M4 2l9 6-9 6z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};
const KEYS = "Space or k: play or pause\n← →: one round of folds back or on\nHome, End: before the first, after the last\n+ −: faster, slower";

/** To tell the ids of views on one page apart. Each widget has a module of its own, so counting wouldn't do. */
const unique = () => `astra-folds-${Math.random().toString(36).slice(2)}`;

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const count = (n) => n.toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const nearest = (values, x) => values.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(values[best] - x) ? i : best), 0);

/** A new element; "text" sets its text, everything else is an attribute. */
function make(tag, attributes = {}, parent = null) {
  const inSvg = parent instanceof SVGElement || tag === "svg";
  const element = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) put(element, name, value);
  parent?.append(element);
  return element;
}

/** Set an attribute (or "text") only if it changed. */
function put(element, name, value) {
  const known = (element.astraKnown ??= {});
  if (known[name] === value) return;
  known[name] = value;
  if (name === "text") element.textContent = value;
  else if (value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

/** Whether a key belongs to the page around the widget, such as Ctrl+S or Shift+Enter. */
const shortcut = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");

/** Width and height that something has in a box; to scale unless it is too long. */
function fitted(rows, columns, width, height) {
  const shape = clamp(rows / columns, 1 / STRETCH, STRETCH);
  const wide = Math.min(width, height / shape);
  return { width: wide, height: wide * shape, exact: shape === rows / columns };
}

const rectangle = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

class Plane {
  constructor(data) {
    const { folds } = data; // from Python a view of bytes, in a saved page base64
    const buffer = typeof folds === "string" ? Uint8Array.from(atob(folds), (c) => c.charCodeAt(0)).buffer
      : folds.buffer.slice(folds.byteOffset, folds.byteOffset + folds.byteLength);
    const n = (this.count = buffer.byteLength / 48);
    [this.product, this.array, this.row, this.rows, this.column, this.columns] =
      [0, 1, 2, 3, 4, 5].map((i) => new Float64Array(buffer, 8 * n * i, n));
    this.data = data;
    const [rows, columns] = data.plane;
    const room = { width: BOX.width - BOX.left - BOX.right, height: BOX.height - BOX.top - BOX.bottom };
    const size = fitted(rows, columns, room.width, room.height);
    Object.assign(this, size, { x: BOX.left + (room.width - size.width) / 2, y: BOX.top });
    this.scale = [size.width / columns, size.height / rows];
  }

  /** The numbers of the folds of a step: [first, last). */
  round(step) {
    const { first } = this.data;
    return step ? [first[step - 1], first[step] ?? this.count] : [0, 0];
  }

  /** x, y, width, height of a fold on the picture. */
  place(i) {
    const [across, down] = this.scale;
    return [this.x + across * this.column[i], this.y + down * this.row[i], across * this.columns[i], down * this.rows[i]];
  }

  /** The outline of all folds of a product before fold `end`: one piece for each of the columns that they fill. */
  done(product, end) {
    const pieces = new Map();
    for (let i = end - 1; i >= 0 && this.product[i] >= product; i -= 1) {
      if (this.product[i] > product) continue;
      const [x, y, width, height] = this.place(i);
      const piece = pieces.get(x) ?? { y: Infinity, bottom: 0, width };
      pieces.set(x, { y: Math.min(piece.y, y), bottom: Math.max(piece.bottom, y + height), width });
    }
    return [...pieces].map(([x, { y, bottom, width }]) => rectangle(x, y, width, bottom - y)).join("");
  }

  /** The lines between the folds, as far as there are not too many to tell apart. */
  lines() {
    const { data } = this;
    const [down, across] = data.grid;
    const [rows, columns] = data.array;
    let path = "";
    if (this.scale[1] * rows >= FINEST) {
      for (let k = 1; k < down; k += 1) path += `M${this.x} ${this.y + k * rows * this.scale[1]}h${this.width}`;
    }
    if (this.scale[0] * columns >= FINEST) {
      for (let k = 1; k < across; k += 1) path += `M${this.x + k * columns * this.scale[0]} ${this.y}v${this.height}`;
    }
    return path;
  }
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.speed = 1;
    this.asked = 0;
    this.root = make("div", { class: "astra-player astra-folds", tabindex: "0", role: "group" }, el);
    this.root.astraFolds = this; // for tests and the curious
    this.#build();
    this.onData = () => this.load();
    this.onStep = () => this.#pull();
    this.frame = (now) => this.#frame(now);
    model.on("change:data", this.onData);
    model.on("change:step", this.onStep);
    this.load();
  }

  destroy() {
    cancelAnimationFrame(this.request);
    clearTimeout(this.timer);
    if (this.timer) this.#send();
    this.model.off("change:data", this.onData);
    this.model.off("change:step", this.onStep);
    this.root.remove();
  }

  get steps() {
    return this.data.first.length;
  }

  // ---- what stays ----

  #build() {
    const head = make("div", { class: "astra-head" }, this.root);
    this.title = make("strong", { class: "astra-title" }, head);
    this.#buildControls();
    this.body = make("div", { class: "astra-body" }, this.root);
    this.planeBox = make("div", { class: "astra-stage" }, this.body);
    this.arrayBox = make("div", { class: "astra-stage" }, this.body);
    this.#buildLegend();
    this.facts = make("dl", { class: "astra-figures" }, this.root);
    this.figures = ["fold", "cycle", "PEs that hold something", "MACs done"].map((name) => {
      const pair = make("div", {}, this.facts);
      return { name: make("dt", { text: name }, pair), value: make("dd", {}, pair) };
    });
    this.parts = make("div", { class: "astra-parts" }, this.root);
    this.#buildPanel();
    this.live = make("p", { class: "astra-live", "aria-live": "polite", id: `${this.id}-live` }, this.root);
    this.note = make("p", { class: "astra-note" }, this.root);
    this.problem = make("p", { class: "astra-problem", role: "alert" }, this.root);
    put(this.root, "aria-describedby", `${this.id}-live`);
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("keyup", (event) => shortcut(event) || event.stopPropagation());
  }

  #buildControls() {
    this.controls = make("div", { class: "astra-controls", role: "group", "aria-label": "Product and array" }, this.root);
    this.inputs = {};
    for (const [name, text, values] of CONTROLS) {
      const line = make("div", { class: "astra-control" }, this.controls);
      make("span", { text, "aria-hidden": "true" }, line);
      const slider = make("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": text }, line);
      const exact = make("input", { type: "number", min: 1, step: 1, "aria-label": `${text}, exactly` }, line);
      slider.addEventListener("input", () => {
        exact.value = values[slider.value];
        put(slider, "aria-valuetext", exact.value);
        this.#ask();
      });
      exact.addEventListener("change", () => this.#ask());
      this.inputs[name] = { slider, exact, values };
    }
    const line = make("label", { class: "astra-control", text: "stationary " }, this.controls);
    this.dataflow = make("select", { "aria-label": "Dataflow: what is stationary" }, line);
    for (const name of Object.keys(HELD)) make("option", { value: name, text: `${name}s` }, this.dataflow);
    this.dataflow.addEventListener("change", () => this.#ask());
  }

  #buildLegend() {
    const legend = make("p", { class: "astra-legend" }, this.root);
    for (const [name, text] of [["now", "on the array now"], ["done", "done"], ["idle", "idle PEs"]]) {
      const key = make("span", { class: "astra-fold-key" }, legend);
      const picture = make("svg", { viewBox: "0 0 22 14", "aria-hidden": "true" }, key);
      this.#patterns(picture, `key-${name}`);
      make("rect", { x: 1, y: 1, width: 20, height: 12, class: `astra-fold-${name}`, fill: this.#fill(name, `key-${name}`) }, picture);
      make("span", { text }, key);
    }
  }

  #buildPanel() {
    this.panel = make("div", { class: "astra-panel" }, this.root);
    const track = make("div", { class: "astra-track" }, this.panel);
    this.strip = make("div", { class: "astra-strip", "aria-hidden": "true" }, track);
    this.over = make("i", { class: "astra-over" }, this.strip);
    this.range = make("input", { type: "range", min: 0, step: 1, class: "astra-range", "aria-label": "Rounds of folds that are over" }, track);
    this.range.addEventListener("input", () => (this.play(false), this.go(Number(this.range.value))));
    const bar = make("div", { class: "astra-bar" }, this.panel);
    for (const [name, label, act] of [
      ["first", "Before the first fold", () => (this.play(false), this.go(0))],
      ["previous", "One round of folds back", () => (this.play(false), this.go(this.step - 1))],
      ["play", "Play", () => this.play(!this.playing)],
      ["next", "One round of folds on", () => (this.play(false), this.go(this.step + 1))],
      ["last", "After the last fold", () => (this.play(false), this.go(this.steps))],
    ]) {
      const button = make("button", { type: "button", class: `astra-button astra-${name}`, "aria-label": label, title: label }, bar);
      const icon = make("path", { d: ICONS[name] }, make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, button));
      button.addEventListener("click", act);
      if (name === "play") Object.assign(this, { playButton: button, playIcon: icon });
    }
    const speed = make("label", { class: "astra-speed", text: "speed " }, bar);
    this.speedMenu = make("select", { "aria-label": "Speed" }, speed);
    for (const s of SPEEDS) make("option", { value: s, text: `${s}×` }, this.speedMenu);
    this.speedMenu.value = "1";
    this.speedMenu.addEventListener("change", () => (this.speed = Number(this.speedMenu.value)));
    const keys = make("button", { type: "button", class: "astra-keys", title: KEYS, "aria-label": "Keyboard shortcuts", "aria-expanded": "false", text: "keys" }, bar);
    keys.addEventListener("click", () => {
      put(keys, "aria-expanded", String(this.help.hidden));
      put(this.help, "hidden", !this.help.hidden);
    });
    this.help = make("pre", { class: "astra-help", hidden: true, text: KEYS }, this.panel);
  }

  /** Dots and hatches, so that no colour stands alone. */
  #patterns(svg, name) {
    const defs = make("defs", {}, svg);
    const pattern = (kind, size, d) => {
      const found = make("pattern", { id: `${this.id}-${name}-${kind}`, width: size, height: size, patternUnits: "userSpaceOnUse" }, defs);
      make("rect", { width: size, height: size, class: `astra-back-${kind}` }, found);
      make("path", { d, class: `astra-mark-${kind}` }, found);
    };
    pattern("done", 8, "M2 1v2M1 2h2M6 5v2M5 6h2");
    pattern("idle", 7, "M-1 1L1 -1M0 7L7 0M6 8L8 6M-1 6L1 8M0 0L7 7M6 -1L8 1");
  }

  #fill(kind, name) {
    return kind === "now" ? null : `url(#${this.id}-${name}-${kind})`;
  }

  // ---- what belongs to one folding ----

  load() {
    const data = this.model.get("data");
    if (data.number === this.waiting) this.waiting = null;
    const problem = data.problem ?? "";
    put(this.problem, "text", problem);
    this.body.classList.toggle("astra-stale", Boolean(problem));
    if (!problem && data !== this.data) this.#show(data);
    if (this.again && !this.waiting) this.#ask();
  }

  #show(data) {
    this.play(false);
    this.data = data;
    this.plane = new Plane(data);
    for (const [name, [light, dark]] of Object.entries(data.palette)) {
      this.root.style.setProperty(`--astra-${name}`, `light-dark(${light}, ${dark})`);
    }
    put(this.root, "aria-label", `Folds: ${data.title}`);
    put(this.title, "text", data.title);
    put(this.controls, "hidden", !data.live);
    if (!this.again && !this.waiting) this.#setControls(data.controls);
    this.#drawPlane();
    this.#drawArrays();
    this.#drawParts();
    put(this.range, "max", this.steps);
    put(this.figures[0].name, "text", data.array[2] > 1 ? "folds" : "fold");
    const more = data.rounds > this.steps;
    put(this.note, "text", more ? `The first ${count(this.plane.count)} of ${count(data.fold_count)} folds can be stepped through; what is said of all of them is of all.` : "");
    this.step = clamp(this.model.get("step"), 0, this.steps);
    this.draw();
  }

  #setControls(values) {
    for (const [name, { slider, exact, values: choices }] of Object.entries(this.inputs)) {
      exact.value = values[name];
      slider.value = nearest(choices, values[name]);
      put(slider, "aria-valuetext", String(values[name]));
    }
    this.dataflow.value = values.dataflow;
  }

  /** Ask Python for the folding that the controls describe; the latest wish waits for the answer to the last. */
  #ask() {
    this.again = Boolean(this.waiting);
    if (this.again) return;
    const wish = { dataflow: this.dataflow.value, products: this.data.controls.products };
    for (const [name, { exact }] of Object.entries(this.inputs)) wish[name] = exact.value === "" ? null : Number(exact.value);
    this.waiting = wish.number = `${this.id}.${(this.asked += 1)}`;
    this.model.set("asked", wish);
    this.model.save_changes();
  }

  #drawPlane() {
    const { plane, data } = this;
    const [along, across] = data.axes;
    const svg = make("svg", { viewBox: `0 0 ${BOX.width} ${BOX.height}`, "aria-hidden": "true" });
    this.#patterns(svg, "plane");
    make("path", { d: rectangle(plane.x, plane.y, plane.width, plane.height), class: "astra-plane" }, svg);
    this.doneShape = make("path", { class: "astra-fold-done", fill: this.#fill("done", "plane") }, svg);
    make("path", { d: plane.lines(), class: "astra-fold-lines" }, svg);
    make("path", { d: rectangle(plane.x, plane.y, plane.width, plane.height), class: "astra-frame" }, svg);
    this.nowShape = make("path", { class: "astra-fold-now" }, svg);
    this.pointers = make("path", { class: "astra-pointers" }, svg);
    const scale = plane.exact ? "" : " (not to scale)";
    make("text", { x: plane.x + plane.width / 2, y: plane.y - 18, text: `${across} = ${count(data.plane[1])}${scale}` }, svg);
    const [x, y] = [plane.x - 20, plane.y + plane.height / 2];
    make("text", { x, y, transform: `rotate(-90 ${x} ${y})`, text: `${along} = ${count(data.plane[0])}` }, svg);
    this.planeText = make("text", { x: plane.x + plane.width / 2, y: plane.y + plane.height + 22, class: "astra-caption" }, svg);
    this.planeBox.replaceChildren(svg);
  }

  #drawArrays() {
    const [rows, columns, arrays] = this.data.array;
    const svg = make("svg", { viewBox: `0 0 ${BOX.width} ${BOX.height}`, "aria-hidden": "true" });
    this.#patterns(svg, "array");
    const room = { width: BOX.width - BOX.left - BOX.right, height: BOX.height - BOX.top - BOX.bottom };
    const shape = clamp(rows / columns, 1 / STRETCH, STRETCH);
    const wide = clamp(Math.ceil(Math.sqrt(arrays * shape)), 1, arrays);
    const high = Math.ceil(arrays / wide);
    const gap = arrays > 1 ? 8 / Math.sqrt(Math.max(wide, high)) : 0;
    const size = fitted(rows, columns, room.width / wide - gap, room.height / high - gap);
    const [left, top] = [BOX.left + (room.width - wide * (size.width + gap) + gap) / 2, BOX.top];
    this.tiles = Array.from({ length: arrays }, (_, i) => {
      const [x, y] = [left + (i % wide) * (size.width + gap), top + Math.floor(i / wide) * (size.height + gap)];
      return { x, y, across: size.width / columns, down: size.height / rows };
    });
    const all = this.tiles.map(({ x, y }) => rectangle(x, y, size.width, size.height)).join("");
    make("path", { d: all, class: "astra-fold-idle", fill: this.#fill("idle", "array") }, svg);
    this.heldShape = make("path", { class: "astra-fold-now" }, svg);
    this.peLines = make("path", { class: "astra-pe-lines" }, svg);
    make("path", { d: all, class: "astra-frame" }, svg);
    const scale = size.exact ? "" : " (not to scale)";
    const name = arrays > 1 ? `${count(arrays)} arrays of ${count(rows)} × ${count(columns)} PEs` : `array of ${count(rows)} × ${count(columns)} PEs`;
    make("text", { x: BOX.left + room.width / 2, y: top - 18, text: name + scale }, svg);
    const bottom = top + high * (size.height + gap) - gap;
    this.arrayText = make("text", { x: BOX.left + room.width / 2, y: bottom + 22, class: "astra-caption" }, svg);
    this.arrayBox.replaceChildren(svg);
  }

  #drawParts() {
    const { parts, fold_cycles: cycles } = this.data;
    this.parts.replaceChildren();
    const said = parts.map(([name, n]) => `${name} ${count(n)}`).join(" + ");
    make("span", { text: `one fold: ${said} = ${count(cycles)} cycles` }, this.parts);
    const bar = make("div", { class: "astra-part-bar", "aria-hidden": "true" }, this.parts);
    for (const [name, n] of parts) {
      make("i", { class: `astra-part astra-part-${name}`, style: `width:${(100 * n) / cycles}%`, text: n / cycles > 0.12 ? name : "" }, bar);
    }
  }

  // ---- every step ----

  go(step) {
    const wanted = clamp(step, 0, this.steps);
    if (wanted === this.step) return;
    this.step = wanted;
    this.draw();
    const wait = MESSAGE_MS - (performance.now() - (this.sent ?? -Infinity));
    if (wait > 0) this.timer ??= setTimeout(() => ((this.timer = null), this.#send()), wait);
    else this.#send();
  }

  play(on) {
    if (on === Boolean(this.playing)) return;
    this.playing = on;
    if (on && this.step === this.steps) this.go(0);
    this.position = this.step;
    this.last = null;
    put(this.live, "aria-live", on ? "off" : "polite"); // nobody wants every fold read out
    put(this.playIcon, "d", on ? ICONS.pause : ICONS.play);
    for (const name of ["aria-label", "title"]) put(this.playButton, name, on ? "Pause" : "Play");
    cancelAnimationFrame(this.request);
    if (on) this.request = requestAnimationFrame(this.frame);
  }

  #frame(now) {
    const seconds = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    this.position += (seconds * this.speed) / clamp(ALL_S / this.steps, 0.002, 1);
    this.go(Math.floor(this.position));
    if (this.step === this.steps) this.play(false);
    else this.request = requestAnimationFrame(this.frame);
  }

  #pull() {
    const step = clamp(this.model.get("step"), 0, this.steps);
    if (step === this.step) return;
    this.play(false);
    this.step = step;
    this.draw();
  }

  #send() {
    this.sent = performance.now();
    this.model.set("step", this.step);
    this.model.save_changes();
  }

  draw() {
    const { data, plane, step } = this;
    const [start, end] = plane.round(step);
    const folds = Array.from({ length: end - start }, (_, i) => start + i);
    const product = folds.length ? plane.product[end - 1] : 0;
    const shown = folds.filter((i) => plane.product[i] === product);
    put(this.doneShape, "d", plane.done(product, shown[0] ?? 0));
    this.#drawNow(shown.map((i) => plane.place(i)));
    this.#drawHeld(folds);
    if (Number(this.range.value) !== step) this.range.value = step;
    this.over.style.width = `${(100 * step) / this.steps}%`;
    this.#drawFigures(start, end, step);
    put(this.live, "text", this.#sentence(start, end, step));
    put(this.range, "aria-valuetext", step ? `${step} of ${data.rounds}` : "before the first fold");
    const which = data.products > 1 ? `product ${count(product + 1)} of ${count(data.products)}` : "the product's plane, cut into folds";
    put(this.planeText, "text", which);
  }

  #drawNow(places) {
    const larger = ([x, y, width, height]) => {
      const [w, h] = [Math.max(width, LEAST), Math.max(height, LEAST)];
      return rectangle(x + (width - w) / 2, y + (height - h) / 2, w, h);
    };
    put(this.nowShape, "d", places.map(larger).join(""));
    const { x, y } = this.plane;
    const tops = [...new Set(places.map(([left, , width]) => left + width / 2))];
    const sides = [...new Set(places.map(([, top, , height]) => top + height / 2))];
    const few = (marks) => (marks.length > MARKS ? [] : marks);
    const down = few(tops).map((at) => `M${at} ${y - 2}l-4 -8h8z`);
    const right = few(sides).map((at) => `M${x - 2} ${at}l-8 -4v8z`);
    put(this.pointers, "d", [...down, ...right].join(""));
  }

  #drawHeld(folds) {
    const { plane, tiles } = this;
    let [held, lines] = ["", ""];
    for (const i of folds) {
      const { x, y, across, down } = tiles[plane.array[i]];
      const [width, height] = [plane.columns[i] * across, plane.rows[i] * down];
      held += rectangle(x, y, width, height);
      if (across < FINEST + 1 || down < FINEST + 1) continue;
      for (let k = 1; k < plane.columns[i]; k += 1) lines += `M${x + k * across} ${y}v${height}`;
      for (let k = 1; k < plane.rows[i]; k += 1) lines += `M${x} ${y + k * down}h${width}`;
    }
    put(this.heldShape, "d", held);
    put(this.peLines, "d", lines);
  }

  #drawFigures(start, end, step) {
    const { data } = this;
    const which = end - start > 1 ? `${count(start + 1)}–${count(end)}` : count(end);
    const texts = [
      `${which} of ${count(data.fold_count)}`,
      `${count(step ? data.end[step - 1] : 0)} of ${count(data.cycles)}`,
      `${step ? percent(data.held[step - 1]) : "–"} now, ${percent(data.mapping)} as a mean`,
      `${step ? percent(data.done[step - 1]) : "–"} so far, ${percent(data.compute)} at the end`,
    ];
    texts.forEach((text, i) => put(this.figures[i].value, "text", text));
    const [rows, columns] = data.array;
    const one = end - start === 1;
    const taken = one ? `${this.plane.rows[start]} × ${this.plane.columns[start]} PEs hold ${HELD[data.holds]}` : "";
    const idle = one ? rows * columns - this.plane.rows[start] * this.plane.columns[start] : 0;
    put(this.arrayText, "text", one ? `${taken}, ${count(idle)} idle` : step ? `${percent(data.held[step - 1])} of all PEs hold ${HELD[data.holds]}` : "nothing yet");
  }

  #sentence(start, end, step) {
    const { data, plane } = this;
    if (!step) return `Before the first of ${count(data.fold_count)} folds. Press play, or → for one round.`;
    const [along, across] = data.axes;
    const range = (from, size) => (size > 1 ? `${count(from)} to ${count(from + size - 1)}` : count(from));
    const when = `cycles ${count(data.end[step - 1] - data.fold_cycles + 1)} to ${count(data.end[step - 1])}`;
    const share = percent(data.held[step - 1]);
    if (end - start > 1) {
      return `Round ${count(step)} of ${count(data.rounds)}, folds ${count(start + 1)} to ${count(end)}, ${when}: one fold on each of ${end - start} arrays; ${share} of all PEs hold ${HELD[data.holds]}.`;
    }
    const where = `${along} ${range(plane.row[start], plane.rows[start])} along the rows, ${across} ${range(plane.column[start], plane.columns[start])} along the columns`;
    return `Fold ${count(end)} of ${count(data.fold_count)}, ${when}: ${where}; ${share} of ${data.array[2] > 1 ? "all" : "the"} PEs hold ${HELD[data.holds]}.`;
  }

  #key(event) {
    if (shortcut(event)) return;
    event.stopPropagation(); // a notebook has its own use for plain keys: x cuts a cell
    const { target, key } = event;
    if (target.tagName === "SELECT" || (target.tagName === "INPUT" && target !== this.range)) return;
    if (key === " " && target.tagName === "BUTTON") return;
    const faster = (by) => {
      this.speed = SPEEDS[clamp(SPEEDS.indexOf(this.speed) + by, 0, SPEEDS.length - 1)];
      this.speedMenu.value = String(this.speed);
    };
    const acts = {
      " ": () => this.play(!this.playing),
      k: () => this.play(!this.playing),
      ArrowRight: () => (this.play(false), this.go(this.step + 1)),
      ArrowLeft: () => (this.play(false), this.go(this.step - 1)),
      Home: () => (this.play(false), this.go(0)),
      End: () => (this.play(false), this.go(this.steps)),
      "+": () => faster(1),
      "=": () => faster(1),
      "-": () => faster(-1),
    };
    if (!acts[key]) return;
    event.preventDefault();
    acts[key]();
  }
}

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.destroy();
}

export default { render };
