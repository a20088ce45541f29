// The panel of the hand: the source of the driven input, its value, and sliders for the other inputs.

import { byId, inside, make } from "./dom.js";
import { InputRow } from "./inputrows.js";
import { figure, withPrefix } from "./numbers.js";
import { MidiSource, PadSource } from "./sources.js";

/** @typedef {import("./messages.js").Driven} Driven */
/** @typedef {import("./messages.js").Input} Input */
/** @typedef {import("./inputrows.js").Numbered} Numbered */
/** @typedef {import("./hand.js").Hand} Hand */

/** @type {Record<string, string>} */
const KEY_NAMES = { Space: "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

/**
 * The label on a key.
 * @param {string} code
 */
export const keyName = (code) => KEY_NAMES[code] ?? code.replace(/^(Key|Digit)/, "");

export class HandPanel {
  /** @type {Driven | null} */
  device = null;
  /** @type {Input[]} */
  list = [];
  /** @type {InputRow[]} */
  inputRows = [];
  /** @type {import("./inputrows.js").Measures} */
  measures = { mass: 1, length: 1 };
  /** @type {HTMLInputElement} */
  gauge = make("input");
  /** @type {HTMLElement} */
  reading = make("output");
  /** @type {HTMLElement} */
  source = make("span");
  /** @type {number | null} */
  drawing = null;

  /**
   * @param {Hand} hand
   * @param {import("./inputs.js").Inputs} inputs
   * @param {import("./notices.js").Notices} notices
   */
  constructor(hand, inputs, notices) {
    this.hand = hand;
    this.inputs = inputs;
    this.notices = notices;
    this.midi = new MidiSource(hand);
    /** @type {string | null} */
    this.pad = null;
    new PadSource(hand, (name) => {
      this.pad = name;
      this.build();
    });
    hand.watchers.push(() => {
      this.drawing ??= requestAnimationFrame(() => this.show());
    });
  }

  /**
   * @param {Driven | null} device
   * @param {Input[]} inputs
   * @param {import("./inputrows.js").Measures} measures
   */
  setPlant(device, inputs, measures) {
    byId("hand-panel").open = device !== null || inputs.some(({ declared }) => declared);
    this.measures = measures;
    this.device = device;
    this.list = inputs;
    this.build();
  }

  build() {
    const { device, list } = this;
    const others = list
      .map((input, index) => ({ ...input, index }))
      .filter((input) => input.name !== device?.input);
    byId("hand-panel").hidden = !list.length;
    byId("hand-hint").textContent = device?.hint ?? "";
    const parts = [];
    this.inputRows = [];
    if (device) parts.push(...this.driven(device));
    // inputs that the model's author has declared come first
    const declared = others.filter((input) => input.declared);
    const first = device ? [] : declared.length ? declared : others;
    const rest = others.filter((input) => !first.includes(input));
    if (first.length) parts.push(this.rows(first));
    if (rest.length) parts.push(this.others(rest));
    inside(byId("hand-panel"), "h2").textContent = device ? "Hand" : "Inputs";
    byId("hand").replaceChildren(...parts);
    this.show();
  }

  /** @param {Driven} device */
  driven(device) {
    this.gauge = make("input", {
      type: "range",
      className: "gauge",
      min: 0,
      max: 1000,
      step: 1,
      id: "hand-gauge",
      "aria-label": `Drive ${device.input}`,
      oninput: () =>
        this.hand.move(
          "slider",
          device.low + ((device.high - device.low) * Number(this.gauge.value)) / 1000,
          performance.now(),
        ),
      onchange: () => this.hand.letGo("slider"),
    });
    this.reading = make("output", { className: "reading" });
    this.source = make("span", { className: "quiet" });
    return [
      make(
        "div",
        { className: "driven" },
        make("span", { className: "name" }, device.input),
        this.source,
        this.reading,
      ),
      this.gauge,
      make(
        "ul",
        { className: "sources" },
        this.keys(device),
        this.controller(),
        device.midi ? this.midiLine() : null,
      ),
      this.touchLine(),
    ];
  }

  /** @param {Driven} device */
  keys({ keys, unit }) {
    const caps = Object.entries(keys).map(([code, value]) =>
      make("kbd", { title: `${figure(value)} ${unit}` }, keyName(code)),
    );
    if (!caps.length) return null;
    return make("li", {}, make("span", {}, "Keys"), make("span", { className: "caps" }, ...caps));
  }

  controller() {
    return make(
      "li",
      {},
      make("span", {}, "Controller"),
      make(
        "span",
        { className: "quiet" },
        this.pad ? this.pad.split("(")[0] : "press a button on it",
      ),
    );
  }

  midiLine() {
    const button = make(
      "button",
      {
        className: "quiet-button",
        disabled: !MidiSource.possible,
        onclick: () => this.openMidi(button),
      },
      MidiSource.possible ? "Connect" : "not in this browser",
    );
    return make("li", {}, make("span", {}, "MIDI keyboard"), button);
  }

  /** @param {HTMLButtonElement} button */
  async openMidi(button) {
    try {
      const names = await this.midi.open();
      button.textContent = names.join(", ") || "waiting for one";
    } catch {
      this.notices.toast({
        level: "warn",
        text: "The browser did not give access to MIDI.",
        fix: "Allow it in the page's site settings.",
      });
    }
  }

  touchLine() {
    const reading = make("output", {}, `${this.hand.touch} ms`);
    const slider = make("input", {
      type: "range",
      min: 10,
      max: 400,
      step: 5,
      value: this.hand.touch,
      "aria-label": "Length of a stroke by key",
      oninput: () => {
        this.hand.touch = Number(slider.value);
        reading.textContent = `${slider.value} ms`;
      },
    });
    return make(
      "label",
      { className: "touch", title: "How long a stroke by key, or the way back to rest, takes" },
      make("span", {}, "Stroke"),
      slider,
      reading,
    );
  }

  /**
   * Inputs other than the driven one: a slider each, held until released.
   * @param {Numbered[]} inputs
   */
  others(inputs) {
    return make(
      "details",
      { className: "others" },
      make(
        "summary",
        {},
        `${inputs.some((input) => input.declared) ? "Other inputs" : "Efforts of joints"} (${inputs.length})`,
      ),
      this.rows(inputs),
    );
  }

  /**
   * Rows of inputs, those declared in the model first, then efforts of joints.
   * @param {Numbered[]} inputs
   */
  rows(inputs) {
    const ordered = [...inputs].sort((a, b) => Number(b.declared) - Number(a.declared));
    const rows = ordered.map((input) => new InputRow(input, this.measures, this.inputs));
    this.inputRows.push(...rows);
    return make("div", { className: "rows" }, ...rows.map(({ element }) => element));
  }

  /** This page no longer drives: show held inputs at rest. */
  springBack() {
    for (const row of this.inputRows) row.rest();
    this.hand.giveUp();
  }

  show() {
    this.drawing = null;
    const { hand, device } = this;
    if (!device || hand.device !== device) return;
    if (hand.source !== "slider") this.gauge.value = String(1000 * hand.fraction);
    this.gauge.style.setProperty("--fill", `${100 * hand.fraction}%`);
    this.reading.textContent = withPrefix(hand.value, device.unit, 3);
    this.source.textContent = hand.source ? `by ${hand.source}` : "at rest";
  }
}
