// The link player: draws the payload made by link_player.py. One module, no libraries.
//   Traffic  the messages as columns of numbers, by link, and what is true of a link at a time
//   View     one per place on the page: the network, the busiest links, the controls
// Times are in ns. An event is a time at which some message starts on a link or arrives at its end.

const SVG = "http://www.w3.org/2000/svg";
const MESSAGE_MS = 100; // between two messages to Python
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const ALL_S = 20; // to play everything at speed 1
const LISTED = 10; // links in the table
const LABELLED = 100; // with more links, no numbers at them
const TOKEN = 8; // px of a message
const MOST_TOKENS = 600;
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  play: "M4 2l9 6-9 6z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};
const KEYS = "Space or k: play or pause\n← →: to the event before or the next one (a message starts or arrives)\nPage Up, Page Down: a twentieth of the run back or on\nHome, End: to the start, to the end\n+ −: faster, slower";

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const count = (n) => n.toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const several = (n, thing) => `${count(n)} ${thing}${n === 1 ? "" : "s"}`;

/** To tell the ids of views on one page apart. */
const unique = () => `astra-links-${Math.random().toString(36).slice(2)}`;

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

class Traffic {
  constructor(data) {
    const { uses } = data; // from Python a view of bytes, in a saved page base64
    const buffer = typeof uses === "string" ? Uint8Array.from(atob(uses), (c) => c.charCodeAt(0)).buffer
      : uses.buffer.slice(uses.byteOffset, uses.byteOffset + uses.byteLength);
    const n = buffer.byteLength / 48;
    const [link, size, queued, start, free, end] = [0, 1, 2, 3, 4, 5].map((i) => new Float64Array(buffer, 8 * n * i, n));
    this.links = data.links.map(() => ({ size: [], queued: [], start: [], free: [], end: [], busy: [0] }));
    for (let i = 0; i < n; i += 1) {
      const one = this.links[link[i]];
      one.size.push(size[i]);
      one.queued.push(queued[i]);
      one.start.push(start[i]);
      one.free.push(free[i]);
      one.end.push(end[i]);
      one.busy.push(one.busy[one.busy.length - 1] + free[i] - start[i]);
    }
    for (const one of this.links) one.queued.sort((a, b) => a - b);
    this.events = [...new Set([0, ...start, ...end, data.total_ns])].sort((a, b) => a - b);
    this.lost = data.lost;
  }

