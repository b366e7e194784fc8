// The link player: draws the payload made by link_player.py.
//   traffic   the messages as columns of numbers, by link, and what is true of a link at a time
//   View      one per place on the page: the network, the busiest links, the controls

import { make, makeHead, makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { makeHelp } from "./frame/help.js";
import { hearKeys } from "./frame/keys.js";
import { Reel } from "./frame/reel.js";
import { Transport, makeTrack, transportKeys } from "./frame/transport.js";
import { Watch } from "./frame/watch.js";
import { moment } from "./frame/words.js";
import { Busiest, sentence } from "./link_player/busiest.js";
import { Network, drawLoad, makeLegend } from "./link_player/network.js";
import { Traffic } from "./link_player/traffic.js";

const PAGE = 1 / 20; // of the run
const LABELS = { first: "To the start", previous: "To the event before", next: "To the next event", last: "To the end" };
const KEYS =
  "Space or k: play or pause\n← →: to the event before or the next one (a message starts or arrives)\n" +
  "Page Up, Page Down: a twentieth of the run back or on\nHome, End: to the start, to the end\n+ −: faster, slower\n?: these keys";

class View {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.root = makeRoot(el, "links", this.id, "live");
    this.root.astraLinks = this; // for tests and the curious
    this.reel = new Reel(model, "time", () => this.draw());
    this.#build();
    hearKeys(this.root, { ...transportKeys(this.reel), PageDown: () => this.#leap(1), PageUp: () => this.#leap(-1) });
    this.watch = new Watch();
    this.watch.model(model, { data: () => this.load(), time: () => this.reel.pull() });
    this.load();
  }

  destroy() {
    this.reel.stop();
    this.watch.end();
    this.root.remove();
  }

  get time() {
    return this.reel.at;
  }

  get wires() {
    return this.network.wires;
  }

  go(time) {
    this.reel.go(time);
  }

  #leap(by) {
    this.reel.jump(this.time + by * PAGE * this.data.total_ns);
  }

  #build() {
    const { root } = this;
    this.title = makeHead(root).title;
    this.body = make("div", { class: "astra-body" }, root);
    this.stage = make("div", { class: "astra-stage" }, this.body);
    this.busiest = new Busiest(this.body, () => this.draw());
    const panel = make("div", { class: "astra-panel" }, root);
    Object.assign(this, makeTrack(panel, this.reel, { "aria-label": "Time" }));
    this.transport = new Transport(panel, this.reel, LABELS);
    makeHelp(this.transport.bar, root, this.id, KEYS);
    this.live = make("p", { class: "astra-live", id: `${this.id}-live` }, root);
    this.legend = make("p", { class: "astra-legend" }, root);
  }

  /** What belongs to one run. */
  load() {
    const data = (this.data = this.model.get("data"));
    this.traffic = new Traffic(data);
    put(this.root, "aria-label", `Links: ${data.title}`);
    put(this.title, "text", data.title);
    put(this.range, "max", data.total_ns);
    this.busiest.load(data.links);
    this.network = new Network(this.stage, data);
    drawLoad(this.strip, data.busy);
    makeLegend(this.legend, data);
    this.reel.load(this.traffic.film());
    this.draw();
  }

  draw() {
    const { data, time, reel } = this;
    const { followed } = this.busiest;
    const states = data.links.map((_, i) => this.traffic.at(i, time));
    this.network.draw(states, time, followed);
    this.busiest.draw(states);
    const text = moment(time, data.total_ns);
    this.range.value = time;
    put(this.range, "aria-valuetext", text);
    this.transport.show(reel, `${text} of ${moment(data.total_ns, data.total_ns)}`);
    put(this.live, "aria-live", reel.playing ? "off" : "polite"); // nobody wants every moment read out
    put(this.live, "text", sentence(data, states, time, followed));
  }
}

export default widgetOf(View);
