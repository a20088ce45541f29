// Inputs other than the driven one: a slider and a field each, held until released.

import { make } from "./dom.js";
import { NumberField } from "./numberfield.js";
import { clamp, roundUp, withPrefix } from "./numbers.js";

/** @typedef {import("./messages.js").Input} Input */
/** @typedef {Input & { index: number }} Numbered */

/**
 * Size and mass of a mechanism, for ranges of inputs without declared limits.
 * @typedef {object} Measures
 * @property {number} mass [kg]
 * @property {number} length [m]
 */

const GRAVITY = 10; // [m/s²]

/**
 * Ranges by unit: what lifts the mechanism, or turns or shifts it by about its own size.
 * @param {string} unit
 * @param {Measures} measures
 */
function usualSize(unit, { mass, length }) {
  const weight = mass * GRAVITY;
  /** @type {Record<string, number>} */
  const sizes = {
    N: weight,
    N·m: 0.2 * weight * length,
    m: 0.5 * length,
    "m/s": length,
    "m/s²": GRAVITY,
    rad: Math.PI,
    "rad/s": 2 * Math.PI,
    "rad/s²": 10,
  };
  const size = sizes[unit];
  return size > 0 ? roundUp(size) : 1;
}

/**
 * The range of an input: as declared, or one that suits the mechanism.
 * @param {Input} input
 * @param {Measures} measures
 * @returns {[number, number]}
 */
function rangeOf({ low, high, unit }, measures) {
  const usual = usualSize(unit, measures);
  return [
    low ?? Math.min(-usual, (high ?? 0) - usual),
    high ?? Math.max(usual, (low ?? 0) + usual),
  ];
}

export class InputRow {
  /**
   * @param {Numbered} input
   * @param {Measures} measures
   * @param {import("./inputs.js").Inputs} inputs
   */
  constructor(input, measures, inputs) {
    const { name, unit, low, high, doc, index } = input;
    this.index = index;
    this.unit = unit;
    this.inputs = inputs;
    /** @type {[number, number]} */
    this.range = rangeOf(input, measures);
    const size = Math.max(...this.range.map(Math.abs));
    this.field = new NumberField({ name: `Input ${name}`, unit, size, low, high }, (value) =>
      this.hold(value),
    );
    this.slider = make("input", {
      type: "range",
      min: this.range[0],
      max: this.range[1],
      step: "any",
      "aria-label": `Input ${name}`,
      oninput: () => this.hold(Number(Number(this.slider.value).toPrecision(4))),
    });
    this.free = make(
      "button",
      { className: "quiet-button", disabled: true, onclick: () => this.letGo() },
      "Let go",
    );
    this.element = make(
      "div",
      { className: "input-row", title: [name, doc].filter(Boolean).join(": ") },
      make("span", { className: "name" }, name),
      this.free,
      make("div", { className: "track" }, this.slider),
      this.field.element,
      this.field.unit,
    );
    this.show(clamp(0, low, high));
  }

  /** @param {number} value */
  hold(value) {
    if (!this.inputs.hold(this.index, value)) return this.rest();
    this.free.disabled = false;
    this.show(value);
  }

  letGo() {
    this.inputs.drop(this.index);
    this.rest();
  }

  /** Show it as not held. */
  rest() {
    this.free.disabled = true;
    this.show(clamp(0, ...this.field.bounds));
  }

  /** @param {number} value */
  show(value) {
    const [low, high] = this.range;
    // typed beyond the usual range: extend the slider
    if (value < low || value > high)
      this.range = [Math.min(low, 2 * value), Math.max(high, 2 * value)];
    const [least, most] = this.range;
    Object.assign(this.slider, { min: least, max: most, value });
    this.slider.style.setProperty("--fill", `${(100 * (value - least)) / (most - least)}%`);
    this.slider.setAttribute("aria-valuetext", withPrefix(value, this.unit, 4, 0));
    this.field.show(value, true);
  }
}
