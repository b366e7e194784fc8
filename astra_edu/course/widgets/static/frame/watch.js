// What a view listens to outside itself, and how that ends.

/** Whether somebody asked for no motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Watch {
  #ends = [];

  /** Changes of the model: {trait: what to do}. */
  model(model, heard) {
    for (const [name, hear] of Object.entries(heard)) {
      model.on(`change:${name}`, hear);
      this.#ends.push(() => model.off(`change:${name}`, hear));
    }
  }

  /** Another size of an element, or another theme: a canvas must be drawn again. */
  looks(element, redraw) {
    const sizes = new ResizeObserver(redraw);
    sizes.observe(element);
    const themes = new MutationObserver(redraw); // JupyterLab and VS Code say theirs on the body
    themes.observe(document.body, { attributes: true });
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    this.#ends.push(() => sizes.disconnect(), () => themes.disconnect(), () => scheme.removeEventListener("change", redraw));
  }

  end() {
    this.#ends.splice(0).forEach((end) => end());
  }
}
