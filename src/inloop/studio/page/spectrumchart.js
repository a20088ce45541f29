// One chart: amplitude spectra of all chosen signals of one unit.

import { Chart, FONT } from "./chart.js";
import { figure, roundDown } from "./numbers.js";
import { evenFrom, highestPeak, spectrum, thinned } from "./spectrum.js";

/** @typedef {import("/vendor/uPlot.esm.js")} uPlot */
/** @typedef {import("./chart.js").Trace} Trace */
/** @typedef {ReturnType<typeof highestPeak>} Peak */
/** @typedef {import("./theme.js").Palette} Palette */

const DECADES = 4; // of amplitude shown below the highest

/** `on.zoom(from, to)` chooses a band [Hz], `on.live()` all frequencies. */
export class SpectrumChart extends Chart {
  /**
   * @param {Trace[]} signals
   * @param {Palette} palette
   * @returns {uPlot.Options}
   */
  options(signals, palette) {
    const options = super.options(signals, palette);
    const [across, up] = options.axes ?? [];
    /** @type {Peak[]} */
    this.peaks = [];
    /**
     * @param {uPlot} _
     * @param {number[]} splits
     */
    const all = (_, splits) => splits;
    /** @param {string} unit */
    const name = (unit) => (/** @type {uPlot} */ _, /** @type {number[]} */ splits) =>
      splits.map((x) => `${figure(x, 5)}${unit}`);
    return {
      ...options,
      scales: {
        x: {
          time: false,
          distr: 3,
          range: (_, low, high) => (high > low ? [low, high] : [1, 100]),
        },
        y: { distr: 3, range: decades },
      },
      padding: [6, 26, 0, 0],
      axes: [
        {
          ...across,
          splits: (_plot, _axis, low, high) => frequencies(low, high),
          filter: all,
          values: this.last ? name(" Hz") : () => [],
        },
        {
          ...up,
          splits: (_plot, _axis, low, high) => round(low, high, [1]),
          filter: all,
          values: name(""),
        },
      ],
      hooks: { ...options.hooks, draw: [(plot) => this.label(plot)] },
    };
  }

  /**
   * Show spectra of the samples between two times; returns a note if fewer samples were used.
   * @param {import("./samples.js").Samples} samples
   * @param {number} from
   * @param {number} to
   * @param {[number, number] | null} band
   */
  showSpectra(samples, from, to, band) {
    const [low, high] = [samples.rowAt(from), Math.min(samples.rowAt(to) + 1, samples.length)];
    const times = samples.times.subarray(low, high);
    const all = this.signals.map(({ name }) => samples.column(name).subarray(low, high));
    const start = Math.max(0, ...all.map((values) => evenFrom(times, values)));
    const even = times.subarray(start);
    const spectra = all
      .map((values) => spectrum(even, values.subarray(start)))
      .filter((s) => s !== null);
    if (spectra.length < all.length) {
      this.peaks = [];
      this.show([[], ...all.map(() => [])], 1, 100, []);
      return "too few samples for a spectrum";
    }
    const [{ spacing, resolution, amplitudes }] = spectra;
    const most = spacing * (amplitudes.length - 1);
    /** @type {[number, number]} */
    const wanted = [Math.max(band?.[0] ?? 0, resolution), Math.min(band?.[1] ?? Infinity, most)];
    /** @type {[number, number]} */
    const shown = wanted[1] > wanted[0] ? wanted : [resolution, most];
    const lines = spectra.map((s) => thinned(s, ...shown, this.pixels));
    this.peaks = spectra.map((s) => highestPeak(s, ...shown));
    this.show([lines[0][0], ...lines.map(([, largest]) => largest)], ...shown, []);
    this.peaks.forEach((peak, i) => {
      this.values[i].textContent = peak
        ? `${figure(peak.amplitude, 3)} at ${figure(peak.frequency, 4)} Hz`
        : "";
    });
    return start
      ? `uneven samples: spectrum of the last ${figure(even[even.length - 1] - even[0], 3)} s`
      : "";
  }

  /**
   * Label each signal's highest peak with its frequency.
   * @param {uPlot} plot
   */
  label(plot) {
    const { ctx } = plot;
    ctx.save();
    ctx.font = FONT.replace("11px", `${11 * devicePixelRatio}px`);
    ctx.textBaseline = "bottom";
    this.peaks?.forEach((peak, i) => {
      if (!peak) return;
      const x = plot.valToPos(peak.frequency, "x", true);
      const y = plot.valToPos(peak.amplitude, "y", true);
      const right = x > plot.bbox.left + 0.85 * plot.bbox.width;
      ctx.fillStyle = this.signals[i].colour;
      ctx.beginPath();
      ctx.arc(x, y, 3 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
      ctx.textAlign = right ? "right" : "left";
      ctx.fillText(
        `${figure(peak.frequency, 4)} Hz`,
        x + (right ? -6 : 6) * devicePixelRatio,
        y + 4 * devicePixelRatio,
      );
    });
    ctx.restore();
  }
}

/**
 * Round numbers in a range: the given leading digits of each decade.
 * @param {number} low
 * @param {number} high
 * @param {number[]} leads
 */
function round(low, high, leads) {
  const numbers = [];
  for (
    let power = Math.floor(Math.log10(low) - 1e-9);
    power <= Math.log10(high) + 1e-9;
    power += 1
  ) {
    numbers.push(...leads.map((lead) => Number(`${lead}e${power}`)));
  }
  return numbers.filter((x) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9));
}

/**
 * Frequencies on the axis: 1, 2, 5 of each decade, or even steps in a narrow band.
 * @param {number} low
 * @param {number} high
 */
function frequencies(low, high) {
  const ticks = round(low, high, [1, 2, 5]);
  if (ticks.length > 2) return ticks;
  const step = roundDown((high - low) / 4);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

/**
 * Whole decades below the highest amplitude.
 * @param {uPlot} _
 * @param {number} _least
 * @param {number} most
 * @returns {[number, number]}
 */
function decades(_, _least, most) {
  const top = most > 0 ? 10 ** Math.ceil(Math.log10(1.3 * most)) : 1;
  return [top * 10 ** -DECADES, top];
}
