// The words around the chart: about the run, about what is highlighted in it, about the span that is looked at.

import { make, put } from "../frame/dom.js";
import { count, several } from "../frame/words.js";
import { legendKeys } from "./chart.js";
import { factsOf, listOf } from "./facts.js";
import { keysOf } from "./parts.js";

const NO_SPAN = "Point at a span for its facts, or step from span to span with the keys n and p.";

export function sayRun({ root, plot, title, times, thing, all, names, legend, help }, run) {
  const { data } = run;
  put(title, "text", `${data.total} in all`);
  put(times, "text", data.times);
  put(thing, "text", `highlight ${data.things[0]} `);
  put(all, "hidden", !run.folds.size);
  help(keysOf(run));
  put(root, "aria-label", `Timeline: ${data.title}`);
  const spans = `${several(run.count, "span")} in ${run.lanes.length} lanes`;
  put(plot, "aria-label", `${data.title}: ${data.total} in all, ${data.times}; ${spans}`);
  names.replaceChildren(...run.layers.map((value) => make("option", { value })));
  const looks = [...new Set(run.kinds.map((kind) => kind.look))].sort((a, b) => a - b);
  legend.replaceChildren(...legendKeys(looks));
}

/** How much is highlighted; `found` is null for nothing. */
export function foundIn({ data }, found) {
  const [one, more] = data.things;
  if (!found) return `no such ${one}`;
  return `${several(found.spans, "span")} of ${count(found.layers)} ${found.layers > 1 ? more : one}`;
}

/** The facts of a span, or how to get some; `aloud`: they are read out, too. */
export function saySpan({ detail, said }, run, span, aloud) {
  const facts = span === null ? null : factsOf(run, span);
  detail.replaceChildren(...(facts ? listOf(facts) : [make("p", { text: NO_SPAN })]));
  if (aloud) put(said, "text", facts ? `${facts[0]}; ${facts[1].map((fact) => fact.join(" ")).join(", ")}` : "no span");
}
