// Sources of the hand other than the pointer: keys, game controller, MIDI keyboard.

import { typing, usesSpace } from "./dom.js";

/** @typedef {import("./hand.js").Hand} Hand */

const DEAD = 0.08; // dead zone: a stick at rest is not exactly at zero
const POLL = 8; // [ms]

/** Keys declared by the device: pressing drives to their value, releasing lets go. */
export class KeySource {
  /** @param {Hand} hand */
  constructor(hand) {
    this.hand = hand;
    /** @type {string[]} */
    this.down = [];
    window.addEventListener("keydown", (event) => this.press(event), { capture: true });
    window.addEventListener("keyup", (event) => this.release(event));
    window.addEventListener("blur", () => this.releaseAll());
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const value = this.hand.device?.keys?.[event.code];
    if (value === undefined || typing(event) || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (document.querySelector("dialog[open]") || (event.code === "Space" && usesSpace(event)))
      return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    this.down.push(event.code);
    this.hand.stroke("keys", value);
  }

  /** @param {KeyboardEvent} event */
  release(event) {
    if (!this.down.includes(event.code)) return;
    this.down = this.down.filter((code) => code !== event.code);
    const last = this.down.at(-1);
    const value = this.hand.device?.keys[last ?? ""];
    if (value !== undefined) this.hand.stroke("keys", value);
    else this.hand.letGo("keys");
  }

  releaseAll() {
    if (this.down.length) this.hand.letGo("keys");
    this.down = [];
  }
}

/** A game controller: left stick sideways, or the two triggers. */
export class PadSource {
  /** @type {number | null} */
  timer = null;

  /**
   * @param {Hand} hand
   * @param {(name: string | null) => void} notify
   */
  constructor(hand, notify) {
    this.hand = hand;
    this.active = false;
    window.addEventListener("gamepadconnected", (event) => {
      notify(event.gamepad.id);
      this.timer ??= setInterval(() => this.poll(), POLL);
    });
    window.addEventListener("gamepaddisconnected", () => {
      notify(null);
      clearInterval(this.timer ?? undefined);
      this.timer = null;
      if (this.active) this.hand.letGo("controller");
      this.active = false;
    });
  }

  poll() {
    const { device } = this.hand;
    const pad = [...navigator.getGamepads()].find(Boolean);
    if (!pad || !device) return;
    const trigger = (pad.buttons[7]?.value ?? 0) - (pad.buttons[6]?.value ?? 0);
    const stick = pad.axes[0] ?? 0;
    const x = Math.abs(trigger) > Math.abs(stick) ? trigger : stick;
    if (Math.abs(x) > DEAD) {
      this.active = true;
      const room = x > 0 ? device.high - device.rest : device.rest - device.low;
      this.hand.move("controller", device.rest + x * room, performance.now());
    } else if (this.active) {
      this.active = false;
      this.hand.letGo("controller", 20);
    }
  }
}

/** A MIDI keyboard: a note drives to the end of the range, faster for higher velocity. */
export class MidiSource {
  /** @param {Hand} hand */
  constructor(hand) {
    this.hand = hand;
    /** @type {number[]} */
    this.notes = [];
  }

  static get possible() {
    return "requestMIDIAccess" in navigator;
  }

  /** Ask the browser for the keyboards; returns their names. */
  async open() {
    const access = await navigator.requestMIDIAccess();
    const listen = () => {
      for (const port of access.inputs.values())
        port.onmidimessage = ({ data }) => this.message(data ?? new Uint8Array(3));
    };
    access.onstatechange = listen;
    listen();
    return [...access.inputs.values()].map((port) => port.name);
  }

  /** @param {Uint8Array} data */
  message([status, note, velocity]) {
    const kind = status & 0xf0;
    if (!this.hand.device) return;
    if (kind === 0x90 && velocity > 0) {
      this.notes.push(note);
      this.hand.stroke("MIDI", this.hand.device.high, strokeTime(velocity));
    } else if (kind === 0x80 || kind === 0x90) {
      this.notes = this.notes.filter((n) => n !== note);
      if (!this.notes.length) this.hand.letGo("MIDI");
    }
  }
}

/**
 * From the softest to the hardest touch of a piano key: 200 ms to 20 ms.
 * @param {number} velocity
 */
const strokeTime = (velocity) => 200 * (20 / 200) ** (velocity / 127);
