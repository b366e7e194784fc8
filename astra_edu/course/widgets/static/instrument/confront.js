// A prediction beside the answer, in the words of question.py.

import { withCommas } from "../frame/words.js";

/** A number with so many digits that count, in full from 1,000 on where it is whole. */
function number(value, digits = 4) {
  const rounded = value >= 1000 && Number.isInteger(value) ? value : Number(value.toPrecision(digits));
  return withCommas(rounded, 0, 12);
}

function off(said, true_) {
  if (said === true_) return "just that";
  if (!true_ || !said) return `off by ${number(Math.abs(said - true_))}`;
  const ratio = said / true_;
  if (Math.abs(ratio - 1) < 0.3) return `${(100 * Math.abs(ratio - 1)).toFixed(1)} % too ${ratio > 1 ? "much" : "little"}`;
  return ratio > 1 ? `${number(ratio, 3)} times too much` : `${number(1 / ratio, 3)} times too little`;
}

/** By which factor two ys differ; where they don't go by powers, 1 and the share of the range. */
function apart({ log, low, high }, y, true_) {
  if (!log) return 1 + Math.abs(y - true_) / (high - low);
  const [a, b] = [Math.max(y, low), Math.max(true_, low)];
  return Math.max(a, b) / Math.min(a, b);
}

function confrontDrawing(drawing, answer, predicted) {
  const offs = predicted.map((y, i) => apart(drawing, y, answer.value[i]));
  const sorted = [...offs].sort((a, b) => a - b);
  const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  const worst = offs.indexOf(Math.max(...offs));
  const said = `Your curve is off by ${times(drawing, middle)} in the median, most at ${drawing.x} ${number(drawing.xs[worst])}: you drew ${number(predicted[worst])}, it is ${number(answer.value[worst])}.`;
  return judged(middle <= answer.near, said, Math.max(...offs) === 1 ? "" : `Up to ${times(drawing, answer.near)} in the median counts as right.`);
}

const times = ({ log }, factor) => (log ? `${number(factor, 3)} times` : `${number(100 * (factor - 1), 3)} % of the range`);

const judged = (right, said, counts = "") => ({ right, said, counts, word: right ? (counts ? "Near enough" : "Right") : "Not this time" });

/** {right, said, counts, word, why}: whether a prediction counts as right, both of them in a sentence, what would count
 *  as right, the verdict in a word, and the reason. */
export function confront(question, answer, predicted) {
  return { ...laidBeside(question, answer, predicted), why: `${answer.others[predicted] ?? ""} ${answer.why}`.trim() };
}

function laidBeside(question, answer, predicted) {
  if (question.choices.length) {
    const right = predicted === answer.value;
    return judged(right, `You said ${predicted}; ${right ? "so it is" : `it is ${answer.value}`}.`);
  }
  if (question.drawing) return confrontDrawing(question.drawing, answer, predicted);
  const [low, high] = [Math.min(predicted, answer.value), Math.max(predicted, answer.value)];
  const right = low === high || (low > 0 && high / low <= answer.near);
  const unit = question.unit && ` ${question.unit}`;
  const exact = !answer.value || number(predicted) === number(answer.value);
  const counts = exact ? "" : `Between ${number(answer.value / answer.near)} and ${number(answer.value * answer.near)}${unit} counts as right.`;
  return judged(right, `You said ${number(predicted)}${unit}; it is ${number(answer.value)}${unit}: ${off(predicted, answer.value)}.`, counts);
}
