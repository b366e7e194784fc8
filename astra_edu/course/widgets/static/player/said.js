// What happens in a step, in a sentence.

import { fill, several } from "../frame/words.js";

const MOST = 4; // transfers and names of shards that are read out

/** What `step` does; with an NPU in focus, what that one sends and gets. */
export function sentence(data, film, step, focus) {
  const now = data.steps[step - 1];
  if (!now) {
    const before = `Before the first of ${several(data.step_count, "step")}`;
    return film.count ? `${before}. Press play, or → for one step.` : `${before}, which can't be shown.`;
  }
  if (focus === null) return now.text;
  const mine = now.tokens.filter((token) => token[0] === focus || token[1] === focus);
  const said = mine.slice(0, MOST).map((token) => transfer(data, film, token, step));
  if (mine.length > MOST) said.push(`and ${mine.length - MOST} more from or to NPU ${focus}`);
  if (!mine.length) said.push(fill(data.words.nothing, { npu: focus }));
  return `${now.text.split(": ")[0]}: ${said.join("; ")}.`;
}

function transfer(data, film, [source, destination, shards], step) {
  const [kind, who, when] = source >= data.npus ? ["down", destination, step] : [destination >= data.npus ? "up" : "send", source, step - 1];
  const names = shards.map((shard) => data.names[shard]);
  const sets = [...new Set(shards.map((shard) => film.held(who, shard, when, "steps")))];
  const [, spoken, size] = data.sets[sets[0]];
  return fill(data.words[kind], {
    source,
    destination,
    shards: names.length > MOST ? `${names.length} shards (${names.slice(0, 3).join(", ")}, …)` : names.join(", "),
    holding: data.reducing && sets.length === 1 ? `, ${size === 1 ? data.words.own : spoken},` : "",
  });
}
