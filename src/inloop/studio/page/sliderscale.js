// The position of a slider for a value, and its inverse.

export const STEPS = 1000; // of a slider

/** @typedef {{ place: (value: number) => number, value: (place: number) => number }} Scale */

/**
 * Position of a slider for a value: logarithmic when the range spans two decades.
 * @param {number} low
 * @param {number} high
 * @returns {Scale}
 */
export function scaleOf(low, high) {
  if (low > 0 && high / low >= 100) {
    return {
      place: (value) => (STEPS * Math.log(value / low)) / Math.log(high / low),
      value: (place) => low * (high / low) ** (place / STEPS),
    };
  }
  return {
    place: (value) => (STEPS * (value - low)) / (high - low),
    value: (place) => low + ((high - low) * place) / STEPS,
  };
}
