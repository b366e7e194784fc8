// A prediction beside the answer, in the words of question.py.

/** A number with so many digits that count, in full from 1,000 on where it is whole. */
function number(value, digits = 4) {
  const rounded = value >= 1000 && Number.isInteger(value) ? value : Number(value.toPrecision(digits));
  return rounded.toLocaleString("en", { maximumFractionDigits: 12 });
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
  const times = drawing.log ? `${number(middle, 3)} times` : `${number(100 * (middle - 1), 3)} % of the range`;
  const said = `Your curve is off by ${times} in the median, most at ${drawing.x} ${number(drawing.xs[worst])}: you drew ${number(predicted[worst])}, it is ${number(answer.value[worst])}.`;
  return { right: middle <= answer.near, said };
}

/** {right, said}: whether a prediction counts as right, and both of them in a sentence. */
export function confront(question, answer, predicted) {
  if (question.choices.length) {
    const right = predicted === answer.value;
    return { right, said: `You said ${predicted}; ${right ? "so it is" : `it is ${answer.value}`}.` };
  }
  if (question.drawing) return confrontDrawing(question.drawing, answer, predicted);
  const [low, high] = [Math.min(predicted, answer.value), Math.max(predicted, answer.value)];
  const right = low === high || (low > 0 && high / low <= answer.near);
  const unit = question.unit && ` ${question.unit}`;
  return { right, said: `You said ${number(predicted)}${unit}; it is ${number(answer.value)}${unit}: ${off(predicted, answer.value)}.` };
}
