// What happens over time: frames, messages to Python, and what waits until things have settled.

const MESSAGE_MS = 100; // between two messages to Python
const LONGEST_S = 0.1; // after a pause, such as a hidden tab, nothing jumps

/** Calls `frame(seconds since the last one)` once when woken, and on as long as it returns true. */
export class Loop {
  constructor(frame) {
    this.tick = (now) => {
      this.request = null;
      const seconds = Math.min(LONGEST_S, (now - (this.last ?? now)) / 1000);
      this.last = frame(seconds) ? now : null;
      if (this.last !== null) this.wake();
    };
  }

  wake() {
    this.request ??= requestAnimationFrame(this.tick);
  }

  stop() {
    cancelAnimationFrame(this.request);
    this.request = this.last = null;
  }
}

/** Sends at most every MESSAGE_MS: the first at once, and the latest once more when things have settled. */
export class Mail {
  constructor(send) {
    this.send = send;
    this.sent = -Infinity;
    this.timer = null;
  }

  post() {
    const wait = MESSAGE_MS - (performance.now() - this.sent);
    if (wait <= 0 && !this.timer) this.#deliver();
    else this.timer ??= setTimeout(() => this.#deliver(), wait);
  }

  /** Send what still waits: nothing may be lost when a view closes. */
  flush() {
    if (this.timer) this.#deliver();
  }

  #deliver() {
    clearTimeout(this.timer);
    this.timer = null;
    this.sent = performance.now();
    this.send();
  }
}

/** Acts once nothing has happened for some time. */
export class Settled {
  constructor(act, ms) {
    Object.assign(this, { act, ms, timer: null });
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#now(), this.ms);
  }

  /** Act now, if something still waits. */
  flush() {
    if (this.timer) this.#now();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  #now() {
    this.stop();
    this.act();
  }
}
