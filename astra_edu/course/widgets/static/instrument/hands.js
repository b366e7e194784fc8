// The hands on a stage: what is clicked, what is dragged, and what can be.

const FAR = 4; // pixels from which on a press is a drag

export class Hands {
  /** clicked(name): something was clicked. dragged(name, dx, dy): it was dragged so far, in units of the stage. */
  constructor(svg, { clicked, dragged }) {
    Object.assign(this, { svg, clicked, dragged, pressed: null, clickable: [], draggable: [], marks: 0 });
    svg.addEventListener("pointerdown", (event) => this.#press(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, (event) => this.#release(event));
  }

  #press(event) {
    const name = nameAt(event.target);
    if (!this.clickable.includes(name) && !this.draggable.includes(name)) return;
    this.pressed = { name, x: event.clientX, y: event.clientY, far: false };
    if (!this.draggable.includes(name)) return;
    event.preventDefault();
    this.svg.setPointerCapture?.(event.pointerId);
  }

  #move(event) {
    const { pressed } = this;
    if (!pressed || !this.draggable.includes(pressed.name)) return;
    const [dx, dy] = [event.clientX - pressed.x, event.clientY - pressed.y];
    pressed.far ||= Math.hypot(dx, dy) > FAR;
    const { a, d } = this.svg.getScreenCTM();
    if (pressed.far) this.dragged(pressed.name, dx / a, dy / d, "move");
  }

  #release(event) {
    const { pressed } = this;
    this.pressed = null;
    if (!pressed) return;
    if (pressed.far) this.dragged(pressed.name, 0, 0, "end");
    else if (event.type === "pointerup" && this.clickable.includes(pressed.name)) this.clicked(pressed.name);
  }

  /** Lists of names. */
  mark(clickable, draggable, chosen) {
    Object.assign(this, { clickable, draggable });
    const marks = clickable.length + draggable.length + chosen.length;
    if (!marks && !this.marks) return;
    this.marks = marks;
    for (const group of this.svg.querySelectorAll("g")) {
      const name = nameAt(group);
      group.classList.toggle("astra-click", clickable.includes(name));
      group.classList.toggle("astra-drag", draggable.includes(name));
      group.classList.toggle("astra-chosen", chosen.includes(name));
    }
  }
}

function nameAt(element) {
  const data = element.closest("[data-piece], [data-link], [data-frame]")?.dataset;
  return data && (data.piece ?? data.link ?? data.frame);
}
