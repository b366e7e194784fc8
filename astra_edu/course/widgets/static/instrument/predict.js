// Predict, commit, confront: the question, what was said, and the answer beside it.

import { make, put } from "../frame/dom.js";
import { confront } from "./confront.js";

export class Predict {
  /** commit(value): of a number, a choice or, for who skips it, null. again(): to be asked of the setting on show. */
  constructor(root, id, commit, again) {
    Object.assign(this, { id, commit });
    this.box = make("form", { class: "astra-predict" }, root);
    make("strong", { text: "Predict first" }, this.box);
    this.text = make("p", { id: `${id}-question` }, this.box);
    this.fields = make("div", { class: "astra-fields" }, this.box);
    this.bar = make("div", { class: "astra-bar" }, this.box);
    this.send = make("button", { type: "submit", text: "commit" }, this.bar);
    this.skip = make("button", { type: "button", text: "show me without" }, this.bar);
    this.result = make("div", { class: "astra-result", role: "status" }, root);
    this.box.addEventListener("submit", (event) => this.#submit(event));
    this.box.addEventListener("keydown", (event) => event.key !== "Tab" && event.stopPropagation());
    this.skip.addEventListener("click", () => commit(null));
    this.again = make("button", { type: "button", text: "ask me about this setting" }, root);
    this.again.addEventListener("click", again);
  }

  show(question, guess, reply) {
    const open = Boolean(question) && !("value" in guess);
    this.box.hidden = !open;
    this.again.hidden = !question || open || guess.about === question.about;
    if (open) this.#ask(question);
    if (question) this.kept = { ...this.kept, [question.about]: question };
    this.#confront(guess, reply);
  }

  #ask(question) {
    if (this.question?.about === question.about && this.fields.children.length) return;
    this.question = question;
    put(this.text, "text", question.text);
    this.fields.replaceChildren();
    if (question.choices.length) {
      for (const choice of question.choices) {
        const label = make("label", {}, this.fields);
        make("input", { type: "radio", name: `${this.id}-choice`, value: choice, required: true }, label);
        label.append(` ${choice}`);
      }
      return;
    }
    this.field = make("input", { type: "number", min: 0, step: "any", required: true, "aria-labelledby": `${this.id}-question` }, this.fields);
    this.fields.append(` ${question.unit}`);
  }

  #submit(event) {
    event.preventDefault();
    const chosen = this.fields.querySelector("input:checked");
    this.commit(this.question.choices.length ? chosen.value : Number(this.field.value));
  }

  #confront(guess, reply) {
    const question = this.kept?.[guess.about];
    const settled = question && guess.value !== null && reply.about === guess.about;
    this.result.hidden = !settled;
    if (!settled) return;
    const { right, said } = confront(question, reply, guess.value);
    put(this.result, "data-right", String(right));
    this.result.replaceChildren();
    make("strong", { text: right ? "✓ Right" : "✗ Not this time" }, this.result);
    make("p", { class: "astra-asked", text: question.text }, this.result);
    make("p", { text: said }, this.result);
    make("p", { text: reply.why }, this.result);
  }
}
