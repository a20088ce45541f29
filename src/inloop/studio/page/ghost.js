// The run before the last reset, shown next to the current one at the same simulated time.

import { between } from "./view.js";

/** @typedef {import("./frames.js").Poses} Poses */

const SHORTEST = 1; // shortest run that is kept [s]
const MOST_NUMBERS = 12e6; // of the poses kept, of 4 bytes each

export class Ghost {
  /** @type {Poses[]} */
  run = [];
  /** @type {Poses[]} */
  earlier = [];
  on = true;

  clear() {
    this.run = [];
    this.earlier = [];
  }

  /** @param {Poses} frame */
  add(frame) {
    const last = this.run.at(-1);
    if (last && frame.count !== last.count) this.clear();
    else if (last && frame.t < last.t) {
      if (last.t - this.run[0].t > SHORTEST) this.earlier = this.run;
      this.run = [];
    } else if (frame.t === last?.t || this.run.length * frame.bodies.length > MOST_NUMBERS) return;
    this.run.push(frame);
  }

  /**
   * Poses of the earlier run at a simulated time [s]; null if it has none, or is not shown.
   * @param {number} t
   */
  at(t) {
    const { earlier } = this;
    const last = earlier.length - 1;
    if (!this.on || last < 1 || t < earlier[0].t || t > earlier[last].t) return null;
    let [low, high] = [0, last];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (earlier[middle].t <= t) low = middle;
      else high = middle;
    }
    const [before, after] = [earlier[low], earlier[high]];
    return between(before.bodies, after.bodies, (t - before.t) / (after.t - before.t));
  }
}
