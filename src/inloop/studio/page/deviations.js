// Uncertainty of estimates: a band of two standard deviations about each, behind its line.

/** @typedef {import("/vendor/uPlot.esm.js")} uPlot */
/** @typedef {import("./chart.js").Trace} Trace */
/** @typedef {ArrayLike<number | null | undefined>} Values */

export const ESTIMATE = "observer."; // prefix of the names of estimates
const DEVIATION = ".deviation"; // suffix of the names of their standard deviations
const WIDE = 2; // [deviations] to each side
const FAINT = 0.16; // opacity of a band

/**
 * The signal with the standard deviation of an estimate; undefined for all other signals.
 * @param {string} name
 * @param {import("./messages.js").Signal[]} signals
 */
export function deviationOf(name, signals) {
  if (!name.startsWith(ESTIMATE)) return undefined;
  return signals.find((signal) => signal.name === name + DEVIATION)?.name;
}

/**
 * Fill the bands of all traces that have one; data are times, values, then deviations.
 * @param {uPlot} plot
 * @param {Trace[]} traces
 * @param {Values[]} data
 */
export function drawBands(plot, traces, data) {
  const { ctx, bbox } = plot;
  let behind = 1 + traces.length;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = FAINT;
  traces.forEach((trace, i) => {
    if (!trace.deviation) return;
    ctx.fillStyle = trace.colour;
    fill(plot, data[0], data[1 + i], data[behind]);
    behind += 1;
  });
  ctx.restore();
}

/**
 * One band, broken where there is no value.
 * @param {uPlot} plot
 * @param {Values} times
 * @param {Values | undefined} middle
 * @param {Values | undefined} deviation
 */
function fill(plot, times, middle, deviation) {
  if (!middle || !deviation) return;
  /** @type {Array<[number, number, number]>} */
  let piece = [];
  const end = () => {
    if (piece.length > 1) {
      plot.ctx.beginPath();
      for (const [x, high] of piece) plot.ctx.lineTo(x, high);
      for (const [x, , low] of piece.reverse()) plot.ctx.lineTo(x, low);
      plot.ctx.fill();
    }
    piece = [];
  };
  for (let row = 0; row < times.length; row += 1) {
    const [t, value, wide] = [times[row], middle[row], deviation[row]];
    if (t == null || value == null || wide == null) {
      end();
      continue;
    }
    const x = plot.valToPos(t, "x", true);
    const high = plot.valToPos(value + WIDE * wide, "y", true);
    piece.push([x, high, plot.valToPos(value - WIDE * wide, "y", true)]);
  }
  end();
}
