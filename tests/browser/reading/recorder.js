// Every canvas keeps what has been drawn on it since it was last cleared, in CSS px: one entry for each call, with the
// style that counts for it. A pattern is told by the paths of its tile, a canvas drawn on another by its own entries.
(() => {
  const own = CanvasRenderingContext2D.prototype, paths = new WeakMap(), tiles = new WeakMap();
  const keep = (name, note) => {
    const act = own[name];
    own[name] = function (...args) {
      const result = act.apply(this, args);
      note.call(this, args, result);
      return result;
    };
  };
  window.Path2D = class extends Path2D {
    constructor(d) {
      super(d);
      paths.set(this, d);
    }
  };
  const list = (canvas) => (canvas.astraDrawn ??= []);
  const style = (value) => (value instanceof CanvasPattern ? tiles.get(value) : value);
  const place = (context, x, y) => {
    const { a, d, e, f } = context.getTransform();
    return [(a * x + e) / devicePixelRatio, (d * y + f) / devicePixelRatio];
  };
  const box = (context, [x, y, width, height]) => {
    const [left, top] = place(context, x, y), [right, bottom] = place(context, x + width, y + height);
    return [left, top, right - left, bottom - top];
  };
  const note = (context, entry) => list(context.canvas).push({ alpha: context.globalAlpha, ...entry });
  keep("clearRect", function () { this.canvas.astraDrawn = []; });
  keep("fillRect", function (args) { note(this, { what: "fill", box: box(this, args), style: style(this.fillStyle) }); });
  keep("strokeRect", function (args) {
    note(this, { what: "frame", box: box(this, args), style: this.strokeStyle, dash: this.getLineDash(), wide: this.lineWidth });
  });
  keep("fillText", function ([text, x, y]) {
    const wide = this.measureText(text).width, [at, middle] = place(this, x, y);
    const left = at - { left: 0, start: 0, center: wide / 2, right: wide, end: wide }[this.textAlign];
    note(this, { what: "text", text, box: [left, middle - 6, wide, 12], style: style(this.fillStyle) });
  });
  keep("stroke", function ([path]) { note(this, { what: "stroke", path: paths.get(path), style: this.strokeStyle, wide: this.lineWidth }); });
  keep("fill", function ([path]) { note(this, { what: "shape", path: paths.get(path), style: this.fillStyle }); });
  keep("createPattern", function ([canvas], pattern) { tiles.set(pattern, list(canvas).map(({ path }) => path).join()); });
  keep("drawImage", function ([canvas]) { list(this.canvas).push(...list(canvas)); });
})();
