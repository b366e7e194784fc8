// A model without a kernel: what it holds is what it is given, and who listens hears of every change.

/** state: {trait: value}. saved(state): called where a view would send its changes to Python. */
export function stubModel(state, saved = () => {}) {
  const heard = {};
  return {
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      (heard[`change:${name}`] ?? []).forEach((hear) => hear());
    },
    save_changes: () => saved(state),
    on: (name, hear) => (heard[name] ??= []).push(hear),
    off: (name, hear) => (heard[name] = (heard[name] ?? []).filter((other) => other !== hear)),
  };
}
