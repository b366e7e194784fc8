// Text beside controls: a page part that is replaced as a whole, and the same as code, to be copied.
//   html    what is shown; said: the same in a sentence for a screen reader, read out when it has settled
//   code    lines of Python behind a heading that opens and closes

import { make, makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { Settled } from "./frame/loop.js";
import { Watch } from "./frame/watch.js";

const SETTLED_MS = 700;

/** Select all of an element's text, so that Ctrl+C copies it. */
function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

/** Give the handles of the sliders around an element the names and the values that are written beside them. */
function nameSliders(element) {
  const around = element.closest(".astra-with-sliders") ?? element;
  for (const handle of around.querySelectorAll(".noUi-handle")) {
    const slider = handle.closest(".widget-inline-hbox");
    const heading = slider.parentElement.querySelector("h4")?.textContent;
    const name = [heading, slider.querySelector("label").textContent].filter(Boolean).join(", ");
    const readout = slider.querySelector(".widget-readout");
    handle.setAttribute("aria-label", name);
    handle.setAttribute("aria-valuetext", readout.textContent);
    readout.setAttribute("aria-label", name);
    if (slider.classList.contains("astra-stepped")) readout.contentEditable = "false"; // what is typed there has no effect
  }
}

/** The code, with a button that copies it. */
class Code {
  constructor(root) {
    this.details = make("details", {}, root);
    make("summary", { text: "The same as code" }, this.details);
    const bar = make("div", { class: "astra-copy" }, this.details);
    const button = make("button", { type: "button", text: "copy" }, bar);
    this.said = make("span", { role: "status" }, bar);
    this.lines = make("pre", { tabindex: "0", "aria-label": "Python code" }, this.details);
    button.addEventListener("click", () => this.#copy());
    this.lines.addEventListener("keydown", (event) => this.#key(event));
  }

  show(code) {
    put(this.details, "hidden", !code);
    put(this.lines, "text", code);
    put(this.said, "text", "");
  }

  async #copy() {
    select(this.lines);
    try {
      await navigator.clipboard.writeText(this.lines.textContent);
      put(this.said, "text", "copied");
    } catch {
      put(this.said, "text", "selected: Ctrl+C (⌘C) copies it");
    }
  }

  /** Keys meant for the text (Ctrl+A, Ctrl+C) must not reach the notebook around it. */
  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || !"ac".includes(event.key.toLowerCase())) return;
    event.stopPropagation();
    if (event.key.toLowerCase() !== "a") return;
    event.preventDefault();
    select(this.lines);
  }
}

class View {
  constructor(model, el) {
    this.model = model;
    this.root = makeRoot(el, "what-if", unique());
    this.shown = make("div", {}, this.root);
    this.live = make("div", { class: "astra-said", role: "status" }, this.root);
    this.code = new Code(this.root);
    this.saying = new Settled(() => this.#say(), SETTLED_MS);
    this.watch = new Watch();
    const heard = { html: () => this.#showHtml(), said: () => this.saying.wait(), code: () => this.code.show(model.get("code")) };
    this.watch.model(model, heard);
    for (const show of Object.values(heard)) show();
  }

  destroy() {
    this.watch.end();
    this.saying.stop();
    this.root.remove();
  }

  #showHtml() {
    const opened = [...this.shown.querySelectorAll("details")].map((details) => details.open);
    this.shown.innerHTML = this.model.get("html");
    this.shown.querySelectorAll("details").forEach((details, i) => (details.open = opened[i] ?? false));
  }

  #say() {
    put(this.live, "text", this.model.get("said"));
    nameSliders(this.root);
  }
}

export default widgetOf(View);
