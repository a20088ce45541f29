// Strings in the browser's audio thread.

import { StruckString } from "./string.js";

/** @typedef {{ note: number, speed: number } | { note: number, damp: true }} Blow */

const MOST = 8; // strings; a new one replaces the oldest

const scope = /** @type {any} */ (globalThis);

/** Renders all strings that sound. */
class StringProcessor extends scope.AudioWorkletProcessor {
  constructor() {
    super();
    /** @type {Map<number, StruckString>} */
    this.strings = new Map();
    this.port.onmessage = (/** @type {MessageEvent<Blow>} */ { data }) => this.take(data);
  }

  /** @param {Blow} blow */
  take(blow) {
    const sounding = this.strings.get(blow.note);
    if ("damp" in blow) {
      sounding?.setDamper(true);
      return;
    }
    const string = sounding ?? new StruckString(blow.note, scope.sampleRate);
    string.setDamper(false); // the damper lifts before the hammer strikes
    string.strike(blow.speed);
    this.strings.set(blow.note, string);
    if (this.strings.size > MOST) this.strings.delete([...this.strings.keys()][0]);
  }

  /**
   * @param {Float32Array[][]} _
   * @param {Float32Array[][]} outputs
   */
  process(_, [[samples]]) {
    for (const [note, string] of this.strings) {
      string.render(samples);
      if (!string.sounds) this.strings.delete(note);
    }
    return true;
  }
}

scope.registerProcessor("strings", StringProcessor);
