// Axes: where a number stands on one that is even or goes by powers, and its ticks.

import { tickStep } from "../frame/numbers.js";
import { count } from "../frame/words.js";

/** {at(value): its place, from(place): the value there, ticks}: of an axis from low to high, between two places. */
export function axis(low, high, log, start, end) {
  const [a, b] = log ? [Math.log(low), Math.log(high)] : [low, high];
  const length = b - a || 1;
  return {
    at: (value) => start + ((end - start) * ((log ? Math.log(Math.max(value, low)) : value) - a)) / length,
    from: (place) => {
      const x = a + (length * (place - start)) / (end - start);
      return log ? Math.exp(x) : x;
    },
    ticks: log ? powers(low, high) : evenTicks(low, high, Math.abs(end - start) / 55),
  };
}

function evenTicks(low, high, most) {
  const scale = high - low < 100 ? 1e6 : 1; // tickStep is made for whole numbers
  const step = tickStep((high - low) * scale, (length) => ((high - low) * scale) / length <= Math.max(2, most)) / scale;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Powers of ten within; of two where there is none, or one. */
function powers(low, high) {
  const between = (base) => {
    const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
    const last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
    const every = Math.ceil((last - first + 1) / 7);
    return Array.from({ length: Math.max(0, Math.floor((last - first) / every) + 1) }, (_, i) => base ** (first + i * every));
  };
  const tens = between(10);
  return tens.length > 1 ? tens : between(2);
}

/** A tick's words: 0.5, 20, 1,000, 20k, 3M. */
export function tickWords(value) {
  const [by, unit] = Math.abs(value) >= 1e9 ? [1e9, "G"] : Math.abs(value) >= 1e6 ? [1e6, "M"] : Math.abs(value) >= 1e4 ? [1e3, "k"] : [1, ""];
  return `${count(Number((value / by).toPrecision(4)))}${unit}`;
}
