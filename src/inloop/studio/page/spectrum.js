// Amplitude spectra of evenly spaced samples.

/** @typedef {{ spacing: number, amplitudes: Float64Array, resolution: number }} Spectrum [Hz] */

const FINER = 4; // frequencies per line of the samples' own resolution, by zero padding
const LEAST = 16; // minimum number of samples for a spectrum
const UNEVEN = 0.01; // tolerated variation of the sampling step, relative to it

/**
 * Discrete Fourier transform in place, radix 2: the length of both parts is a power of two.
 * @param {Float64Array} re
 * @param {Float64Array} im
 */
function transform(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i += 1) {
    // j counts with its bits in reverse order
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      swap(re, i, j);
      swap(im, i, j);
    }
  }
  const [cos, sin] = [new Float64Array(n >> 1), new Float64Array(n >> 1)];
  for (let k = 0; k < n >> 1; k += 1) {
    cos[k] = Math.cos((2 * Math.PI * k) / n);
    sin[k] = -Math.sin((2 * Math.PI * k) / n);
  }
  for (let half = 1; half < n; half *= 2) {
    const stride = n / (2 * half);
    for (let start = 0; start < n; start += 2 * half) {
      for (let k = 0; k < half; k += 1) {
        const a = start + k;
        const b = a + half;
        const c = cos[k * stride];
        const s = sin[k * stride];
        const x = re[b] * c - im[b] * s;
        const y = re[b] * s + im[b] * c;
        re[b] = re[a] - x;
        im[b] = im[a] - y;
        re[a] += x;
        im[a] += y;
      }
    }
  }
}

/**
 * @param {Float64Array} array
 * @param {number} i
 * @param {number} j
 */
function swap(array, i, j) {
  const kept = array[i];
  array[i] = array[j];
  array[j] = kept;
}

/**
 * First row from which samples are evenly spaced and without gaps; 0 if all are.
 * @param {Float64Array} times
 * @param {Float32Array} values
 */
export function evenFrom(times, values) {
  const last = times.length - 1;
  const step = times[last] - times[last - 1];
  for (let row = last; row >= 0; row -= 1) {
    if (Number.isNaN(values[row])) return row + 1;
    if (row < last && Math.abs(times[row + 1] - times[row] - step) > UNEVEN * step) return row + 1;
  }
  return 0;
}

/**
 * Amplitudes at frequencies k · `spacing` [Hz], from 0 to half the sample rate; null if there are too
 * few samples. The mean is removed and a Hann window applied; a sine of amplitude A yields A.
 * @param {Float64Array} times
 * @param {Float32Array} values
 * @returns {Spectrum | null}
 */
export function spectrum(times, values) {
  const count = values.length;
  const span = times[count - 1] - times[0];
  if (count < LEAST || !(span > 0)) return null;
  const size = 2 ** Math.ceil(Math.log2(FINER * count));
  const window = Float64Array.from(
    { length: count },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / count),
  );
  const weight = window.reduce((sum, w) => sum + w, 0);
  const mean = window.reduce((sum, w, i) => sum + w * values[i], 0) / weight;
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < count; i += 1) re[i] = window[i] * (values[i] - mean);
  transform(re, im);
  const amplitudes = new Float64Array(size / 2 + 1);
  for (let k = 0; k < amplitudes.length; k += 1)
    amplitudes[k] = (2 / weight) * Math.hypot(re[k], im[k]);
  return { spacing: (count - 1) / (span * size), amplitudes, resolution: 2 / span };
}

/**
 * The highest peak between two frequencies, by a parabola through the logarithms of three lines;
 * null if there is none.
 * @param {Spectrum} of
 * @param {number} from
 * @param {number} to
 */
export function highestPeak({ spacing, amplitudes }, from, to) {
  let best = -1;
  const last = Math.min(Math.floor(to / spacing), amplitudes.length - 2);
  for (let k = Math.max(Math.ceil(from / spacing), 1); k <= last; k += 1) {
    const peak = amplitudes[k] > amplitudes[k - 1] && amplitudes[k] >= amplitudes[k + 1];
    if (peak && !(amplitudes[k] <= amplitudes[best])) best = k;
  }
  if (best < 0) return null;
  const [a, b, c] = [-1, 0, 1].map((i) => Math.log(Math.max(amplitudes[best + i], 1e-300)));
  const off = (0.5 * (a - c)) / (a - 2 * b + c);
  return { frequency: (best + off) * spacing, amplitude: Math.exp(b - 0.25 * (a - c) * off) };
}

/**
 * The largest amplitude in each bucket of a logarithmic axis, with the bucket's first frequency.
 * @param {Spectrum} of
 * @param {number} from
 * @param {number} to
 * @param {number} buckets
 */
export function thinned({ spacing, amplitudes }, from, to, buckets) {
  /** @type {[number[], number[]]} */
  const [frequencies, largest] = [[], []];
  const ratio = (to / from) ** (1 / buckets);
  const last = Math.min(Math.ceil(to / spacing), amplitudes.length - 1);
  let k = Math.max(Math.floor(from / spacing), 1);
  while (k <= last) {
    const begin = k * spacing;
    let top = amplitudes[k];
    for (k += 1; k <= last && k * spacing < begin * ratio; k += 1)
      top = Math.max(top, amplitudes[k]);
    frequencies.push(begin);
    largest.push(top);
  }
  return [frequencies, largest];
}
