// Everything there is to say about a span, and the table of the lanes.

import { make, makeTable, put } from "../frame/dom.js";
import { bytes, count, nanoseconds, percent } from "../frame/words.js";
import { EXPOSED } from "./looks.js";

const NO_SPAN = "Point at a span for its facts, or step from span to span with the keys n and p.";

/** [heading, [name, value]...] of a span. */
export function factsOf(run, span) {
  const { layer, work, phase, size } = run.of(span);
  const [start, end, lane] = [run.start[span], run.end[span], run.lanes[run.track(span).lane]];
  const when = [
    ["starts", nanoseconds(start, run.total)],
    ["ends", nanoseconds(end, run.total)],
    ["lasts", `${nanoseconds(end - start)} (${percent((end - start) / run.total)} of the run)`],
  ];
  if (run.chunk[span] >= 0) return chunkFacts(run, span, lane, when);
  if (layer) return [`${layer}: ${work}`, [["on", lane.name], ...(size ? [["size", bytes(size)]] : []), ...when]];
  if (phase === "message") return [`a message of ${bytes(size)}`, [["on", lane.name], ["waited", nanoseconds(start - run.queued[span])], ...when]];
  if (phase !== EXPOSED) return [phase, [["on", lane.name], ...when]];
  if (end - start <= 1) when.push(["note", "the training loop takes 1 ns from one state to the next"]);
  return ["exposed communication: the NPU does not compute", [["meanwhile", meanwhile(run, lane, start, end)], ...when]];
}

function chunkFacts(run, span, lane, when) {
  const { layer, work, collective, phase, size } = run.of(span);
  const way = run.way(span);
  return [work === phase ? `${layer}: ${phase}` : `${layer}, ${work}: ${phase}`, [
    ["on", lane.name],
    ["collective", collective],
    ["chunk", `${run.chunk[span]}, phase ${way.indexOf(span) + 1} of ${way.length}`],
    ["brings", bytes(size)],
    ["waited", nanoseconds(run.start[span] - run.queued[span])],
    ...when,
  ]];
}

/** What the dimensions of an NPU's lanes carried in a stretch of time. */
function meanwhile(run, { group: mine }, start, end) {
  const carried = run.lanes.filter(({ short, group }) => group === mine && short.startsWith("dimension "))
    .map((dimension) => [dimension.short, run.busy(dimension, start, end).busy / (end - start)]);
  if (!carried.some(([, share]) => share > 0)) return "nothing on the network";
  return carried.map(([name, share]) => `${name} busy ${percent(share)}`).join(", ");
}

/** Write the facts, or that there are none; aloud: for a screen reader, too. */
export function showFacts({ detail, said }, facts, aloud) {
  detail.replaceChildren(...(facts ? listOf(facts) : [make("p", { text: NO_SPAN })]));
  if (aloud) put(said, "text", facts ? `${facts[0]}; ${facts[1].map((fact) => fact.join(" ")).join(", ")}` : "no span");
}

function listOf([heading, facts]) {
  const list = make("dl");
  for (const [name, value] of facts) {
    const pair = make("div", {}, list);
    make("dt", { text: name }, pair);
    make("dd", { text: value }, pair);
  }
  return [make("strong", { text: heading }), list];
}

/** The lanes that are shown in numbers, for a stretch of time. */
export function tabulate(table, run, { from, to }) {
  table.replaceChildren();
  make("caption", { text: `From ${nanoseconds(from, run.total)} to ${nanoseconds(to, run.total)}` }, table);
  const body = makeTable(table, ["lane", "spans", "busy", "of the time"]);
  for (const lane of run.lanes.filter(({ hidden }) => !hidden)) {
    const { spans, busy } = run.busy(lane, from, to);
    const row = make("tr", {}, body);
    make("th", { scope: "row", text: lane.name }, row);
    for (const text of [count(spans), nanoseconds(busy), percent(busy / (to - from))]) make("td", { text }, row);
  }
}
