// The number of periods due: simulated time follows the clock, and late periods are skipped.

const MOST_LATE = 0.1; // delay of simulated time that is caught up [s]; more is skipped
const LATELY = 3; // for which skipped periods are reported [s]
const COUNTED = 1; // over which steps per second are counted [s]

export class Pace {
  /**
   * @param {number} period simulated time between two records [s]
   * @param {number} speed simulated seconds per second
   */
  constructor(period, speed) {
    this.period = period;
    this.speed = speed;
    this.paused = false;
    /** @type {number | null} */
    this.lastCall = null; // time of the last call of `due` [s]
    this.owed = 0; // periods due, with a fraction of one
    this.skipped = 0;
    /** @type {Array<[number, number]>} */
    this.gaps = []; // times and numbers of skipped periods
    /** @type {Array<[number, number]>} */
    this.batches = []; // times and numbers of completed periods
  }

  /**
   * Number of periods to step now.
   * @param {number} now [s]
   */
  due(now) {
    const passed = this.lastCall === null ? 0 : Math.max(now - this.lastCall, 0);
    this.lastCall = now;
    if (this.paused) return 0;
    this.owed += (passed * this.speed) / this.period;
    const most = Math.max(Math.floor(MOST_LATE / this.period), 1);
    const over = Math.floor(this.owed) - most;
    if (over > 0) {
      this.owed -= over;
      this.skipped += over;
      this.gaps.push([now, over]);
    }
    return Math.floor(this.owed);
  }

  /**
   * So many periods were completed; failed ones count too, or they would stay due forever.
   * @param {number} count
   * @param {number} now [s]
   */
  done(count, now) {
    this.owed = Math.max(this.owed - count, 0);
    this.batches.push([now, count]);
    while (this.batches[0] && now - this.batches[0][0] > COUNTED) this.batches.shift();
    while (this.gaps[0] && now - this.gaps[0][0] > LATELY) this.gaps.shift();
  }

  /** Delay of simulated time against the clock [s of the clock]. */
  get behind() {
    return (this.owed * this.period) / this.speed;
  }

  /** Number of periods skipped within the last seconds. */
  get late() {
    return this.gaps.reduce((sum, [, count]) => sum + count, 0);
  }

  /** Recent periods per second of the clock; 0 before the first. */
  get rate() {
    if (this.batches.length < 2) return 0;
    const span = this.batches[this.batches.length - 1][0] - this.batches[0][0];
    // the first batch took place before the interval
    const sum = this.batches.slice(1).reduce((total, [, count]) => total + count, 0);
    return span > 0 ? sum / span : 0;
  }

  /** No period is due: after a pause, or a change of speed. */
  forget() {
    this.owed = 0;
    this.lastCall = null;
    this.batches = [];
  }
}
