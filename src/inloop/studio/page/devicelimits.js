// What a haptic device can display: the stiffness that stays stable, and the largest mass.

import { make } from "./dom.js";
import { figure } from "./numbers.js";

/** @typedef {import("./messages.js").DeviceReadings} DeviceReadings */
/** @typedef {import("./messages.js").Limits} Limits */

const LEAST = 5; // a mechanism that shows less stiffness shows none [N/m]
/** @type {Array<[keyof Omit<Limits, "mass">, string]>} */
const LIMITS = [
  ["passive", "never active (Colgate)"],
  ["stable", "stable, computed"],
  ["measured", "stable, measured"],
  ["controlled", "with controller, measured"],
  ["held", "held by this finger"],
];

/**
 * Does the loop stand what the mechanism shows, by computation?
 * @param {Limits} found
 * @param {DeviceReadings} readings
 */
export function stands(found, { shown_stiffness: stiffness, shown_mass: mass }) {
  return stiffness <= (found.held ?? Infinity) && mass <= (found.mass ?? Infinity);
}

/**
 * A scale in factors of ten, marks, and the numbers.
 * @param {DeviceReadings} readings
 */
export function limits({ limits: found, shown_stiffness: shown, shown_mass: mass }) {
  if (!found) {
    return [make("p", { className: "quiet" }, "Measuring what this device can display …")];
  }
  const massText = `${figure(found.mass ?? Infinity, 3)} kg`;
  const heavy = mass > (found.mass ?? Infinity) ? "bad" : "";
  return [
    row("line", "Largest stiffness", make("output", {}, "N/m")),
    ...band(found, shown),
    ...LIMITS.map(([name, label]) => {
      const value = found[name];
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
 * The scale: what is safe, marks of the limits and of what the mechanism shows [N/m].
 * @param {Limits} found
 * @param {number} shown
 */
function band(found, shown) {
  /** @type {Array<[string, number]>} */
  const marks = LIMITS.flatMap(([name]) => {
    const value = found[name] ?? 0;
    return value > 0 ? [[name, value]] : [];
  });
  if (shown > LEAST) marks.push([shown > (found.held ?? Infinity) ? "now bad" : "now", shown]);
  const values = marks.map(([, value]) => value);
  const least = Math.floor(Math.log10(Math.min(...values)) - 0.2);
  const most = Math.ceil(Math.log10(Math.max(...values)) + 0.2);
  const at = (/** @type {number} */ x) =>
    `${(100 * (Math.log10(Math.max(x, 10 ** least)) - least)) / (most - least)}%`;
  const safe = make("i", { className: "safe" });
  safe.style.left = "0";
  safe.style.width = at(found.held ?? 10 ** most);
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
 * A power of ten in few letters.
 * @param {number} k
 */
function power(k) {
  if (k < 0 || k >= 9) return `1e${k}`;
  return `${10 ** (k % 3)}${["", "k", "M"][Math.floor(k / 3)]}`;
}
