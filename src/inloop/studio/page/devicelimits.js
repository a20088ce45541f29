// What a haptic device can display: the stiffness that stays stable, and the largest mass.

import { make } from "./dom.js";
import { figure } from "./numbers.js";

/** @typedef {import("./messages.js").DeviceReadings} DeviceReadings */
/** @typedef {import("./messages.js").Limits} Limits */

const LEAST = 5; // a smaller stiffness counts as none [N/m]
/** @type {Array<[keyof Omit<Limits, "mass">, string]>} */
const LIMITS = [
  ["passive", "never active (Colgate)"],
  ["stable", "stable, computed"],
  ["measured", "stable, measured"],
  ["controlled", "with controller, measured"],
  ["held", "held by this finger"],
];

/**
 * Whether the loop is stable, as computed, with the stiffness and mass that the mechanism shows.
 * @param {Limits} measured
 * @param {DeviceReadings} readings
 */
export function stands(measured, { shown_stiffness: stiffness, shown_mass: mass }) {
  return stiffness <= (measured.held ?? Infinity) && mass <= (measured.mass ?? Infinity);
}

/**
 * A logarithmic scale, marks, and the numbers.
 * @param {DeviceReadings} readings
 */
export function limits({ limits: measured, shown_stiffness: shown, shown_mass: mass }) {
  if (!measured) {
    return [make("p", { className: "quiet" }, "Measuring what this device can display …")];
  }
  const massText = `${figure(measured.mass ?? Infinity, 3)} kg`;
  const heavy = mass > (measured.mass ?? Infinity) ? "bad" : "";
  return [
    row("line", "Largest stiffness", make("output", {}, "N/m")),
    ...band(measured, shown),
    ...LIMITS.map(([name, label]) => {
      const value = measured[name];
      const words = value === null ? "no limit" : figure(value, 3);
      return row(`line limit ${name}`, label, make("output", {}, words), make("i"));
    }),
    row(
      "line limit",
      "largest mass, held",
      make("output", { className: heavy }, massText),
      make("i"),
    ),
  ];
}

/**
 * @param {string} className
 * @param {string} label
 * @param {HTMLElement} value
 * @param {HTMLElement | null} key
 */
function row(className, label, value, key = null) {
  return make("div", { className }, make("span", {}, key, label), value);
}

/**
 * The scale: the safe range, marks of the limits and of the stiffness that the mechanism shows [N/m].
 * @param {Limits} measured
 * @param {number} shown
 */
function band(measured, shown) {
  /** @type {Array<[string, number]>} */
  const marks = LIMITS.flatMap(([name]) => {
    const value = measured[name] ?? 0;
    return value > 0 ? [[name, value]] : [];
  });
  if (shown > LEAST) marks.push([shown > (measured.held ?? Infinity) ? "now bad" : "now", shown]);
  const values = marks.map(([, value]) => value);
  const least = Math.floor(Math.log10(Math.min(...values)) - 0.2);
  const most = Math.ceil(Math.log10(Math.max(...values)) + 0.2);
  const at = (/** @type {number} */ x) =>
    `${(100 * (Math.log10(Math.max(x, 10 ** least)) - least)) / (most - least)}%`;
  const safe = make("i", { className: "safe" });
  safe.style.left = "0";
  safe.style.width = at(measured.held ?? 10 ** most);
  const signs = marks.map(([className, value]) => {
    const sign = make("i", { className });
    sign.style.left = at(value);
    return sign;
  });
  const decades = Array.from({ length: most - least + 1 }, (_, k) => {
    const tick = make("span", {}, power(least + k));
    tick.style.left = `${(100 * k) / (most - least)}%`;
    return tick;
  });
  return [
    make("div", { className: "band" }, safe, ...signs),
    make("div", { className: "decades", "aria-hidden": true }, ...decades),
  ];
}

/**
 * A power of ten in short form.
 * @param {number} k
 */
function power(k) {
  if (k < 0 || k >= 9) return `1e${k}`;
  return `${10 ** (k % 3)}${["", "k", "M"][Math.floor(k / 3)]}`;
}
