// Samples of an embedded plant for plots: taken record by record, sent together.

const MOST = 0xffff; // samples of one frame

export class Subscription {
  constructor() {
    this.generation = 0;
    /** @type {number[]} */
    this.columns = [];
    /** @type {string[]} */
    this.signals = [];
    this.every = 1; // one in so many records is sent
    this.first = 0; // number of the first pending sample
    /** @type {number[]} */
    this.times = [];
    /** @type {number[][]} */
    this.values = [];
  }

  /**
   * Choose the signals from now on.
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

  /** Discard pending samples. */
  clear() {
    this.times = [];
    this.values = this.columns.map(() => []);
  }

  /**
   * Take a record, if it is one to be sent.
   * @param {number} number of the record
   * @param {ArrayLike<number>} rows
   * @param {number} at index of its first value
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
