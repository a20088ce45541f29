// Interpolation between frames: the two frames around the displayed time, and the fraction between.

/** @typedef {import("./frames.js").Poses} Poses */
/** @typedef {{ before: Poses, after: Poses, fraction: number }} Moment */

const KEPT = 600; // seconds that can be rewound
const MOST_NUMBERS = 16e6; // of the frames kept, of 4 bytes each
const WINDOW = 128; // frames over which the clocks are compared

/** A history of pose frames. */
export class Motion {
  /** @type {Poses[]} */
  frames = [];
  /** @type {number[]} */
  offsets = [];
  /** @type {number} */
  interval = 0;

  constructor() {
    this.clear();
  }

  clear() {
    this.frames = [];
    this.offsets = [];
    this.interval = 1 / 60;
  }

  /**
   * Take a frame that arrived at page time `now` [s]; a stale one is dropped.
   * @param {Poses} frame
   * @param {number} now
   */
  add(frame, now) {
    const newest = this.frames.at(-1);
    if (newest && frame.stamp <= newest.stamp) {
      if (frame.stamp === newest.stamp && frame.sequence > newest.sequence) {
        this.frames.pop(); // the plant is paused, and was reset or stepped
      } else if (newest.stamp - frame.stamp < 1) {
        return;
      } else {
        this.clear(); // the clock of another machine: a new run
      }
    }
    if (newest && this.frames.length) {
      const interval = Math.min(frame.stamp - newest.stamp, 0.1);
      this.interval += 0.05 * (interval - this.interval);
    }
    // the fastest frames give the offset between the clocks; the others were late
    this.offsets.push(now - frame.stamp);
    if (this.offsets.length > WINDOW) this.offsets.shift();
    this.frames.push(frame);
    const most = Math.max(MOST_NUMBERS / (frame.bodies.length + frame.arrows.length + 1), 2);
    while (frame.stamp - this.frames[0].stamp > KEPT || this.frames.length > most)
      this.frames.shift();
  }

  /**
   * The frames around page time `now` [s], one frame behind so that there is one on either side.
   * @param {number} now
   * @returns {Moment | null}
   */
  at(now) {
    if (!this.frames.length) return null;
    const offset = Math.min(...this.offsets);
    return this.around(now - offset - 1.25 * this.interval);
  }

  /**
   * The frames around a stamp [s] and the fraction between them.
   * @param {number} stamp
   * @returns {Moment | null}
   */
  around(stamp) {
    const { frames } = this;
    if (!frames.length) return null;
    let high = frames.length - 1;
    if (stamp >= frames[high].stamp)
      return { before: frames[high], after: frames[high], fraction: 0 };
    let low = 0;
    if (stamp <= frames[0].stamp) return { before: frames[0], after: frames[0], fraction: 0 };
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (frames[middle].stamp <= stamp) low = middle;
      else high = middle;
    }
    const before = frames[low];
    const after = frames[high];
    // a reset is a jump, not a motion
    if (after.t < before.t || after.count !== before.count)
      return { before: after, after, fraction: 0 };
    return { before, after, fraction: (stamp - before.stamp) / (after.stamp - before.stamp) };
  }

  get span() {
    return this.frames.length
      ? [this.frames[0].stamp, this.frames[this.frames.length - 1].stamp]
      : [0, 0];
  }
}
