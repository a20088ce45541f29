// Numbers as people read them.

/** @type {Array<[number, string]>} */
const PREFIXES = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

const ROUNDING = 1e-12;

/**
 * A number with so many significant digits, without trailing zeros, minus sign as typeset.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function figure(value, digits = 4) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text =
    size !== 0 && (size >= 1e6 || size < 1e-4)
      ? value
          .toExponential(digits - 1)
          .replace(/\.?0+e/, "e")
          .replace("e+", "e")
      : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−");
}

/**
 * A number for an entry field: plain ASCII, short.
 * @param {number} value
 */
export function entry(value) {
  const plain = String(Number(value.toPrecision(5)));
  return plain.length > 8
    ? value
        .toExponential(3)
        .replace(/\.?0+e/, "e")
        .replace("e+", "e")
    : plain;
}

/**
 * A number with an SI prefix before its unit: 0.0012 m → "1.2 mm"; rounding is 0.
 * @param {number} value
 * @param {string} unit
 * @param {number} [digits]
 */
export function withPrefix(value, unit, digits = 3) {
  const size = Math.abs(value);
  if (size < ROUNDING) return `0 ${unit}`;
  const [scale, prefix] =
    PREFIXES.find(([limit]) => size >= limit * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  return `${figure(value / scale, digits)} ${prefix}${unit}`;
}

/**
 * A unit as it is printed: N*m/rad^2 → N·m/rad².
 * @param {string} unit
 */
export function unitName(unit) {
  /** @type {Record<string, string>} */
  const powers = { 2: "²", 3: "³", 4: "⁴" };
  return unit.replaceAll("*", "·").replace(/\^([234])/g, (_, power) => powers[power]);
}

/**
 * The largest of 1, 2, 5 times a power of ten that is not above a value.
 * @param {number} value
 */
export function roundDown(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/**
 * The smallest of 1, 2, 5 times a power of ten that is above a value.
 * @param {number} value
 */
export function roundUp(value) {
  const below = roundDown(value);
  const lead = Math.round(below / 10 ** Math.floor(Math.log10(value)));
  return below * (lead === 2 ? 2.5 : 2);
}

/**
 * A value kept between two bounds; a bound may be missing.
 * @param {number} value
 * @param {number | null} low
 * @param {number | null} high
 */
export function clamp(value, low, high) {
  return Math.min(high ?? Infinity, Math.max(low ?? -Infinity, value));
}
