// Numbers as text.

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
// units without prefixes: no unit, units with other multiples, and powers of units, where a prefix
// would also be raised to the power
const PLAIN = /^($|1|%|°|deg|min|h\b|in\b|\w+[²³⁴])/;

/** Numbers of a motion that are smaller than this, in SI units, are rounding: they are shown as 0. */
export const NOISE = 1e-9;

/**
 * A number with `digits` significant digits, without trailing zeros, with a typographic minus sign.
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
 * The prefix for numbers of a size: the divisor, and the unit with the prefix.
 * @param {number} size
 * @param {string} unit
 * @returns {{ scale: number, unit: string }}
 */
export function prefixFor(size, unit) {
  if (!(size > 0) || !Number.isFinite(size) || PLAIN.test(unit)) return { scale: 1, unit };
  // the kilogram has a prefix already
  const [base, grams] = unit.startsWith("kg") ? [unit.slice(1), 1e3] : [unit, 1];
  const [scale, prefix] =
    PREFIXES.find(([limit]) => size * grams >= limit * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  // do not write tons as megagrams
  if (grams !== 1 && scale > 1e3) return { scale: 1, unit };
  return { scale: scale / grams, unit: `${prefix}${base}` };
}

/**
 * A number for an entry field: plain ASCII, at most seven characters if its size suits the unit.
 * @param {number} value
 */
export function entry(value) {
  const plain = String(Number(value.toPrecision(5)));
  if (plain.length <= 7) return plain;
  const short = String(Number(value.toPrecision(4)));
  if (short.length <= 7) return short;
  return value
    .toExponential(1)
    .replace(/\.?0+e/, "e")
    .replace("e+", "e");
}

/**
 * A typed number, with a decimal comma or point; NaN for anything else.
 * @param {string} text
 */
export function typedNumber(text) {
  const plain = text.trim().replace(",", ".").replace("−", "-");
  return plain === "" ? Number.NaN : Number(plain);
}

/**
 * A number with an SI prefix before its unit: 0.0012 m → "1.2 mm"; less than `floor` is 0.
 * @param {number | null | undefined} value
 * @param {string} unit
 * @param {number} [digits]
 * @param {number} [floor]
 */
export function withPrefix(value, unit, digits = 3, floor = NOISE) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  if (Math.abs(value) < floor || value === 0) return `0 ${unit}`.trim();
  const prefix = prefixFor(Math.abs(value), unit);
  return `${figure(value / prefix.scale, digits)} ${prefix.unit}`.trim();
}

/**
 * Three numbers with one prefix: "12, 0, −3 mm".
 * @param {number[]} numbers
 * @param {string} unit
 * @param {number} [floor]
 */
export function triple(numbers, unit, floor = NOISE) {
  const size = Math.max(...numbers.map(Math.abs));
  if (!(size >= floor)) return `0, 0, 0 ${unit}`;
  const prefix = prefixFor(size, unit);
  const texts = numbers.map((x) => {
    const rounded = Math.abs(x) < Math.max(floor, 1e-6 * size) ? 0 : x / prefix.scale;
    return String(Number(rounded.toPrecision(3))).replace("-", "−");
  });
  return `${texts.join(", ")} ${prefix.unit}`;
}

/**
 * Labels of an axis: as many digits as needed to distinguish its ticks, and one common prefix.
 * @param {number[]} ticks at equal distances
 */
export function axisLabels(ticks) {
  const size = Math.max(...ticks.map(Math.abs));
  const step = Math.min(...ticks.slice(1).map((tick, i) => Math.abs(tick - ticks[i])));
  const named = size >= 1e5 || size < 1e-2;
  const { scale, unit } = named ? prefixFor(size, "_") : { scale: 1, unit: "_" };
  const prefix = unit.slice(0, -1);
  const shortest = Number.isFinite(step) && step > 0 ? step / scale : 1;
  // 0.25 needs one digit more than 0.2
  const whole = Math.max(0, -Math.floor(Math.log10(shortest) + 1e-9));
  const rest = shortest * 10 ** whole;
  const digits = Math.min(whole + (Math.abs(rest - Math.round(rest)) > 1e-6 ? 1 : 0), 12);
  return ticks.map((tick) => {
    const text = (tick / scale).toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
    return (Number(text) === 0 ? "0" : `${text}${prefix && ` ${prefix}`}`).replace("-", "−");
  });
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
