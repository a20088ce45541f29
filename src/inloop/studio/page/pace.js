// How many periods are due: simulated time follows the clock, and what is too late is left out.

const MOST_LATE = 0.1; // simulated time that is made up [s]; more is skipped
const LATELY = 3; // for which skipped periods are worth telling [s]
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
    this.asked = null; // the clock when it was last asked [s]
    this.owed = 0; // periods that are due, and a part of one
    this.skipped = 0;
    /** @type {Array<[number, number]>} */
    this.gaps = []; // when, and how many were skipped
    /** @type {Array<[number, number]>} */
    this.batches = []; // when, and how many were done
  }

  /**
   * Periods to be done now.
   * @param {number} now [s]
   */
  due(now) {
    const passed = this.asked === null ? 0 : Math.max(now - this.asked, 0);
    this.asked = now;
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
   * So many were done; those that failed count, too, or they would be owed for ever.
   * @param {number} count
   * @param {number} now [s]
   */
  done(count, now) {
    this.owed = Math.max(this.owed - count, 0);
    this.batches.push([now, count]);
    while (this.batches[0] && now - this.batches[0][0] > COUNTED) this.batches.shift();
    while (this.gaps[0] && now - this.gaps[0][0] > LATELY) this.gaps.shift();
  }

  /** How far simulated time is behind the clock [s of the clock]. */
  get behind() {
    return (this.owed * this.period) / this.speed;
  }

  /** Periods that were skipped within the last seconds. */
  get late() {
    return this.gaps.reduce((sum, [, count]) => sum + count, 0);
  }

  /** Periods per second of the clock, lately; 0 before there are any. */
  get rate() {
    if (this.batches.length < 2) return 0;
    const span = this.batches[this.batches.length - 1][0] - this.batches[0][0];
    // what was done first was done in the time before it
    const sum = this.batches.slice(1).reduce((total, [, count]) => total + count, 0);
    return span > 0 ? sum / span : 0;
  }

  /** Nothing is owed: after a pause, and at another speed. */
  forget() {
    this.owed = 0;
    this.asked = null;
    this.batches = [];
  }
}
