// The link to the process that runs the plant: reconnects by itself, uses JSON and binary frames.

import { decode, inputFrame, pingFrame, touchFrame } from "./frames.js";
import { ECHO } from "./messages.js";

/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./messages.js").Request} Request */

/**
 * Callbacks for received data and for the state of the link.
 * @typedef {object} Listener
 * @property {(message: Message) => void} text
 * @property {(frame: import("./frames.js").Poses | import("./frames.js").SampleFrame) => void} frame
 * @property {() => void} open
 * @property {(ending: Ending) => void} lost
 */
/** @typedef {"ended" | "cut" | "turned away"} Ending how a link was lost: closed in order, lost without a close, or refused */

const LOOK_EVERY = 500; // between two checks for messages of the server [ms]; it sends at 4 Hz
// the link is lost after so many checks without a message; checks are counted, not time, because a
// page that was busy receives pending messages between two checks
const SILENT_LOOKS = 6;
const [POLICY, BUSY] = [1008, 1013]; // close codes with which the studio refuses pages
const IN_ORDER = [1000, 1001, 1012]; // and with which it closes in order
const WAITS = [250, 500, 1000, 2000]; // before trying again [ms]

export class Connection {
  /**
   * @param {import("./socketlink.js").Dial} dial
   * @param {Listener} on
   */
  constructor(dial, on) {
    this.dial = dial;
    this.on = on;
    this.attempts = 0;
    this.inputs = 0;
    this.silent = 0; // checks since the last message
    /** @type {Map<bigint, number>} */
    this.pings = new Map();
    /** @type {number[]} */
    this.roundTrips = [];
    /** @type {Ending | null} */
    this.ending = null;
    this.link = this.open();
    setInterval(() => this.watch(), LOOK_EVERY);
    setInterval(() => this.ping(), 2000);
  }

  get ready() {
    return this.link.ready;
  }

  open() {
    /** @type {import("./socketlink.js").Link} */
    const link = this.dial({
      open: () => {
        this.attempts = 0;
        this.ending = null;
        this.silent = 0;
        this.pings.clear();
        this.on.open();
      },
      data: (data) => this.receive(data),
      closed: (code) => {
        if (this.link === link) this.lose(code);
      },
    });
    return link;
  }

  /**
   * Report how the link was lost, and try again; failed attempts keep the last known reason.
   * @param {number} code
   */
  lose(code) {
    if (IN_ORDER.includes(code)) this.ending = "ended";
    else if (code === POLICY || code === BUSY) this.ending = "turned away";
    else this.ending ??= "cut";
    this.on.lost(this.ending);
    const wait = WAITS[Math.min(this.attempts++, WAITS.length - 1)];
    setTimeout(() => {
      this.link = this.open();
    }, wait);
  }

  /** @param {string | ArrayBuffer} data */
  receive(data) {
    this.silent = 0;
    if (typeof data === "string") {
      this.on.text(JSON.parse(data));
      return;
    }
    const frame = decode(data);
    if (frame.kind === ECHO) this.answered(frame.token);
    else this.on.frame(frame);
  }

  /** Close a link that is open but silent, so that it is opened again. */
  watch() {
    if (this.ready && this.silent++ >= SILENT_LOOKS) this.link.close();
  }

  /**
   * Send a request.
   * @param {Request} request
   */
  say(request) {
    if (this.ready) this.link.send(JSON.stringify(request));
  }

  /**
   * An input's value; `time` is when the hand gave it, on the page's clock [ms].
   * @param {number} index
   * @param {number} value
   * @param {number} [time]
   */
  input(index, value, time = performance.now()) {
    this.inputs += 1;
    if (this.ready) this.link.send(inputFrame(index, this.inputs, value, time));
  }

  /**
   * How the pointer holds a body; null: it has let go.
   * @param {import("./frames.js").PointerHold | null} hold
   * @param {number} firmness
   */
  touch(hold, firmness) {
    this.inputs += 1;
    if (this.ready) this.link.send(touchFrame(hold, this.inputs, firmness));
  }

  ping() {
    if (!this.ready) return;
    const token = BigInt(Math.floor(performance.now() * 1000));
    this.pings.set(token, performance.now());
    this.link.send(pingFrame(token));
  }

  /** Median time from the page to the server and back [ms]; undefined before the first. */
  get roundTrip() {
    return [...this.roundTrips].sort((a, b) => a - b)[this.roundTrips.length >> 1];
  }

  /** @param {bigint} token */
  answered(token) {
    const sent = this.pings.get(token);
    if (sent === undefined) return;
    this.pings.delete(token);
    this.roundTrips.push(performance.now() - sent);
    if (this.roundTrips.length > 15) this.roundTrips.shift();
  }
}
