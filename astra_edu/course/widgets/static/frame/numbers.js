// Numbers: bounds, searching, and columns of them as Python sends them.

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** The first whole number from `low` on for which `holds`; `high` if there is none. False must come before true. */
export function firstWhere(low, high, holds) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How many of the ascending numbers are <= x. */
export function upTo(numbers, x) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The next of the ascending numbers after x (by 1), or the one before it (by -1); at the ends, the last one there. */
export function neighbour(numbers, x, by) {
  const passed = upTo(numbers, x);
  const at = by > 0 ? passed : passed - (numbers[passed - 1] === x ? 2 : 1);
  return numbers[clamp(at, 0, numbers.length - 1)];
}

/** The place of the number nearest to x. */
export const nearest = (numbers, x) =>
  numbers.reduce((best, n, i) => (Math.abs(n - x) < Math.abs(numbers[best] - x) ? i : best), 0);

/** Columns of equal length, one after the other: a view of bytes from Python, in a saved page base64. */
export function columns(bytes, types) {
  const buffer = typeof bytes === "string" ? Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer
    : bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const n = buffer.byteLength / types.reduce((sum, type) => sum + type.BYTES_PER_ELEMENT, 0);
  let offset = 0;
  return types.map((type) => {
    const column = new type(buffer, offset, n);
    offset += n * type.BYTES_PER_ELEMENT;
    return column;
  });
}

/** How far apart the ticks of an axis are: 1, 2 or 5 times a power of ten, the first for which `fits`. */
export function tickStep(length, fits, least = 0) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, length) / 100));
  const steps = [1, 10, 100, 1000].flatMap((p) => [1, 2, 5].map((k) => Math.max(least, k * p * power)));
  return steps.find(fits) ?? length;
}
