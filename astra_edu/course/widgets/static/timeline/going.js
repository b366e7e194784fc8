// From span to span: which comes next in a lane, in another lane, among those that are highlighted.

import { firstWhere } from "../frame/numbers.js";

const inTime = ({ start }) => (a, b) => start[a] - start[b] || a - b;

/** The next span of a lane in time order over all its rows (by 1), or the one before (by -1); null at the ends. */
export function nextInLane(run, { tracks }, span, by) {
  const before = inTime(run);
  const found = tracks.map(({ first, last }) => {
    const after = firstWhere(first, last, (i) => before(i, span) > (by > 0 ? 0 : -1));
    const next = by > 0 ? after : after - 1;
    return next >= first && next < last && before(next, span) * by > 0 ? next : null;
  });
  return found.filter((i) => i !== null).sort((a, b) => by * before(a, b))[0] ?? null;
}

/** The span of a lane nearest to a time, or null. */
export function nearestInLane(run, { tracks }, time) {
  const near = tracks.map((track) => run.near(track, time, Infinity)).filter((i) => i !== null);
  return near.sort((a, b) => run.away(a, time) - run.away(b, time))[0] ?? null;
}

/** The number of the next lane with spans that is shown, down (by 1) or up (by -1) from the one with that number; null for none. */
export function nextLane({ lanes }, from, by) {
  let lane = from ?? (by > 0 ? -1 : lanes.length);
  do lane += by;
  while (lanes[lane] && (!lanes[lane].spans || lanes[lane].hidden));
  return lanes[lane] ? lane : null;
}

/** The span after `span`, in time order, among those of some kinds; from the last one to the first. */
export function nextOfKinds(run, kinds, span) {
  const spans = Array.from(run.kind.keys()).filter((i) => kinds[run.kind[i]]).sort(inTime(run));
  return spans.length ? spans[(spans.indexOf(span) + 1) % spans.length] : null;
}
