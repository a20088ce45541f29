// Inputs controlled by the user: keys with ramps, a game controller, pointer and fingers; one at a time.

import { typing, usesSpace } from "./dom.js";
import { LeverState, stickOf } from "./leverstate.js";

/** @typedef {import("./messages.js").Lever} Lever */
/** @typedef {import("./inputs.js").Inputs} Inputs */

const TICK = 8; // between two updates [ms]; each sends at most one value
const LONGEST = 0.05; // longest time step of a ramp, however late the page is [s]
const DEAD = 0.06; // dead zone: a stick at rest is not exactly at zero

/** All levers of a cockpit. */
export class Levers {
  /** @type {LeverState[]} */
  states = [];
  /** @type {number} */
  last = performance.now();
  /** @type {Set<number>} */
  pressed = new Set(); // buttons of the controller
  /** @type {Set<number>} */
  asked = new Set(); // pressed buttons of any device that the page itself listens to

  /**
   * @param {Inputs} inputs
   * @param {(signals: string[]) => number} size of signals, newest
   * @param {Map<number, () => void>} calls what buttons do besides moving levers, also those of steering wheels
   */
  constructor(inputs, size, calls) {
    this.inputs = inputs;
    this.size = size;
    this.calls = calls;
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
    if (slides && event.code.startsWith("Arrow")) return; // a focused slider uses the arrows
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

  /** Sticks, triggers and buttons of the first game controller; steering wheels have their own link. */
  poll() {
    const devices = [...navigator.getGamepads()].flatMap((device) => device ?? []);
    this.listen(devices);
    const pad = devices.find(({ mapping }) => mapping === "standard");
    const before = this.pressed;
    this.pressed = new Set(pad?.buttons.flatMap(({ pressed }, k) => (pressed ? [k] : [])) ?? []);
    for (const state of this.states) {
      const { axis, buttons, way } = state.lever;
      const at = pad && way === "ramp" ? stickOf(pad, axis) : 0;
      // once moved, it is in control until a key is pressed
      if (Math.abs(at) > DEAD) state.stick = at;
      else if (state.stick !== null) state.stick = state.way || !pad ? null : 0;
      if (state.stick === 0 && state.atRest) state.stick = null;
      buttons.forEach((button, k) => {
        if (this.pressed.has(button) && !before.has(button)) state.click(k ? -1 : 1);
      });
    }
  }

  /** @param {Gamepad[]} devices */
  listen(devices) {
    for (const [button, call] of this.calls) {
      const down = devices.some(({ buttons }) => buttons[button]?.pressed);
      if (down && !this.asked.has(button)) call();
      if (down) this.asked.add(button);
      else this.asked.delete(button);
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
   * Send the value that has waited longest: the server accepts 200 messages per second from a page.
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

  /** Another page drives. */
  giveUp() {
    for (const state of this.states) state.rest();
  }
}
