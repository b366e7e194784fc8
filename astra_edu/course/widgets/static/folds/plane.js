// The plane that the folds cover: the folds as columns of numbers, and where they are on the picture.

import { clamp, columns } from "../frame/numbers.js";

const STRETCH = 4; // what is longer than this many times its width is drawn out of scale
const FINEST = 3; // px between two lines
export const BOX = { width: 420, height: 392, left: 40, top: 36, right: 8, bottom: 34 };
export const ROOM = { width: BOX.width - BOX.left - BOX.right, height: BOX.height - BOX.top - BOX.bottom };

export const rectangle = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

const shapeOf = (rows, across) => clamp(rows / across, 1 / STRETCH, STRETCH);

/** Width and height that something has in a box; to scale unless it is too long. */
export function fitted(rows, across, width, height) {
  const shape = shapeOf(rows, across);
  const wide = Math.min(width, height / shape);
  return { width: wide, height: wide * shape, exact: shape === rows / across };
}

/** Where each of several equal arrays is in the room, and how large each is. */
export function tiled(rows, across, arrays) {
  const wide = clamp(Math.ceil(Math.sqrt(arrays * shapeOf(rows, across))), 1, arrays);
  const high = Math.ceil(arrays / wide);
  const gap = arrays > 1 ? 8 / Math.sqrt(Math.max(wide, high)) : 0;
  const size = fitted(rows, across, ROOM.width / wide - gap, ROOM.height / high - gap);
  const [right, down] = [size.width + gap, size.height + gap];
  const left = BOX.left + (ROOM.width - wide * right + gap) / 2;
  const tiles = Array.from({ length: arrays }, (_, i) => {
    return { x: left + (i % wide) * right, y: BOX.top + Math.floor(i / wide) * down, across: size.width / across, down: size.height / rows };
  });
  return { tiles, size, bottom: BOX.top + high * down - gap };
}

export class Plane {
  constructor(data) {
    [this.product, this.array, this.row, this.rows, this.column, this.columns] = columns(data.folds, Array(6).fill(Float64Array));
    this.count = this.product.length;
    this.data = data;
    const [rows, across] = data.plane;
    const size = fitted(rows, across, ROOM.width, ROOM.height);
    Object.assign(this, size, { x: BOX.left + (ROOM.width - size.width) / 2, y: BOX.top });
    this.scale = [size.width / across, size.height / rows];
  }

  /** The numbers of the folds of a step: [first, last). */
  round(step) {
    const { first } = this.data;
    return step ? [first[step - 1], first[step] ?? this.count] : [0, 0];
  }

  /** x, y, width, height of a fold on the picture. */
  place(i) {
    const [across, down] = this.scale;
    return [this.x + across * this.column[i], this.y + down * this.row[i], across * this.columns[i], down * this.rows[i]];
  }

  /** The outline of all folds of a product before fold `end`: one piece for each of the columns that they fill. */
  done(product, end) {
    const pieces = new Map();
    for (let i = end - 1; i >= 0 && this.product[i] >= product; i -= 1) {
      if (this.product[i] > product) continue;
      const [x, y, width, height] = this.place(i);
      const piece = pieces.get(x) ?? { y: Infinity, bottom: 0, width };
      pieces.set(x, { y: Math.min(piece.y, y), bottom: Math.max(piece.bottom, y + height), width });
    }
    return [...pieces].map(([x, { y, bottom, width }]) => rectangle(x, y, width, bottom - y)).join("");
  }

  /** The lines between the folds, as far as there are not too many to tell apart. */
  lines() {
    const [down, across] = this.data.grid;
    const [rows, columns] = this.data.array;
    let path = "";
    if (this.scale[1] * rows >= FINEST) {
      for (let k = 1; k < down; k += 1) path += `M${this.x} ${this.y + k * rows * this.scale[1]}h${this.width}`;
    }
    if (this.scale[0] * columns >= FINEST) {
      for (let k = 1; k < across; k += 1) path += `M${this.x + k * columns * this.scale[0]} ${this.y}v${this.height}`;
    }
    return path;
  }

  /** What the folds take of their arrays: rectangles, and lines between the PEs if they are far enough apart. */
  held(folds, tiles) {
    let [held, lines] = ["", ""];
    for (const i of folds) {
      const { x, y, across, down } = tiles[this.array[i]];
      const [width, height] = [this.columns[i] * across, this.rows[i] * down];
      held += rectangle(x, y, width, height);
      if (across < FINEST + 1 || down < FINEST + 1) continue;
      for (let k = 1; k < this.columns[i]; k += 1) lines += `M${x + k * across} ${y}v${height}`;
      for (let k = 1; k < this.rows[i]; k += 1) lines += `M${x} ${y + k * down}h${width}`;
    }
    return { held, lines };
  }
}
