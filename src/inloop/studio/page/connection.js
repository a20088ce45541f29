// The WebSocket to the studio: reconnects by itself, speaks JSON and binary frames.

import { decode, inputFrame, pingFrame } from "./frames.js";

const SILENCE = 3000; // a server that says nothing for this long is lost [ms]; it speaks at 4 Hz
const WAITS = [250, 500, 1000, 2000]; // before trying again [ms]

/** Calls `on.text(message)`, `on.frame(frame)`, `on.open()`, `on.lost()`. */
export class Connection {
  constructor(address, on) {
    this.address = address;
    this.on = on;
    this.attempts = 0;
    this.inputs = 0;
    this.heard = 0;
    this.pings = new Map();
    this.roundTrips = [];
    this.open();
    setInterval(() => this.watch(), 500);
    setInterval(() => this.ping(), 2000);
  }

  get ready() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  open() {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.attempts = 0;
      this.heard = performance.now();
      this.pings.clear();
      this.on.open();
    };
    socket.onmessage = ({ data }) => this.receive(data);
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.on.lost(event);
      const wait = WAITS[Math.min(this.attempts++, WAITS.length - 1)];
      setTimeout(() => this.open(), wait);
    };
    this.socket = socket;
  }

  receive(data) {
    this.heard = performance.now();
    if (typeof data === "string") return this.on.text(JSON.parse(data));
    const frame = decode(data);
    if (frame.token !== undefined) return this.answered(frame.token);
    return this.on.frame(frame);
  }

  /** A link that is open and dead is closed, so that it is opened again. */
  watch() {
    if (this.ready && performance.now() - this.heard > SILENCE) this.socket.close();
  }

  say(what, more = {}) {
    if (this.ready) this.socket.send(JSON.stringify({ do: what, ...more }));
  }

  /** An input's value; `time` is when the hand gave it, on the page's clock [ms]. */
  input(index, value, time = performance.now()) {
    this.inputs += 1;
    if (this.ready) this.socket.send(inputFrame(index, this.inputs, value, time));
  }

  ping() {
    if (!this.ready) return;
    const token = BigInt(Math.floor(performance.now() * 1000));
    this.pings.set(token, performance.now());
    this.socket.send(pingFrame(token));
  }

  /** Median time from the page to the server and back [ms]; undefined before the first. */
  get roundTrip() {
    return [...this.roundTrips].sort((a, b) => a - b)[this.roundTrips.length >> 1];
  }

  answered(token) {
    const sent = this.pings.get(token);
    if (sent === undefined) return;
    this.pings.delete(token);
    this.roundTrips.push(performance.now() - sent);
    if (this.roundTrips.length > 15) this.roundTrips.shift();
  }
}
