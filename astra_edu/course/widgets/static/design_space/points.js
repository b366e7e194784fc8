// The table: columns of numbers and of texts, which of them a point has, and their values in words.

import { axis, tickWords } from "../instrument/axes.js";
import { columns } from "../frame/numbers.js";
import { bytes, nanoseconds, unit, withCommas } from "../frame/words.js";

const ROOM = 0.04; // of an axis, beyond its first and last value
const FEW = 8; // values of a setting that have a tick each

export class Points {
  constructor(data) {
    this.data = data;
    this.count = data.rows;
    this.columns = data.columns.map((column, number) => ({ ...column, number }));
    const numbers = columns(data.numbers, data.columns.map(() => Float64Array));
    this.columns.forEach((column, number) => (column.values = numbers[number]));
    this.named = new Map(this.columns.map((column) => [column.name, column]));
    this.failed = new Map(data.errors);
  }

  get settings() {
    return this.columns.filter(({ setting }) => setting);
  }

  get measures() {
    return this.columns.filter(({ setting, words }) => !setting && !words);
  }

  /** Columns with more than one value: what there is to look at. */
  get varying() {
    return this.columns.filter(({ values, words }) => (words ? words.length > 1 : new Set(values.filter(Number.isFinite)).size > 1));
  }

  /** Measures that are another one at every point: {column: that one}. */
  twins() {
    const { measures } = this;
    const found = new Map();
    measures.forEach((column, k) => {
      const twin = measures.slice(0, k).find((other) => !found.has(other) && other.values.every((value, row) => Object.is(value, column.values[row])));
      if (twin) found.set(column, twin);
    });
    return found;
  }

  has(row, column) {
    return Number.isFinite(column.values[row]);
  }

  /** A point's value with its unit; "none" where it has none. */
  words(row, column) {
    return valueIn(column, column.values[row]);
  }

  /** Rows that have values in all of these columns, and didn't fail. */
  whole(wanted) {
    return Array.from({ length: this.count }, (_, row) => row).filter(
      (row) => !this.failed.has(row) && wanted.every((column) => this.has(row, column)),
    );
  }
}

/** A value of a column in words, with its unit. */
export function valueIn({ words, unit: name }, value) {
  if (Number.isNaN(value)) return "none";
  if (words) return words[value];
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (name === "ns" && value >= 0) return nanoseconds(value);
  if (name === "bytes" && value >= 0) return bytes(value);
  return `${numberWords(value)}${name ? ` ${name}` : ""}`;
}

/** A number with six digits at the most, or with all that a whole one has. */
export function numberWords(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e12) return withCommas(value, 0, 0);
  const size = Math.abs(value);
  if (value && (size < 1e-4 || size >= 1e12)) return value.toExponential(3);
  return withCommas(Number(value.toPrecision(6)), 0, 9);
}

/** {low, high, log} of a column's axis; log only where all are more than 0. */
export function rangeOf(column, wanted, rows = null) {
  const { words, values } = column;
  if (words) return { low: -0.5, high: words.length - 0.5, log: false };
  let [low, high] = [Infinity, -Infinity];
  const look = (value) => Number.isFinite(value) && ([low, high] = [Math.min(low, value), Math.max(high, value)]);
  if (rows) rows.forEach((row) => look(values[row]));
  else values.forEach(look);
  if (low > high) return { low: 0, high: 1, log: false };
  const log = wanted && low > 0;
  if (low === high) return log ? { low: low / 2, high: high * 2, log } : { low: low - (Math.abs(low) / 2 || 1), high: high + (Math.abs(high) / 2 || 1), log };
  return { low, high, log };
}

/** The distinct values of a column, in order. */
export function distinct({ words, values }) {
  if (words) return words.map((_, code) => code);
  return [...new Set(values.filter(Number.isFinite))].sort((a, b) => a - b);
}

/** Whether an axis goes by powers unless somebody says otherwise. */
export function isWide(column) {
  const { low, high } = rangeOf(column, false);
  return !column.words && low > 0 && high / low >= 50;
}

/** Where a column's values stand between two places; its ticks; and what each is called, in one unit. */
export function scaleOf(column, { low, high, log }, start, end, room = ROOM) {
  if (column.words) return { at: (code) => start + ((end - start) * (code - low)) / (high - low), from: (place) => low + ((high - low) * (place - start)) / (end - start), ticks: column.words.map((_, code) => code), tick: (code) => column.words[code], unit: column.unit };
  const inset = (end - start) * room;
  const by = log ? 1 : 10 ** (4 - Math.floor(Math.log10(high - low))); // even ticks are made for thousands
  const even = axis(low * by, high * by, log, start + inset, end - inset);
  const [size, name] = column.unit === "ns" && low >= 0 ? unit(high) : [1, column.unit];
  const own = column.setting ? distinct(column) : [];
  let ticks = own.length && own.length <= FEW ? own : even.ticks.map((tick) => tick / by);
  if (ticks.length < 2 && !own.length) ticks = [low, high];
  return { at: (value) => even.at(value * by), from: (place) => even.from(place) / by, ticks, tick: (value) => small(value / size), unit: name };
}

const small = (value) => (value && Math.abs(value) < 1e-3 ? value.toExponential(0) : tickWords(value));

/** The rows that no other beats: of those with both values, none is as good in one and better in the other. */
export function frontier(points, x, y, better) {
  const [signX, signY] = [x, y].map(({ name }) => (better[name] === "more" ? -1 : 1));
  const key = (row) => [signX * x.values[row], signY * y.values[row]];
  const rows = points.whole([x, y]).sort((a, b) => {
    const [ax, ay] = key(a), [bx, by] = key(b);
    return ax - bx || ay - by || a - b;
  });
  const found = [];
  let [best, last] = [Infinity, null];
  for (const row of rows) {
    const [atX, atY] = key(row);
    if (atY < best || (atY === best && last === atX)) found.push(row);
    if (atY < best) [best, last] = [atY, atX];
  }
  return found;
}
