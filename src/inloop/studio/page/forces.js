// The scale of the arrows: follows what forces are usual of late, in steps that can be read.

import { roundDown, roundUp } from "./numbers.js";

export const LONGEST = 0.2; // arrow at full scale, of the scene's size
const MEMORY = 150; // frames over which forces are remembered
const USUAL = 0.85; // part of them that is within the scale: a blow is not usual, and is cut off

export class ForceScale {
  constructor() {
    this.full = 0; // force of an arrow at full scale [N]
    /** @type {number[]} */
    this.recent = [];
  }

  /**
   * See the arrows of a frame: 6 numbers each, from and vector [N].
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
    // steps of 1, 2, 5, and down only when forces are much smaller: a scale that creeps is none
    if (usual > this.full || usual < 0.2 * this.full) this.full = roundUp(usual);
  }

  /** Force that the legend's arrow stands for [N] and its length, of the scene's size; or null. */
  get legend() {
    if (!this.full) return null;
    const force = roundDown(this.full / 2);
    return { force, length: (LONGEST * force) / this.full };
  }
}
