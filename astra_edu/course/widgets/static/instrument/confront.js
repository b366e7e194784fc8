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

/** {right, said}: whether a prediction counts as right, and both of them in a sentence. */
export function confront(question, answer, predicted) {
  if (question.choices.length) {
    const right = predicted === answer.value;
    return { right, said: `You said ${predicted}; ${right ? "so it is" : `it is ${answer.value}`}.` };
  }
  const [low, high] = [Math.min(predicted, answer.value), Math.max(predicted, answer.value)];
  const right = low === high || (low > 0 && high / low <= answer.near);
  const unit = question.unit && ` ${question.unit}`;
  return { right, said: `You said ${number(predicted)}${unit}; it is ${number(answer.value)}${unit}: ${off(predicted, answer.value)}.` };
}