  /** Of a link at a time: the share of the time so far in which it sent, what it sends, what waits, and where messages are. */
  at(i, time) {
    const { size, queued, start, free, end, busy } = this.links[i];
    const begun = upTo(start, time);
    const last = begun - 1;
    const sending = begun > 0 && free[last] > time;
    const used = begun ? busy[begun] - Math.max(0, free[last] - time) : 0;
    const underWay = [];
    for (let k = last; k >= 0 && end[k] > time; k -= 1) underWay.push((time - start[k]) / (end[k] - start[k]));
    return { share: time ? used / time : 0, sending: sending ? size[last] : 0, waiting: upTo(queued, time) - begun, underWay };
  }
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.speed = 1;
    this.time = 0;
    this.root = make("div", { class: "astra-player astra-links", tabindex: "0", role: "group" }, el);
    this.root.astraLinks = this; // for tests and the curious
    this.#build();
    this.onData = () => this.load();
    this.onTime = () => this.#pull();
    this.frame = (now) => this.#frame(now);
    model.on("change:data", this.onData);
    model.on("change:time", this.onTime);
    this.load();
  }

  destroy() {
    cancelAnimationFrame(this.request);
    clearTimeout(this.timer);
    if (this.timer) this.#send();
    this.model.off("change:data", this.onData);
    this.model.off("change:time", this.onTime);
    this.root.remove();
  }

  // ---- what stays ----

  #build() {
    const head = make("div", { class: "astra-head" }, this.root);
    this.title = make("strong", { class: "astra-title" }, head);
    this.body = make("div", { class: "astra-body" }, this.root);
    this.stage = make("div", { class: "astra-stage" }, this.body);
    this.#buildTable(make("div", { class: "astra-table" }, this.body));
    this.#buildPanel();
    this.live = make("p", { class: "astra-live", "aria-live": "polite", id: `${this.id}-live` }, this.root);
    this.legend = make("p", { class: "astra-legend" }, this.root);
    put(this.root, "aria-describedby", `${this.id}-live`);
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("keyup", (event) => shortcut(event) || event.stopPropagation());
  }

  #buildTable(box) {
    const table = make("table", {}, box);
    make("caption", { text: "Busiest links so far" }, table);
    const head = make("tr", {}, make("thead", {}, table));
    for (const text of ["link", "busy", "sends", "waiting"]) make("th", { scope: "col", text }, head);
    const body = make("tbody", {}, table);
    this.rows = Array.from({ length: LISTED }, () => {
      const row = make("tr", {}, body);
      const name = make("th", { scope: "row" }, row);
      return { row, name, share: make("td", { class: "astra-share" }, row), sends: make("td", {}, row), waiting: make("td", {}, row) };
    });
    const label = make("label", { class: "astra-follow", text: "follow " }, box);
    this.menu = make("select", { "aria-label": "Follow a link" }, label);
    this.menu.addEventListener("change", () => this.draw());
  }

  #buildPanel() {
    const panel = make("div", { class: "astra-panel" }, this.root);
    const track = make("div", { class: "astra-track" }, panel);
    this.strip = make("div", { class: "astra-strip", "aria-hidden": "true" }, track);
    this.range = make("input", { type: "range", min: 0, class: "astra-range", "aria-label": "Time" }, track);
    this.range.addEventListener("input", () => (this.play(false), this.go(Number(this.range.value))));
    const bar = make("div", { class: "astra-bar" }, panel);
    for (const [name, label, act] of [
      ["first", "To the start", () => this.jump(0)],
      ["previous", "To the event before", () => this.event(-1)],
      ["play", "Play", () => this.play(!this.playing)],
      ["next", "To the next event", () => this.event(1)],
      ["last", "To the end", () => this.jump(Infinity)],
    ]) {
      const button = make("button", { type: "button", class: `astra-button astra-${name}`, "aria-label": label, title: label }, bar);
      const icon = make("path", { d: ICONS[name] }, make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, button));
      button.addEventListener("click", act);
      if (name === "play") Object.assign(this, { playButton: button, playIcon: icon });
    }
    this.where = make("span", { class: "astra-where" }, bar);
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
    this.help = make("pre", { class: "astra-help", hidden: true, text: KEYS }, panel);
  }

  // ---- what belongs to one run ----

  load() {
    const data = this.model.get("data");
    this.play(false);
    this.data = data;
    this.traffic = new Traffic(data);
    for (const [name, [light, dark]] of [...Object.entries(data.palette), ...Object.entries(data.levels).map(([k, v]) => [`level-${k}`, v])]) {
      this.root.style.setProperty(`--astra-${name}`, `light-dark(${light}, ${dark})`);
    }
    put(this.root, "aria-label", `Links: ${data.title}`);
    put(this.title, "text", data.title);
    put(this.range, "max", data.total_ns);
    put(this.range, "step", "any");
    this.menu.replaceChildren();
    make("option", { value: "-1", text: "no link" }, this.menu);
    data.links.forEach(([, , name], i) => make("option", { value: i, text: name }, this.menu));
    this.#drawNetwork();
    this.#drawStrip();
    this.#drawLegend();
    this.time = clamp(this.model.get("time"), 0, data.total_ns);
    this.draw();
  }

  #drawNetwork() {
    const { data } = this;
    const [width, height] = data.size;
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const wires = make("g", {}, svg);
    this.wires = data.links.map(([, , , x1, y1, cx, cy, x2, y2]) => make("path", { class: "astra-link", d: `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}` }, wires));
    const r = data.radius;
    for (const [name, x, y, isSwitch] of data.nodes) {
      if (isSwitch) {
        make("rect", { class: "astra-net-node", x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 3 }, svg);
        make("text", { class: "astra-switch-name", x: x - r - 4, y: y - r + 2, text: name }, svg);
      } else {
        make("circle", { class: "astra-net-node", cx: x, cy: y, r }, svg);
        if (r >= 7) make("text", { class: "astra-plain", x, y: y + 4, text: name }, svg);
      }
    }
    this.messages = make("path", { class: "astra-message" }, svg);
    this.crosses = make("path", { class: "astra-cross" }, svg);
    this.waiting = data.links.length > LABELLED ? [] : data.links.map(([, , , x1, y1, , , x2, y2]) => {
      const length = Math.hypot(x2 - x1, y2 - y1);
      const [x, y] = [x1 + 0.2 * (x2 - x1) + (12 * (y2 - y1)) / length, y1 + 0.2 * (y2 - y1) - (12 * (x2 - x1)) / length + 4];
      return make("text", { class: "astra-waiting", x, y }, svg);
    });
    this.stage.replaceChildren(svg);
  }

  /** How many of the links send, over time, behind the slider. */
  #drawStrip() {
    const { busy } = this.data;
    const svg = make("svg", { viewBox: `0 0 ${busy.length} 1`, preserveAspectRatio: "none" });
    const steps = busy.map((share, k) => `L${k} ${1 - share}L${k + 1} ${1 - share}`).join("");
    make("path", { class: "astra-load", d: `M0 1${steps}L${busy.length} 1z` }, svg);
    this.strip.replaceChildren(svg);
  }

  #drawLegend() {
    this.legend.replaceChildren();
    const key = (text, draw) => {
      const place = make("span", { class: "astra-net-key" }, this.legend);
      if (draw) draw(make("svg", { viewBox: "0 0 44 14", "aria-hidden": "true" }, place));
      make("span", { text }, place);
    };
    key("share of the time so far in which a link sends: the more, the wider it is and the stronger its colour", (svg) => {
      for (const level of [1, 3, 5]) {
        make("path", { class: "astra-link", d: `M${2 + 7 * (level - 1)} 7h12`, style: `stroke:var(--astra-level-${level})`, "stroke-width": 1.2 + 0.86 * level }, svg);
      }
    });
    key("idle now", (svg) => make("path", { class: "astra-link astra-idle", d: "M2 7h40", style: "stroke:var(--astra-level-2)", "stroke-width": 2 }, svg));
    key("a message", (svg) => make("path", { class: "astra-message", d: "M18 3h8v8h-8z" }, svg));
    key("+3: three wait for the link");
    if (this.data.lost.length) key("a packet is lost", (svg) => make("path", { class: "astra-cross", d: "M18 3l8 8m0 -8l-8 8" }, svg));
    key("behind the slider: the share of all links that send");
  }

  // ---- every moment ----

  go(time) {
    const wanted = clamp(time, 0, this.data.total_ns);
    if (wanted === this.time) return;
    this.time = wanted;
    this.draw();
    const wait = MESSAGE_MS - (performance.now() - (this.sent ?? -Infinity));
    if (wait > 0) this.timer ??= setTimeout(() => ((this.timer = null), this.#send()), wait);
    else this.#send();
  }

  jump(time) {
    this.play(false);
    this.go(time);
  }

  /** To the next event (by 1) or the one before (by -1). */
  event(by) {
    const { events } = this.traffic;
    const passed = upTo(events, this.time);
    const at = by > 0 ? passed : passed - 1 - (events[passed - 1] === this.time ? 1 : 0);
    this.jump(events[clamp(at, 0, events.length - 1)]);
  }

  play(on) {
    if (on === Boolean(this.playing)) return;
    this.playing = on;
    if (on && this.time === this.data.total_ns) this.go(0);
    this.last = null;
    put(this.live, "aria-live", on ? "off" : "polite"); // nobody wants every moment read out
    put(this.playIcon, "d", on ? ICONS.pause : ICONS.play);
    for (const name of ["aria-label", "title"]) put(this.playButton, name, on ? "Pause" : "Play");
    cancelAnimationFrame(this.request);
    if (on) this.request = requestAnimationFrame(this.frame);
  }

  #frame(now) {
    const seconds = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    this.go(this.time + (seconds * this.speed * this.data.total_ns) / ALL_S);
    if (this.time === this.data.total_ns) this.play(false);
    else this.request = requestAnimationFrame(this.frame);
  }

  #pull() {
    const time = clamp(this.model.get("time"), 0, this.data.total_ns);
    if (time === this.time || this.timer) return;
    this.play(false);
    this.time = time;
    this.draw();
  }

  #send() {
    this.sent = performance.now();
    this.model.set("time", this.time);
    this.model.save_changes();
  }

  draw() {
    const { data, time } = this;
    const states = data.links.map((_, i) => this.traffic.at(i, time));
    const followed = Number(this.menu.value);
    states.forEach((state, i) => this.#drawLink(i, state, i === followed));
    this.#drawMessages(states);
    this.#drawTable(states);
    this.range.value = time;
    put(this.where, "text", `${this.text(time)} of ${this.text(data.total_ns)}`);
    const said = this.#sentence(states, followed);
    put(this.live, "text", said);
    put(this.range, "aria-valuetext", this.text(time));
  }

  #drawLink(i, { share, sending, waiting }, followed) {
    const wire = this.wires[i];
    put(wire, "class", `astra-link${sending ? "" : " astra-idle"}${followed ? " astra-followed" : ""}`);
    put(wire, "style", `stroke:var(--astra-level-${Math.ceil(5 * share - 1e-9)})`);
    put(wire, "stroke-width", (1.2 + 4.3 * share + (followed ? 1.5 : 0)).toFixed(2));
    if (this.waiting.length) put(this.waiting[i], "text", waiting ? `+${waiting}` : "");
  }

  #drawMessages(states) {
    const { data, time } = this;
    const half = TOKEN / 2;
    let [path, drawn] = ["", 0];
    states.forEach(({ underWay }, i) => {
      const [, , , x1, y1, cx, cy, x2, y2] = data.links[i];
      for (const share of underWay) {
        if ((drawn += 1) > MOST_TOKENS) return;
        const [a, b, c] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
        const [x, y] = [a * x1 + b * cx + c * x2, a * y1 + b * cy + c * y2];
        path += `M${(x - half).toFixed(1)} ${(y - half).toFixed(1)}h${TOKEN}v${TOKEN}h${-TOKEN}z`;
      }
    });
    put(this.messages, "d", path);
    const near = data.total_ns / 400; // a loss is a moment; this long it is seen
    const lost = [...new Set(data.lost.filter(([, at]) => at <= time && at > time - near).map(([i]) => i))];
    put(this.crosses, "d", lost.map((i) => `M${data.links[i][3] - 6} ${data.links[i][4] - 6}l12 12m0 -12l-12 12`).join(""));
  }

  #drawTable(states) {
    const order = states.map((_, i) => i).sort((a, b) => states[b].share - states[a].share || a - b);
    this.rows.forEach(({ row, name, share, sends, waiting }, place) => {
      const i = order[place];
      put(row, "hidden", i === undefined);
      if (i === undefined) return;
      const state = states[i];
      put(name, "text", this.data.links[i][2]);
      put(share, "text", percent(state.share));
      put(share, "style", `--astra-level:${state.share.toFixed(3)}`);
      put(sends, "text", state.sending ? bytes(state.sending) : "–");
      put(waiting, "text", count(state.waiting));
    });
  }

  #sentence(states, followed) {
    const { data, time } = this;
    const sending = states.filter((state) => state.sending).length;
    const waiting = states.reduce((sum, state) => sum + state.waiting, 0);
    const longest = states.reduce((best, state, i) => (state.waiting > states[best].waiting ? i : best), 0);
    const lost = data.lost.filter(([, at]) => at <= time).length;
    const parts = [`${this.text(time)}: ${sending} of ${several(states.length, "link")} send, ${several(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}`];
    if (waiting) parts.push(`${states[longest].waiting} of them for ${data.links[longest][2]}`);
    if (lost) parts.push(`${several(lost, "packet")} lost so far`);
    let said = `${parts.join(", ")}.`;
    if (followed >= 0) {
      const state = states[followed];
      const now = state.sending ? `sends ${bytes(state.sending)}` : "is idle";
      said += ` ${data.links[followed][2]} ${now}, ${state.waiting} waiting, busy for ${percent(state.share)} so far.`;
    }
    return time === data.total_ns ? `${said} ${data.bottleneck}` : said;
  }

  /** A time with its unit. */
  text(time) {
    const [name, ns, digits] = this.data.unit;
    return `${(time / ns).toLocaleString("en", { minimumFractionDigits: digits && 3, maximumFractionDigits: digits && 3 })} ${name}`;
  }

  #key(event) {
    if (shortcut(event)) return;
    event.stopPropagation(); // a notebook has its own use for plain keys: x cuts a cell
    const { target, key } = event;
    if (target.tagName === "SELECT") return;
    if (key === " " && target.tagName === "BUTTON") return;
    const faster = (by) => {
      this.speed = SPEEDS[clamp(SPEEDS.indexOf(this.speed) + by, 0, SPEEDS.length - 1)];
      this.speedMenu.value = String(this.speed);
    };
    const part = this.data.total_ns / 20;
    const acts = {
      " ": () => this.play(!this.playing),
      k: () => this.play(!this.playing),
      ArrowRight: () => this.event(1),
      ArrowLeft: () => this.event(-1),
      PageDown: () => this.jump(this.time + part),
      PageUp: () => this.jump(this.time - part),
      Home: () => this.jump(0),
      End: () => this.jump(Infinity),
      "+": () => faster(1),
      "=": () => faster(1),
      "-": () => faster(-1),
    };
    if (!acts[key]) return;
    event.preventDefault();
    acts[key]();
  }
}

/** 1048576 -> "1 MiB". */
function bytes(size) {
  const power = Math.min(4, Math.max(0, Math.floor(Math.log2(size) / 10)));
  const value = size / 1024 ** power;
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.destroy();
}

export default { render };
