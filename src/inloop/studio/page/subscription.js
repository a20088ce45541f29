// Samples of a carried plant that the page plots: taken record by record, sent together.

const MOST = 0xffff; // samples of one frame

export class Subscription {
  constructor() {
    this.generation = 0;
    /** @type {number[]} */
    this.columns = [];
    /** @type {string[]} */
    this.signals = [];
    this.every = 1; // of so many records one is sent
    this.first = 0; // number of the first sample that waits
    /** @type {number[]} */
    this.times = [];
    /** @type {number[][]} */
    this.values = [];
  }

  /**
   * Other signals from now on.
   * @param {string[]} signals
   * @param {number[]} columns
   * @param {number} every
   */
  choose(signals, columns, every) {
    this.generation = (this.generation + 1) & 0xffff;
    this.signals = signals;
    this.columns = columns;
    this.every = every;
    this.clear();
  }

  /** Nothing waits. */
  clear() {
    this.times = [];
    this.values = this.columns.map(() => []);
  }

  /**
   * Take a record, if it is one that is sent.
   * @param {number} number of it
   * @param {ArrayLike<number>} rows
   * @param {number} at where it begins
   */
  take(number, rows, at) {
    if (!this.columns.length || number % this.every || this.times.length >= MOST) return;
    if (!this.times.length) this.first = number;
    this.times.push(rows[at]);
    this.columns.forEach((column, k) => {
      this.values[k].push(rows[at + column]);
    });
  }
}
