// Predict, commit, confront: the question, what was said, and the answer beside it.

import { make, put } from "../frame/dom.js";
import { confront } from "./confront.js";
import { drawAnswer, Drawn } from "./drawn.js";

export class Predict {
  /** commit(value): of a number, a choice, the ys of a curve or, for who skips it, null. again(): to be asked of the
   *  setting on show. chosen(): something was chosen that is not committed to yet. */
  constructor(root, id, commit, again, chosen) {
    Object.assign(this, { id, commit, chosen });
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
    this.fields.addEventListener("change", () => chosen());
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
    this.drawn = null;
    if (question.drawing) {
      this.drawn = new Drawn(this.fields, question.drawing);
      return;
    }
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

  /** Choose what something on the stage stands for, if a question is open and it stands for a choice. */
  choose(name) {
    const choice = this.box.hidden ? undefined : this.question.places[name];
    if (choice === undefined) return false;
    for (const input of this.fields.querySelectorAll("input")) input.checked = input.value === choice;
    this.chosen();
    return true;
  }

  /** The choice that is made and not committed to yet; undefined while there is none. */
  get choice() {
    return this.box.hidden ? undefined : this.fields.querySelector("input:checked")?.value;
  }

  #submit(event) {
    event.preventDefault();
    if (this.drawn) this.commit(this.drawn.ys);
    else this.commit(this.question.choices.length ? this.choice : Number(this.field.value));
  }

  #confront(guess, reply) {
    const question = this.kept?.[guess.about];
    const settled = question && guess.value !== null && reply.about === guess.about;
    this.result.hidden = !settled;
    if (!settled) return;
    const { right, said, counts, word, why } = confront(question, reply, guess.value);
    put(this.result, "data-right", String(right));
    this.result.replaceChildren();
    make("strong", { text: `${right ? "✓" : "✗"} ${word}` }, this.result);
    make("p", { class: "astra-asked", text: question.text }, this.result);
    make("p", { text: counts ? `${said} ${counts}` : said }, this.result);
    if (question.drawing) drawAnswer(this.result, question.drawing, guess.value, reply.value);
    make("p", { text: why }, this.result);
  }
}
