// The messages on the links, and what is true of a link at a time. Times are in ns.

import { columns, neighbour, upTo } from "../frame/numbers.js";
import { STILL_S } from "../frame/playback.js";

const ALL_S = 20; // to play everything at speed 1

export class Traffic {
  constructor(data) {
    const [link, size, queued, start, free, end] = columns(data.uses, Array(6).fill(Float64Array));
    this.links = data.links.map(() => ({ size: [], queued: [], start: [], free: [], end: [], busy: [0] }));
    link.forEach((number, i) => {
      const one = this.links[number];
      one.size.push(size[i]);
      one.queued.push(queued[i]);
      one.start.push(start[i]);
      one.free.push(free[i]);
      one.end.push(end[i]);
      one.busy.push(one.busy.at(-1) + free[i] - start[i]);
    });
    for (const one of this.links) one.queued.sort((a, b) => a - b);
    this.events = [...new Set([0, ...start, ...end, data.total_ns])].sort((a, b) => a - b);
    this.total = data.total_ns;
  }

  /** Of a link at a time: the share of the time so far in which it sent, what it sends, what waits, and where messages are. */
  at(i, time) {
    const { size, queued, start, free, end, busy } = this.links[i];
    const begun = upTo(start, time);
    const last = begun - 1;
    const sending = begun > 0 && free[last] > time;
    const used = begun ? busy[begun] - Math.max(0, free[last] - time) : 0;
    const underWay = [];
    for (let k = last; k >= 0 && end[k] > time; k -= 1) underWay.push((time - start[k]) / (end[k] - start[k]));
    return { share: time ? used / time : 0, sending: sending ? size[last] : 0, waiting: upTo(queued, time) - begun, underWay };
  }

  /** To be played: an event is a time at which some message starts on a link or arrives at its end. */
  film() {
    const { events, total } = this;
    const rate = total / ALL_S;
    const step = (time, by) => neighbour(events, time, by);
    return { end: total, rate, beat: STILL_S, step, after: (time) => Math.max(step(time, 1), time + rate * STILL_S), shown: (time) => time };
  }
}
