// Times of an embedded plant, in bins of a quarter of an octave, as in the real-time loop.

const PER_OCTAVE = 4;
const LEAST = 0.01; // [µs]
const BINS = 128;

export class Histogram {
  constructor() {
    this.counts = new Array(BINS).fill(0);
    this.total = 0;
    this.max = 0;
  }

  /**
   * @param {number} us [µs]
   * @param {number} count how often
   */
  add(us, count = 1) {
    const bin = Math.floor(PER_OCTAVE * Math.log2(Math.max(us, LEAST) / LEAST));
    this.counts[Math.min(bin, BINS - 1)] += count;
    this.total += count;
    this.max = Math.max(this.max, us);
  }

  /** @param {number} bin */
  edge(bin) {
    return LEAST * 2 ** (bin / PER_OCTAVE);
  }

  /**
   * A quantile of the times: the upper edge of its bin, or the largest time.
   * @param {number} part
   */
  quantile(part) {
    if (!this.total) return null;
    let sum = 0;
    const bin = this.counts.findIndex((count) => {
      sum += count;
      return sum >= part * this.total;
    });
    return Math.min(this.edge(bin + 1), this.max);
  }

  /** @returns {import("./messages.js").Times} */
  summary() {
    const used = this.counts.flatMap((count, bin) => (count ? [bin] : []));
    const [first, last] = [used[0] ?? 0, (used.at(-1) ?? -1) + 1];
    return {
      edges_us: used.length
        ? Array.from({ length: last - first + 1 }, (_, k) => this.edge(first + k))
        : [],
      counts: this.counts.slice(first, last),
      p50: this.quantile(0.5),
      p99: this.quantile(0.99),
      p999: this.quantile(0.999),
      max: this.total ? this.max : null,
    };
  }
}
