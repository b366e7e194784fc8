// The payload: columns of spans; a track is a row of a lane, its spans stand together by their start. Times are in ns.

import { columns, firstWhere } from "../frame/numbers.js";
import { lookOf } from "./looks.js";

export class Run {
  constructor(data) {
    this.data = data;
    [this.start, this.end, this.queued, this.chunk, this.kind] =
      columns(data.spans, [Float64Array, Float64Array, Float64Array, Int32Array, Int32Array]);
    this.count = this.start.length;
    this.total = data.total_ns;
    this.tracks = data.tracks.map(([lane, row, first, count]) => ({ lane, row, first, last: first + count }));
    this.lanes = data.lanes.map(([name, spans, busy, group, shut, short]) => ({ name, spans, busy, group, shut, short, tracks: [] }));
    for (const track of this.tracks) this.lanes[track.lane].tracks.push(track);
    this.groups = data.groups;
    this.kinds = data.kinds.map(([layer, work, collective, phase, size, look, brief]) => {
      return { layer, work, collective, phase, size, look: lookOf(look), brief };
    });
    this.layers = [...new Set(this.kinds.map((kind) => kind.layer))].filter(Boolean);
  }

  of(span) {
    return this.kinds[this.kind[span]];
  }

  track(span) {
    return this.tracks.find(({ first, last }) => first <= span && span < last);
  }

  /** The first span of a track that ends after a time; the track's end if none does. */
  after(track, time) {
    return firstWhere(track.first, track.last, (i) => this.end[i] > time);
  }

  /** [first, last) spans of a track that a stretch of time touches. */
  within(track, from, to) {
    const first = this.after(track, from);
    return [first, firstWhere(first, track.last, (i) => this.start[i] >= to)];
  }

  /** How far a span is from a time; 0 while it lasts. */
  away(span, time) {
    return Math.max(this.start[span] - time, time - this.end[span], 0);
  }

  /** The span of a track nearest to a time, if it is no further than `reach`. */
  near(track, time, reach) {
    const next = this.after(track, time);
    const away = (i) => (i < track.first || i >= track.last ? Infinity : this.away(i, time));
    const best = away(next - 1) < away(next) ? next - 1 : next;
    return away(best) <= reach ? best : null;
  }

  /** {spans, busy} of a lane in a stretch of time: how many there are, how long it carries at least one. */
  busy({ tracks }, from, to) {
    const pieces = [];
    for (const track of tracks) {
      const [first, last] = this.within(track, from, to);
      for (let i = first; i < last; i += 1) pieces.push([Math.max(from, this.start[i]), Math.min(to, this.end[i])]);
    }
    if (tracks.length > 1) pieces.sort((a, b) => a[0] - b[0]);
    let [busy, now] = [0, from];
    for (const [start, end] of pieces) {
      busy += Math.max(0, end - Math.max(now, start));
      now = Math.max(now, end);
    }
    return { spans: pieces.length, busy };
  }

  /** The spans of one chunk on its way: it queues for each at the moment at which the one before is over. */
  way(span) {
    if (this.chunk[span] < 0) return [span];
    const { layer, work } = this.of(span);
    const { group } = this.lanes[this.track(span).lane];
    const same = (i) => this.chunk[i] === this.chunk[span] && this.of(i).layer === layer && this.of(i).work === work;
    const mine = this.lanes.filter((lane) => lane.group === group).flatMap(({ tracks }) => tracks)
      .flatMap(({ first, last }) => Array.from({ length: last - first }, (_, k) => first + k).filter(same))
      .sort((a, b) => this.start[a] - this.start[b] || a - b);
    const way = [span];
    for (const i of mine.filter((i) => this.start[i] >= this.end[span])) {
      if (this.queued[i] === this.end[way.at(-1)]) way.push(i);
    }
    for (const i of mine.filter((i) => this.end[i] <= this.start[span]).reverse()) {
      if (this.end[i] === this.queued[way[0]]) way.unshift(i);
    }
    return way;
  }

  /** The kinds of the layers whose names contain a text, or of the one that it names; null for none. */
  matching(text) {
    const wanted = text.trim().toLowerCase();
    const names = this.layers.map((layer) => layer.toLowerCase());
    const layers = new Set(names.includes(wanted) ? [wanted] : names.filter((name) => wanted && name.includes(wanted)));
    if (!layers.size) return null;
    const kinds = this.kinds.map(({ layer }) => layers.has(layer.toLowerCase()));
    return { kinds, layers: layers.size, spans: this.kind.reduce((n, kind) => n + kinds[kind], 0) };
  }
}
