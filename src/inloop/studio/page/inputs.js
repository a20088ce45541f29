// Values that this page gives to inputs: taken when the first is held, kept alive, given back.

const ALIVE = 50; // a held value is repeated this often, so that the loop does not call it stale [ms]
const LINGER = 400; // inputs are given back this long after the last was let go [ms]
const SPACING = 6; // between two values of one input: the server takes 200 messages a second [ms]

export class Inputs {
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

  /** Hold an input at a value that the hand gave at page time `time` [ms]. */
  hold(index, value, time = performance.now()) {
    clearTimeout(this.giving);
    if (!this.taken) {
      this.connection.say("take_input");
      this.taken = true;
    }
    const entry = this.held.get(index) ?? { sent: -Infinity };
    Object.assign(entry, { value, time });
    this.held.set(index, entry);
    const wait = entry.sent + SPACING - performance.now();
    if (wait <= 0) this.send(index, entry);
    else entry.timer ??= setTimeout(() => this.send(index, entry), wait);
  }

  /** Let an input go. */
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
      this.connection.say("release_input");
      this.taken = false;
    }, LINGER);
  }

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
