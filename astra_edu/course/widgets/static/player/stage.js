// The scenery: the network, and the shards on their way.

import { make, put } from "../frame/dom.js";
import { clamp } from "../frame/numbers.js";
import { calm } from "../frame/watch.js";
import { along, halfWay, progress } from "./film.js";

const NAMED = 60; // px that a switch must be wide to have its name in it
const NEAR = 64; // steps that are looked through for tokens still under way, by the clock of simulated time

export class Scenery {
  constructor(body, id) {
    this.box = make("div", { class: "astra-stage" }, body);
    this.id = id;
  }

  load(data) {
    const { stage } = data;
    this.data = data;
    const svg = make("svg", { viewBox: `0 0 ${stage.size.join(" ")}`, "aria-hidden": "true" });
    this.box.style.setProperty("--astra-shape", stage.size.join(" / "));
    this.#makeTips(svg);
    this.#makeWires(svg, stage);
    this.arrows = make("g", { class: "astra-arrows" }, svg);
    this.nodes = stage.nodes.map((place, npu) => this.#makeNode(svg, [place, ...stage.twins.map((places) => places[npu])], npu));
    this.tokenLayer = make("g", { class: "astra-tokens" }, svg);
    this.pool = [];
    this.box.replaceChildren(svg);
  }

  #makeTips(svg) {
    const defs = make("defs", {}, svg);
    for (const op of ["reduce", "copy"]) {
      const head = make("marker", { id: `${this.id}-${op}`, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, defs);
      make("path", { d: "M0 0L8 4L0 8z", class: `astra-tip-${op}` }, head);
    }
  }

  #makeWires(svg, { links, buses, boxes, names }) {
    const wires = make("g", { class: `astra-wires${links.length > 100 ? " astra-many" : ""}` }, svg);
    for (const d of links) make("path", { d }, wires);
    for (const d of buses) make("path", { d, class: "astra-bus" }, wires);
    for (const [x, y, width, height] of boxes) {
      make("rect", { x, y, width, height, rx: 6, class: "astra-box" }, svg);
      if (width >= NAMED && !names.length) make("text", { x: x + width / 2, y: y + height - 8, class: "astra-box-name", text: "switch" }, svg);
    }
    for (const [x, y, text] of names) make("text", { x, y, class: "astra-box-name", text }, svg);
  }

  /** An NPU; in two trees it stands twice. */
  #makeNode(svg, places, npu) {
    const { radius } = this.data.stage;
    const size = clamp(radius * 0.95, 8, 13);
    const node = make("g", { class: "astra-node", "data-npu": npu }, svg);
    for (const [x, y] of places) {
      make("circle", { cx: x, cy: y, r: radius }, node);
      make("text", { x, y: y + size * 0.36, "font-size": size, text: npu }, node);
    }
    return node;
  }

  /** Mark the NPU that is looked at. */
  focus(focus) {
    this.nodes.forEach((node, npu) => node.classList.toggle("astra-focus", npu === focus));
  }

  draw(position, clock, step, focus) {
    let used = 0;
    this.data.steps.forEach((shown, k) => {
      const current = k === step - 1;
      if (!current && (clock === "steps" || Math.abs(k - step + 1) > NEAR)) return;
      const [first] = shown.tokens[0] ?? []; // where there are too many names, show those of the text's example
      const leads = (token) => (focus === null ? token[0] === first : token[0] === focus || token[1] === focus);
      const ordered = shown.labels ? shown.tokens : [...shown.tokens].sort((a, b) => leads(a) - leads(b));
      ordered.forEach((token) => {
        const done = progress(shown, k, token, position, clock);
        if (!current && (done <= 0 || done >= 1)) return;
        const wrong = token === shown.tokens[shown.wrong];
        const drawn = shown.stops ? Math.min(done, halfWay(shown, token)) : calm() && !shown.docks ? halfWay(shown, token) : done;
        this.#drawToken(this.#taken(used++), shown, token, drawn, clock, { focus, leads: leads(token), wrong });
      });
    });
    for (const { group, arrow } of this.pool.slice(used)) {
      put(group, "display", "none");
      put(arrow, "display", "none");
    }
  }

  #taken(place) {
    if (this.pool[place]) return this.pool[place];
    const group = make("g", {}, this.tokenLayer);
    const box = make("rect", {}, group);
    return (this.pool[place] = { group, box, text: make("text", { y: 4 }, group), arrow: make("path", {}, this.arrows) });
  }

  #drawToken(it, step, token, done, clock, { focus, leads, wrong }) {
    const { stage, detail } = this.data;
    const [source, destination, [shard], , label] = token;
    const key = `${source},${destination}${stage.trees[shard] ? `,${stage.trees[shard]}` : ""}`;
    const mine = focus !== null && leads;
    const named = step.labels || ((leads || wrong) && detail);
    const dim = (focus !== null && !mine ? " astra-dim" : "") + (wrong ? " astra-wrong" : "");
    const thin = !named || (step.tokens.length > 24 && !mine) ? " astra-thin" : "";
    put(it.arrow, "display", null);
    put(it.arrow, "d", stage.paths[key]);
    put(it.arrow, "marker-end", named ? `url(#${this.id}-${step.op})` : null);
    put(it.arrow, "class", `astra-arrow astra-${step.op}${dim}${thin}`);
    const gone = done <= 0 || (done >= 1 && !step.docks);
    put(it.group, "display", gone ? "none" : null);
    if (gone) return;
    const [start, stop] = stage.travel;
    const share = clamp(done, 0, 1);
    const eased = clock === "time" ? share : share * share * (3 - 2 * share);
    const [x, y] = along(stage.routes[key], start + (stop - start) * eased);
    put(it.group, "transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
    put(it.group, "class", `astra-token astra-${step.op}${dim}`);
    put(it.group, "data-from", source);
    put(it.group, "data-to", destination);
    this.#drawBox(it, step.op, named ? label : "");
  }

  #drawBox({ box, text }, op, label) {
    const [letter, padding, tall] = this.data.stage.token;
    const [width, height] = label ? [letter * label.length + padding, tall] : [7, 7];
    put(box, "x", -width / 2);
    put(box, "y", -height / 2);
    put(box, "width", width);
    put(box, "height", height);
    put(box, "rx", op === "copy" ? height / 2 : 2);
    put(text, "text", label);
  }
}
