// The resolution for a riding viewer: as many pixels as can be drawn in time.

const STEPS = [2, 1.4, 1, 0.7, 0.5, 0.35, 0.25]; // pixels drawn per pixel of the page
const FIRST = 0.5; // without a graphics card
const MOST = 26; // longest acceptable time of a picture [ms]
const LITTLE = 9; // a shorter time permits a higher resolution [ms]
const [SLOW_ONES, QUICK_ONES] = [2, 12]; // so many in a row change the resolution

export class Resolution {
  slow = 0; // pictures in a row
  quick = 0;

  /**
   * @param {boolean} processor whether the CPU draws
   * @param {number} own pixels of the screen per pixel of the page
   */
  constructor(processor, own) {
    this.finest = STEPS.findIndex((step) => step <= own);
    this.at = processor ? STEPS.indexOf(FIRST) : this.finest;
  }

  get ratio() {
    return STEPS[this.at];
  }

  /**
   * Report the time of a picture [ms].
   * @param {number} cost
   */
  took(cost) {
    this.slow = cost > MOST ? this.slow + 1 : 0;
    this.quick = cost < LITTLE ? this.quick + 1 : 0;
    if (this.slow >= SLOW_ONES) this.move(1);
    else if (this.quick >= QUICK_ONES) this.move(-1);
  }

  /** @param {number} way 1: coarser */
  move(way) {
    this.at = Math.min(Math.max(this.at + way, this.finest), STEPS.length - 1);
    this.slow = this.quick = 0;
  }
}
