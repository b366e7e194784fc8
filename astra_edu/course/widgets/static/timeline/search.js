// The search: which layers (nodes, micro-batches) are highlighted.

import { make, put } from "../frame/dom.js";
import { count, several } from "../frame/words.js";

export class Search {
  /** does: changed(text), next() for Enter, left() for Escape. */
  constructor(bar, list, does) {
    const place = make("span", { class: "astra-search" }, bar);
    const label = make("label", {}, place);
    this.thing = make("span", {}, label);
    this.field = make("input", { type: "search", size: 12, list, spellcheck: "false", autocomplete: "off" }, label);
    this.names = make("datalist", { id: list }, place);
    this.found = make("output", { class: "astra-found", "aria-live": "polite" }, place);
    this.matched = null; // which kinds are highlighted, null for all
    this.field.addEventListener("input", () => does.changed(this.field.value));
    this.field.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") does.next();
      if (key === "Escape") does.left();
    });
  }

  focus() {
    this.field.focus();
  }

  load(run) {
    this.run = run;
    put(this.thing, "text", `highlight ${run.data.things[0]} `);
    this.names.replaceChildren(...run.layers.map((value) => make("option", { value })));
  }

  /** Highlight what has this text in its name. */
  show(asked) {
    const text = asked.trim();
    if (this.field.value.trim().toLowerCase() !== text.toLowerCase()) this.field.value = asked;
    const found = this.run.matching(text);
    const [thing, things] = this.run.data.things;
    const counted = found ? `${several(found.spans, "span")} of ${count(found.layers)} ${found.layers > 1 ? things : thing}` : `no such ${thing}`;
    this.matched = found && found.kinds;
    put(this.found, "text", text ? counted : "");
  }
}
