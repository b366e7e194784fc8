// One design of the page: an instrument whose Python is at the other end of the line.

const SAFE = /[^\w.-]+/g;

/** What anywidget's views take for a model. moved(changes): the view has set these and wants Python to know. */
function lineModel(moved) {
  const state = { live: true, other: null, guess: {}, reply: {}, act: {}, step: 0 };
  const heard = {};
  let unsaid = {};
  const tell = (names) => names.forEach((name) => (heard[`change:${name}`] ?? []).slice().forEach((hear) => hear()));
  return {
    state,
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      unsaid[name] = value;
      tell([name]);
    },
    save_changes() {
      const { step, values, ...changes } = unsaid;
      unsaid = {};
      if (Object.keys(changes).length) moved(changes);
    },
    on: (name, hear) => (heard[name] ??= []).push(hear),
    off: (name, hear) => (heard[name] = (heard[name] ?? []).filter((other) => other !== hear)),
    /** All of them are there before anybody hears of one. */
    take(changes) {
      const names = Object.keys(changes).filter((name) => state[name] !== changes[name]);
      Object.assign(state, changes);
      tell(names);
    },
  };
}

export class Design {
  /** side: "a" or "b"; kinds: {name: what it is called}; heard: {say(message), changed(), close()}. */
  constructor(root, side, kinds, heard) {
    Object.assign(this, { side, heard, kind: "", setting: "", last: null, done: Promise.resolve() });
    this.section = document.createElement("section");
    this.section.className = "design";
    this.section.setAttribute("aria-label", `Design ${side.toUpperCase()}`);
    if (side === "a") root.prepend(this.section);
    else root.append(this.section);
    this.bar = add(this.section, "div", { className: "tools" });
    this.name = add(this.bar, "h2", { textContent: `Design ${side.toUpperCase()}`, hidden: true });
    this.menu = add(this.bar, "select", { ariaLabel: `Instrument of design ${side.toUpperCase()}` });
    for (const [value, textContent] of Object.entries(kinds)) add(this.menu, "option", { value, textContent });
    this.menu.onchange = () => this.open(this.menu.value, "");
    this.files = add(this.bar, "button", { type: "button", textContent: "ASTRA-sim’s files" });
    this.files.onclick = () => heard.say({ side, files: true });
    this.shut = add(this.bar, "button", { type: "button", textContent: "close this design", hidden: true });
    this.shut.onclick = () => heard.close();
    this.problem = add(this.section, "p", { role: "alert" });
    this.place = add(this.section, "div", {});
  }

  get data() {
    return this.model?.state.data;
  }

  /** The setting as a line of text, for a link. */
  get text() {
    return this.data ? this.data.short ?? this.data.text : this.setting;
  }

  /** Have this instrument with this setting. */
  open(kind, setting) {
    Object.assign(this, { kind, setting, fresh: true });
    this.menu.value = kind;
    this.heard.say({ side: this.side, open: kind, setting });
  }

  /** The other end knows nothing of this design (any more): once more, as it is on show. */
  again() {
    this.open(this.kind, this.data?.text ?? "");
  }

  end() {
    this.stop?.();
    this.section.remove();
  }

  /** One after the other, as they come. */
  heardOf(message) {
    this.done = this.done.then(() => this.#heardOf(message));
  }

  async #heardOf(message) {
    if (message.unknown) {
      this.again();
      return this.last && this.heard.say(this.last);
    }
    if (message.zip) return this.#download(message.zip);
    this.problem.textContent = message.problem ?? "";
    if (!message.set) return;
    if (this.fresh && message.set.data) await this.#show(message.set);
    else this.model?.take(message.set);
    this.heard.changed();
  }

  async #show(state) {
    this.fresh = false;
    const { kind } = this;
    const widget = (await import(`./${kind}.js`)).default;
    style(kind);
    this.stop?.();
    this.place.replaceChildren();
    this.model = lineModel((changes) => {
      this.last = { side: this.side, set: changes };
      this.heard.say(this.last);
    });
    this.model.take(state);
    this.stop = widget.render({ model: this.model, el: this.place });
  }

  /** Beside another design, or alone. */
  beside(other) {
    this.name.hidden = this.shut.hidden = !other;
    const data = other?.data && other.kind === this.kind ? other.data : null;
    this.model?.take({ other: data });
  }

  #download(base64) {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
    const name = `${this.kind}-${this.data.title}`.replace(SAFE, "-").slice(0, 80);
    Object.assign(document.createElement("a"), { href, download: `${name}.zip` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000);
  }
}

const styled = new Set();

function style(kind) {
  if (styled.has(kind)) return;
  styled.add(kind);
  add(document.head, "link", { rel: "stylesheet", href: `${kind}.css` });
}

export function add(parent, tag, properties) {
  const element = Object.assign(document.createElement(tag), properties);
  parent.append(element);
  return element;
}
