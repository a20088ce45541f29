// The scale of the arrows: follows the usual recent forces, in readable steps.

import { roundDown, roundUp } from "./numbers.js";

export const LONGEST = 0.2; // length of an arrow at full scale, relative to the scene's size
const MEMORY = 150; // frames over which forces are remembered
const USUAL = 0.85; // fraction of them within the scale: impacts are not usual, and are cut off

export class ForceScale {
  constructor() {
    this.full = 0; // force of an arrow at full scale [N]
    /** @type {number[]} */
    this.recent = [];
  }

  /**
   * Take in the arrows of a frame: 6 numbers each, start point [m] and vector [N].
   * @param {Float32Array} arrows
   */
  see(arrows) {
    let most = 0;
    for (let i = 3; i + 2 < arrows.length; i += 6) {
      const force = Math.hypot(arrows[i], arrows[i + 1], arrows[i + 2]);
      if (force < Infinity) most = Math.max(most, force);
    }
    if (most > 0) this.recent.push(most);
    if (this.recent.length > MEMORY) this.recent.shift();
    if (!this.recent.length) return;
    const usual = [...this.recent].sort((a, b) => a - b)[Math.floor(USUAL * this.recent.length)];
    // steps of 1, 2, 5, and down only when forces are much smaller, so that the scale rarely changes
    if (usual > this.full || usual < 0.2 * this.full) this.full = roundUp(usual);
  }

  /** Force of the legend's arrow [N] and its length, relative to the scene's size; or null. */
  get legend() {
    if (!this.full) return null;
    const force = roundDown(this.full / 2);
    return { force, length: (LONGEST * force) / this.full };
  }
}
