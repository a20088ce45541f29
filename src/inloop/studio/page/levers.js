// Inputs that a person leads: keys with ramps, a game controller, pointer and fingers; one at a time.

import { typing, usesSpace } from "./dom.js";
import { clamp } from "./numbers.js";

/** @typedef {import("./messages.js").Lever} Lever */
/** @typedef {import("./inputs.js").Inputs} Inputs */

const TICK = 8; // between two looks at what leads [ms]; one value goes out in each at most
const LONGEST = 0.05; // that a ramp counts, however late the page is [s]
const DEAD = 0.06; // a stick at rest is not quite at zero
const QUICK = 4; // sticks and fingers lead so many times as fast as keys

/** One input, and what leads it. */
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
    this.sent = null; // what the plant has; null: nothing, it is not held
    this.when = 0; // it was sent [ms]
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

  /** Part of its range, 0 at low and 1 at high. */
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
   * Lead a ramp on for some time.
   * @param {number} dt [s]
   * @param {number} speed what eases it
   */
  lead(dt, speed) {
    const { lever, value } = this;
    if (lever.way !== "ramp") return;
    const ease = lever.eased.signals.length ? 1 / (1 + (speed / lever.eased.half) ** 2) : 1;
    const gentle = Math.sqrt(ease);
    const stick = this.held ?? this.stick;
    const wish = stick ?? this.way;
    const room = wish > 0 ? lever.high - lever.rest : lever.rest - lever.low;
    const goal = lever.rest + wish * room * ease;
    let rate = lever.fall;
    if (stick !== null) rate = QUICK * lever.rise * gentle;
    else if (this.way) rate = lever.rise * gentle;
    // from the other side, it returns while it is led
    if (wish * (value - lever.rest) < 0) rate += lever.fall;
    this.value = value + clamp(goal - value, -rate * dt, rate * dt);
  }

  rest() {
    this.value = this.lever.rest;
    this.sent = null;
    this.down.clear();
    this.held = this.stick = null;
  }
}

/** All levers of a cockpit. */
export class Levers {
  /** @type {LeverState[]} */
  states = [];
  /** @type {number} */
  last = performance.now();
  /** @type {Set<number>} */
  pressed = new Set(); // buttons of the controller

  /**
   * @param {Inputs} inputs
   * @param {(signals: string[]) => number} size of signals, newest
   */
  constructor(inputs, size) {
    this.inputs = inputs;
    this.size = size;
    window.addEventListener("keydown", (event) => this.press(event), { capture: true });
    window.addEventListener("keyup", (event) => this.release(event));
    window.addEventListener("blur", () => this.releaseAll());
    setInterval(() => this.tick(performance.now()), TICK);
  }

  /**
   * @param {Lever[]} levers
   * @param {import("./messages.js").Input[]} inputs
   */
  setPlant(levers, inputs) {
    this.states = levers.map(
      (lever) =>
        new LeverState(
          lever,
          inputs.findIndex(({ name }) => name === lever.input),
        ),
    );
  }

  /**
   * @param {string} code
   * @returns {LeverState[]}
   */
  ledBy(code) {
    return this.states.filter(({ lever }) => [...lever.more, ...lever.less].includes(code));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const led = this.ledBy(event.code);
    if (!led.length || typing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const slides = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (slides && event.code.startsWith("Arrow")) return; // a slider that has the focus moves
    if (document.querySelector("dialog[open]") || (event.code === "Space" && usesSpace(event)))
      return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    for (const state of led) {
      state.down.add(event.code);
      if (state.lever.way !== "ramp") state.click(state.lever.more.includes(event.code) ? 1 : -1);
    }
  }

  /** @param {KeyboardEvent} event */
  release({ code }) {
    for (const state of this.states) state.down.delete(code);
  }

  releaseAll() {
    for (const state of this.states) {
      state.down.clear();
      state.held = null;
    }
  }

  /** Sticks, triggers and buttons of the first game controller. */
  poll() {
    const pad = [...navigator.getGamepads()].find(Boolean);
    const before = this.pressed;
    this.pressed = new Set(pad?.buttons.flatMap(({ pressed }, k) => (pressed ? [k] : [])) ?? []);
    for (const state of this.states) {
      const { axis, buttons, way } = state.lever;
      const at = pad && way === "ramp" ? stickOf(pad, axis) : 0;
      // once it has moved it leads until keys do
      if (Math.abs(at) > DEAD) state.stick = at;
      else if (state.stick !== null) state.stick = state.way || !pad ? null : 0;
      if (state.stick === 0 && state.atRest) state.stick = null;
      buttons.forEach((button, k) => {
        if (this.pressed.has(button) && !before.has(button)) state.click(k ? -1 : 1);
      });
    }
  }

  /** @param {number} now [ms] */
  tick(now) {
    const dt = Math.min((now - this.last) / 1000, LONGEST);
    this.last = now;
    if (!this.states.length) return;
    this.poll();
    for (const state of this.states) state.lead(dt, this.size(state.lever.eased.signals));
    this.send(now);
  }

  /**
   * The value that waits longest goes out: a server takes 200 messages a second of a page.
   * @param {number} now [ms]
   */
  send(now) {
    const changed = this.states.filter(
      ({ value, sent, atRest }) => value !== sent && !(atRest && sent === null),
    );
    if (changed.length) {
      const state = changed.reduce((a, b) => (b.when < a.when ? b : a));
      state.when = now;
      state.sent = state.value;
      if (!this.inputs.hold(state.index, state.value, now)) return this.giveUp();
    }
    for (const state of this.states) {
      if (state.sent === null || !state.atRest || state.sent !== state.value) continue;
      state.sent = null;
      this.inputs.drop(state.index);
    }
  }

  /** Somebody else drives. */
  giveUp() {
    for (const state of this.states) state.rest();
  }
}

/**
 * Where an axis or a trigger is, from -1 to 1.
 * @param {Gamepad} pad
 * @param {string} axis as "axis0", "-axis0" or "button7"
 */
export function stickOf(pad, axis) {
  const found = /^(-?)(axis|button)(\d+)$/.exec(axis);
  if (!found) return 0;
  const [, sign, kind, number] = found;
  const at = kind === "axis" ? pad.axes[Number(number)] : pad.buttons[Number(number)]?.value;
  return (sign ? -1 : 1) * clamp(at ?? 0, -1, 1);
}
