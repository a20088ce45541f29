// Values of inputs set by this page: inputs are acquired with the first value, kept alive, released.

/** @typedef {{ value: number, time: number, sent: number, timer: number | null }} Held times in ms */

const ALIVE = 50; // a held value is repeated this often, so that the loop does not count it as stale [ms]
const LINGER = 400; // inputs are released this long after the last was let go [ms]
const PATIENCE = 1000; // no attempt is made for so long after a refusal, when another page drives [ms]
const SPACING = 6; // between two values of one input: the server accepts 200 messages per second [ms]

export class Inputs {
  /** @type {Map<number, Held>} */
  held = new Map();
  /** @type {boolean} */
  taken = false;
  /** @type {number | undefined} */
  giving;
  /** @type {number} */
  refused = -Infinity; // time of the last refusal [ms]

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    this.clear();
    setInterval(() => this.repeat(), ALIVE);
  }

  clear() {
    this.held = new Map(); // index → { value, sent }
    this.taken = false;
    clearTimeout(this.giving);
  }

  /** Another page drives: nothing is held here. */
  giveUp() {
    this.clear();
    this.refused = performance.now();
  }

  /**
   * Hold an input at a value that the hand gave at page time `time` [ms]; false shortly after a
   * refusal, when another page drives.
   * @param {number} index
   * @param {number} value
   * @param {number} [time]
   */
  hold(index, value, time = performance.now()) {
    if (performance.now() - this.refused < PATIENCE) return false;
    clearTimeout(this.giving);
    if (!this.taken) {
      this.connection.say({ do: "take_input" });
      this.taken = true;
    }
    /** @type {Held} */
    const entry = this.held.get(index) ?? { value, time, sent: -Infinity, timer: null };
    Object.assign(entry, { value, time });
    this.held.set(index, entry);
    const wait = entry.sent + SPACING - performance.now();
    if (wait <= 0) this.send(index, entry);
    else entry.timer ??= setTimeout(() => this.send(index, entry), wait);
    return true;
  }

  /**
   * Release an input.
   * @param {number} index
   */
  drop(index) {
    const entry = this.held.get(index);
    if (!entry) return;
    if (entry.timer) {
      clearTimeout(entry.timer);
      this.send(index, entry);
    }
    this.held.delete(index);
    if (this.held.size) return;
    clearTimeout(this.giving);
    this.giving = setTimeout(() => {
      this.connection.say({ do: "release_input" });
      this.taken = false;
    }, LINGER);
  }

  /**
   * @param {number} index
   * @param {Held} entry
   */
  send(index, entry) {
    entry.timer = null;
    entry.sent = performance.now();
    this.connection.input(index, entry.value, entry.time);
  }

  repeat() {
    const now = performance.now();
    for (const [index, entry] of this.held) {
      if (now - entry.sent < ALIVE) continue;
      entry.time = now;
      this.send(index, entry);
    }
  }
}
