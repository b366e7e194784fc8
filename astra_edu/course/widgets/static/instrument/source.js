// Where what an instrument shows comes from: Python, or what a saved page holds. What was seen before is there at once.

const MOST_SEEN = 60; // settings

/** Python sends text, which no layer between has to walk through; a saved page has it as it is. */
const read = (data) => (typeof data === "string" ? JSON.parse(data) : data);

export class Source {
  /** settings: the controls. shown(): there is something else to show, in `data`; before: what was shown before
   *  it, or before the drag that it is of. */
  constructor(model, id, settings, shown) {
    Object.assign(this, { model, id, settings, shown, live: model.get("live") !== false, wish: "", ahead: false, asking: false });
    this.seen = new Map(); // by the text of its setting: what Python has sent of it
    this.sent = model.get("data");
    this.data = read(this.sent);
    this.before = this.from = null;
    this.#keep();
  }

  /** Whether Python has answered the last wish of this view. */
  get answered() {
    return !this.wish;
  }

  /** Somebody wants these values: ask Python, or look for them on the page. number: of the wish. goesOn: with a drag. */
  ask(values, number, goesOn = false) {
    const { model } = this;
    if (!goesOn) this.from = this.data;
    if (!this.live) {
      this.asking = true;
      model.set("values", { ...model.get("values"), ...values });
      this.asking = false;
      return;
    }
    this.wish = `${this.id}.${number}`;
    model.set("wish", { values, number: this.wish });
    model.save_changes();
    const known = this.seen.get(this.settings.text({ ...model.get("values"), ...values }));
    if (known) this.#show(known, true);
    this.ahead = Boolean(known);
  }

  /** Python has sent something. An answer to an older wish than what is shown already is left out. */
  arrived() {
    const own = !this.answered;
    if (this.model.get("answered") === this.wish) this.wish = ""; // from now on, what other views wish is shown, too
    if (this.ahead && !this.answered) return;
    const sent = this.model.get("data");
    if (sent === this.sent) return this.settings.show(this.data, this.model.get("values"), this.answered);
    this.#show({ sent, data: read(sent) }, own);
    this.#keep();
  }

  /** On a saved page: the setting among those that were stored. */
  find() {
    const { model, settings, data } = this;
    const values = model.get("values");
    const text = settings.text(values);
    const found = model.get("stored")[text];
    const problem = settings.why(data, values) || "this page doesn't hold this setting; it was saved with others";
    const other = found ? { ...found, title: found.scene.title, problem: "" } : { problem, nearest: settings.values(data.text) };
    this.#show({ sent: null, data: { ...data, ...other } }, this.asking);
    if (found && found.text !== text) model.set("values", settings.values(found.text)); // others were brought in line
  }

  /** own: whether this view has asked for it. */
  #show({ sent, data }, own) {
    if (data.text !== this.data.text && !data.problem) this.before = own ? this.from : this.data;
    Object.assign(this, { sent, data });
    this.shown();
  }

  #keep() {
    const { sent, data } = this;
    if (!this.live || data.problem || data.note) return;
    this.seen.delete(data.text);
    this.seen.set(data.text, { sent, data });
    if (this.seen.size > MOST_SEEN) this.seen.delete(this.seen.keys().next().value);
  }
}
