// The line to the server: what a page wants goes out, what has changed comes in; it is laid again when it breaks.

const WAITS_MS = [300, 1000, 2000, 5000, 10000];

export class Line {
  /** heard: {answer(message), open(), lost(sentence)}; a sentence of "" when it is there again. */
  constructor(heard) {
    Object.assign(this, { heard, tries: 0, full: "" });
    this.#connect();
  }

  /** Whether it was there to take the message. */
  say(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  #connect() {
    const address = new URL("socket", location.href.replace(/[?#].*/, ""));
    address.protocol = address.protocol.replace("http", "ws");
    this.socket = new WebSocket(address);
    this.socket.onopen = () => {
      this.tries = 0;
      this.heard.lost("");
      this.heard.open();
    };
    this.socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.full) this.full = message.full;
      else this.heard.answer(message);
    };
    this.socket.onclose = () => this.#again();
  }

  #again() {
    const wait = this.full ? WAITS_MS.at(-1) : WAITS_MS[Math.min(this.tries, WAITS_MS.length - 1)];
    this.tries += 1;
    this.heard.lost(this.full || "The dashboard can't be reached; trying again. What is on show stays.");
    this.full = "";
    setTimeout(() => this.#connect(), wait);
  }
}
