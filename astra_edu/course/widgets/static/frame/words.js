// Numbers in words, the same as Python's: times, sizes, shares, ranges.

const formats = new Map(); // making one takes a hundred times as long as using it

/** A number with so many digits after its point, and with commas. */
export function withCommas(x, least, most) {
  const key = `${least} ${most}`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat("en", { minimumFractionDigits: least, maximumFractionDigits: most }));
  return formats.get(key).format(x);
}

export const count = (n) => withCommas(n, 0, 3);
export const percent = (share) => `${(100 * share).toFixed(1)} %`;
export const several = (n, thing) => `${count(n)} ${thing}${n === 1 ? "" : "s"}`;

/** [size in ns, name] of the unit for a time, the same as Python's format_ns. */
export const unit = (ns) => (ns < 1e4 ? [1, "ns"] : ns < 1e8 ? [1e3, "µs"] : [1e6, "ms"]);

/** A stretch of time to the ns, e.g. "1,404.443125 ms", in the unit that suits it or `like`. */
export function nanoseconds(ns, like = ns) {
  const [size, name] = unit(like);
  return `${withCommas(ns / size, size > 1 ? 3 : 0, size > 1e3 ? 6 : 3)} ${name}`;
}

/** A time on a clock: a whole number of ns, in the unit of the whole, so that its width stays while it runs. */
export const moment = (ns, total) => nanoseconds(Math.round(ns), total);

/** A tick of an axis with that step, without its unit. */
export function tick(ns, step, size) {
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  return withCommas(ns / size, digits, digits);
}

/** 1048576 -> "1 MiB". */
export function bytes(size) {
  const power = size ? Math.min(4, Math.max(0, Math.floor(Math.log2(size) / 10))) : 0;
  return `${withCommas(size / 1024 ** power, 0, 3)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

/** Ascending numbers as "0–3, 5". */
export function ranges(numbers) {
  const runs = [];
  for (const n of numbers) {
    if (runs.length && n === runs.at(-1)[1] + 1) runs.at(-1)[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`)).join(", ");
}

/** "{who} waits" with who: "NPU 1" -> "NPU 1 waits". */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
