// Frequency and loudness of sounds as functions of signals.

import { together } from "./gauges.js";
import { clamp } from "./numbers.js";

/** @typedef {import("./messages.js").Voice} Voice */

const LOWEST = 8; // lower tones are inaudible [Hz]

/**
 * Frequency and loudness of a voice.
 * @param {Voice} voice
 * @param {(signals: string[]) => number[]} values
 */
export function sounding(
  { kind, signals, hertz, effort, quiet, loud, least, most, pitch },
  values,
) {
  /** @param {string[]} names */
  const size = (names) => {
    const value = together(values(names), "size");
    return Number.isFinite(value) ? value : 0;
  };
  const frequency = kind === "tone" ? hertz * size(signals) : pitch;
  const part = clamp((size(effort) - quiet) / (loud - quiet), 0, 1);
  const heard = kind === "tone" && frequency < LOWEST ? 0 : 1;
  return {
    frequency: clamp(frequency, 1, 4000),
    loudness: heard * (least + (most - least) * part),
  };
}
