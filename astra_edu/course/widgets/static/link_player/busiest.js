// The busiest links in a table, the link that is followed, and all of it in a sentence.

import { make, makeTable, put } from "../frame/dom.js";
import { bytes, count, moment, percent, several } from "../frame/words.js";

const LISTED = 10;

export class Busiest {
  constructor(body, changed) {
    const box = make("div", { class: "astra-table" }, body);
    const table = make("table", {}, box);
    make("caption", { text: "Busiest links so far" }, table);
    const rows = makeTable(table, ["link", "busy", "sends", "waiting"]);
    this.rows = Array.from({ length: LISTED }, () => {
      const row = make("tr", {}, rows);
      const name = make("th", { scope: "row" }, row);
      return { row, name, share: make("td", { class: "astra-share" }, row), sends: make("td", {}, row), waiting: make("td", {}, row) };
    });
    this.menu = make("select", { "aria-label": "Follow a link" }, make("label", { class: "astra-follow", text: "follow " }, box));
    this.menu.addEventListener("change", changed);
  }

  /** The number of the link that is followed, or -1. */
  get followed() {
    return Number(this.menu.value);
  }

  load(links) {
    this.links = links;
    this.menu.replaceChildren();
    make("option", { value: "-1", text: "no link" }, this.menu);
    links.forEach(([, , name], i) => make("option", { value: i, text: name }, this.menu));
  }

  draw(states) {
    const order = states.map((_, i) => i).sort((a, b) => states[b].share - states[a].share || a - b);
    this.rows.forEach(({ row, name, share, sends, waiting }, place) => {
      const i = order[place];
      put(row, "hidden", i === undefined);
      if (i === undefined) return;
      const state = states[i];
      put(name, "text", this.links[i][2]);
      put(share, "text", percent(state.share));
      put(share, "style", `--astra-level:${state.share.toFixed(3)}`);
      put(sends, "text", state.sending ? bytes(state.sending) : "–");
      put(waiting, "text", count(state.waiting));
    });
  }
}

export function sentence(data, states, time, followed) {
  const sending = states.filter((state) => state.sending).length;
  const waiting = states.reduce((sum, state) => sum + state.waiting, 0);
  const longest = states.reduce((best, state, i) => (state.waiting > states[best].waiting ? i : best), 0);
  const lost = data.lost.filter(([, at]) => at <= time).length;
  const parts = [`${moment(time, data.total_ns)}: ${sending} of ${several(states.length, "link")} send, ${several(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}`];
  if (waiting) parts.push(`${states[longest].waiting} of them for ${data.links[longest][2]}`);
  if (lost) parts.push(`${several(lost, "packet")} lost so far`);
  let said = `${parts.join(", ")}.`;
  if (followed >= 0) {
    const { sending: size, waiting: many, share } = states[followed];
    said += ` ${data.links[followed][2]} ${size ? `sends ${bytes(size)}` : "is idle"}, ${many} waiting, busy for ${percent(share)} so far.`;
  }
  return time === data.total_ns ? `${said} ${data.bottleneck}` : said;
}
