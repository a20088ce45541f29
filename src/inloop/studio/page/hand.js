// The hand on the driven input: one value, from whichever source drives it (pointer, keys, controller, MIDI).

import { clamp } from "./numbers.js";

/** @typedef {import("./messages.js").Driven} Driven */

const TICK = 8; // between two values of a stroke [ms]

export class Hand {
  /** @type {number} */
  index = -1;
  /** @type {number | undefined} */
  stroking;

  /** @param {import("./inputs.js").Inputs} inputs */
  constructor(inputs) {
    this.inputs = inputs;
    /** @type {Driven | null} */
    this.device = null;
    /** @type {Array<(hand: Hand) => void>} */
    this.watchers = [];
    this.touch = 60; // length of a stroke by key [ms]
    this.value = 0;
    /** @type {string | null} */
    this.source = null;
  }

  /**
   * @param {Driven | null} device
   * @param {number} index
   */
  setDevice(device, index) {
    clearInterval(this.stroking);
    this.device = device;
    this.index = index;
    this.source = null;
    this.value = device?.rest ?? 0;
    this.notify();
  }

  /** Part of the range, 0 at low and 1 at high. */
  get fraction() {
    const { low, high } = this.device ?? { low: 0, high: 1 };
    return (this.value - low) / (high - low);
  }

  /**
   * Drive to a value at once.
   * @param {string} source
   * @param {number} value
   * @param {number} time
   */
  move(source, value, time) {
    if (!this.device) return;
    clearInterval(this.stroking);
    this.source = source;
    this.put(value, time);
  }

  /**
   * Drive to a value within a duration [ms], starting and ending smoothly.
   * @param {string} source
   * @param {number} target
   * @param {number} [duration]
   * @param {() => void} [done]
   */
  stroke(source, target, duration = this.touch, done = () => {}) {
    if (!this.device) return;
    clearInterval(this.stroking);
    this.source = source;
    const [start, from] = [performance.now(), this.value];
    const go = () => {
      const now = performance.now();
      const s = clamp((now - start) / duration, 0, 1);
      this.put(from + (target - from) * s * s * (3 - 2 * s), now);
      if (s < 1) return;
      clearInterval(this.stroking);
      done();
    };
    this.stroking = setInterval(go, TICK);
    go();
  }

  /**
   * Return to rest, then release.
   * @param {string} source
   * @param {number} [duration]
   */
  letGo(source, duration = this.touch) {
    if (!this.device || this.source !== source) return;
    this.stroke(source, this.device.rest, duration, () => {
      this.inputs.drop(this.index);
      this.source = null;
      this.notify();
    });
  }

  /** Another page drives: at rest here, and nothing is held. */
  giveUp() {
    clearInterval(this.stroking);
    this.source = null;
    this.value = this.device?.rest ?? 0;
    this.notify();
  }

  /**
   * @param {number} value
   * @param {number} time
   */
  put(value, time) {
    if (!this.device) return;
    this.value = clamp(value, this.device.low, this.device.high);
    if (this.inputs.hold(this.index, this.value, time)) this.notify();
    else this.giveUp();
  }

  notify() {
    for (const watch of this.watchers) watch(this);
  }
}
