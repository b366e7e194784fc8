// Playing, apart from what is played and how it is drawn: a position that moves from frame to frame.

export const TINY = 1e-6;

/** Seconds from one still picture to the next, for who asked for no motion. */
export const STILL_S = 0.35;

export class Playback {
  /**
   * film: end (the last position), rate (positions a second at speed 1), and for who asked for no motion: beat (seconds
   * from one still picture to the next at speed 1) and after(position), the position of the next one.
   */
  constructor(film, position = 0) {
    this.film = film;
    this.position = position;
    this.goal = null; // where a glide to a step ends
    this.playing = false;
    this.speed = 1;
    this.waited = 0;
  }

  get moving() {
    return this.playing || this.goal !== null;
  }

  /** Start or stop; at the end it starts again from 0. Returns whether that changed anything. */
  play(on) {
    if (on === this.playing || (on && !this.film.end)) return false;
    Object.assign(this, { playing: on, goal: null, waited: 0 });
    if (on && this.position > this.film.end - TINY) this.position = 0;
    return true;
  }

  /** Jump to a position, or glide there. */
  seek(position, glide = false) {
    const wanted = Math.min(Math.max(position, 0), this.film.end);
    this.goal = glide ? wanted : null;
    if (!glide) this.position = wanted;
  }

  /** A glide that is still under way ends now. */
  arrive() {
    if (this.goal !== null) this.seek(this.goal);
  }

  /** What `seconds` bring; `still` shows one still picture after the other instead of moving. */
  advance(seconds, still) {
    const { film } = this;
    if (this.playing && still) {
      this.waited += seconds;
      if (this.waited < film.beat / this.speed) return;
      this.waited = 0;
      this.position = film.after(this.position);
    } else {
      this.position += film.rate * this.speed * seconds;
    }
    const end = this.goal ?? film.end;
    if (this.position < end - TINY) return;
    this.position = end;
    this.goal = null;
    if (this.position > film.end - TINY) this.playing = false;
  }
}
