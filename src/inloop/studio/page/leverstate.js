// One input controlled by the user: by keys with ramps, a stick, a pointer or a finger.

import { clamp } from "./numbers.js";

/** @typedef {import("./messages.js").Lever} Lever */

const QUICK = 4; // sticks and fingers move levers so many times as fast as keys

export class LeverState {
  /**
   * @param {Lever} lever
   * @param {number} index of the input
   */
  constructor(lever, index) {
    this.lever = lever;
    this.index = index;
    this.value = lever.rest;
    /** @type {number | null} */
    this.sent = null; // last value sent; null: not held
    this.when = 0; // time at which it was sent [ms]
    /** @type {Set<string>} */
    this.down = new Set(); // keys
    /** @type {number | null} */
    this.stick = null; // from -1 to 1, of a controller, a pointer or a finger
    /** @type {number | null} */
    this.held = null; // the same, of a pointer or a finger
  }

  /** 1 for more, -1 for less, 0 for neither or both. */
  get way() {
    const { more, less } = this.lever;
    /** @param {string[]} keys */
    const some = (keys) => Number(keys.some((key) => this.down.has(key)));
    return some(more) - some(less);
  }

  /** Fraction of its range, 0 at low and 1 at high. */
  get fraction() {
    return (this.value - this.lever.low) / (this.lever.high - this.lever.low);
  }

  get atRest() {
    return this.value === this.lever.rest;
  }

  /**
   * A key or a button of a toggle or of a step was pressed.
   * @param {number} way 1 or -1
   */
  click(way) {
    const { low, high, rest, way: kind } = this.lever;
    if (kind === "toggle") this.value = this.value === rest ? (way > 0 ? high : low) : rest;
    else this.value = clamp(this.value + way, low, high);
  }

  /**
   * Advance a ramp by a time step.
   * @param {number} dt [s]
   * @param {number} speed which reduces the lever's range
   */
  lead(dt, speed) {
    const { lever, value } = this;
    if (lever.way !== "ramp") return;
    const ease = lever.eased.signals.length ? 1 / (1 + (speed / lever.eased.half) ** 2) : 1;
    const gentle = Math.sqrt(ease);
    const stick = this.held ?? this.stick;
    const demand = stick ?? this.way;
    const room = demand > 0 ? lever.high - lever.rest : lever.rest - lever.low;
    const goal = lever.rest + demand * room * ease;
    let rate = lever.fall;
    if (stick !== null) rate = QUICK * lever.rise * gentle;
    else if (this.way) rate = lever.rise * gentle;
    // from the other side of rest, the return speed adds
    if (demand * (value - lever.rest) < 0) rate += lever.fall;
    this.value = value + clamp(goal - value, -rate * dt, rate * dt);
  }

  rest() {
    this.value = this.lever.rest;
    this.sent = null;
    this.down.clear();
    this.held = this.stick = null;
  }
}

/**
 * Position of an axis or a trigger, from -1 to 1.
 * @param {Gamepad} pad
 * @param {string} axis as "axis0", "-axis0" or "button7"
 */
export function stickOf(pad, axis) {
  const match = /^(-?)(axis|button)(\d+)$/.exec(axis);
  if (!match) return 0;
  const [, sign, kind, number] = match;
  const at = kind === "axis" ? pad.axes[Number(number)] : pad.buttons[Number(number)]?.value;
  return (sign ? -1 : 1) * clamp(at ?? 0, -1, 1);
}
