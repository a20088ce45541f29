// A field for a number with its unit; the unit has a prefix that keeps the number short.

import { make } from "./dom.js";
import { clamp, entry, prefixFor, typedNumber } from "./numbers.js";

/**
 * The quantity of a field; numbers without prefix.
 * @typedef {object} About
 * @property {string} name
 * @property {string} unit
 * @property {number} size of usual values, which determines the prefix
 * @property {number | null} low
 * @property {number | null} high
 */

export class NumberField {
  /** @type {number} */
  value = 0;

  /**
   * `typed` is called with the number that the user has entered, kept within the bounds.
   * @param {About} about
   * @param {(value: number) => void} typed
   */
  constructor({ name, unit, size, low, high }, typed) {
    const prefix = prefixFor(Math.abs(size), unit === "1" ? "" : unit);
    this.scale = prefix.scale;
    this.bounds = /** @type {const} */ ([low, high]);
    this.typed = typed;
    this.element = make("input", {
      type: "text",
      inputMode: "decimal",
      autocomplete: "off",
      spellcheck: false,
      "aria-label": `${name}${prefix.unit ? ` in ${prefix.unit}` : ""}`,
      onchange: () => this.read(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    this.unit = make("span", { className: "unit" }, prefix.unit);
  }

  read() {
    const value = typedNumber(this.element.value) * this.scale;
    if (!Number.isFinite(value)) return this.show(this.value, true);
    const kept = clamp(value, ...this.bounds);
    if (kept !== value) {
      this.element.classList.add("clamped");
      setTimeout(() => this.element.classList.remove("clamped"), 900);
    }
    this.show(kept, true);
    this.typed(kept);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Enter") this.read();
    if (event.key !== "Escape") return;
    this.show(this.value, true);
    this.element.blur();
  }

  /**
   * Show a value, unless the user is editing the field.
   * @param {number} value
   * @param {boolean} [always]
   */
  show(value, always = false) {
    this.value = value;
    const busy = document.activeElement === this.element && this.element.value !== "";
    if (always || !busy) this.element.value = entry(value / this.scale);
  }
}
