// A plant in WebAssembly: its memory, its steps, the poses of its bodies. See io/page/il_page.c.

// arrays of the plant, in the order of page_array_id
const [PARAMETERS, INPUTS, ROWS, GRIPS, PULLS, POSES, POINTS, POSITIONS] = [0, 1, 2, 3, 4, 5, 6, 7];
const PER_BODY = 12; // p_WB and the rows of R_WB
export const GRIP = { body: 0, point: 1, target: 4, stiffness: 7, damping: 8, force: 9, size: 12 };
export const PULL = { force: 12, mass: 15, limited: 16, size: 17 };
export const MOST_GRIPS = 4;

/**
 * Exports of the module.
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(method: number, step: number, substeps: number) => number} page_begin
 * @property {(which: number) => number} page_array
 * @property {() => number} page_width
 * @property {() => number} page_most
 * @property {() => number} page_set_parameters
 * @property {() => void} page_set_inputs
 * @property {() => number} page_hold
 * @property {() => void} page_let_go
 * @property {() => number} page_reset
 * @property {(count: number) => number} page_advance
 * @property {() => number} page_status
 * @property {() => void} page_place_points
 * @property {() => void} page_pose
 */

/** Functions imported by a plant: only those of Math. */
const FUNCTIONS = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  tanh: Math.tanh,
  exp: Math.exp,
  log: Math.log,
  pow: Math.pow,
};

export class WasmPlant {
  /**
   * @param {WebAssembly.Module} module
   * @param {{ method: number, step: number, substeps: number }} how
   * @param {{ parameters: number, inputs: number, bodies: number, points: number, positions: number }} counts
   */
  constructor(module, { method, step, substeps }, counts) {
    const instance = new WebAssembly.Instance(module, { env: FUNCTIONS });
    this.exports = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
    if (this.exports.page_begin(method, step, substeps))
      throw new Error("the browser has too little memory for this plant");
    this.width = this.exports.page_width();
    this.most = this.exports.page_most();
    // memory does not grow from here on, so that views of it stay valid
    this.parameters = this.view(PARAMETERS, counts.parameters);
    this.inputs = this.view(INPUTS, counts.inputs);
    this.rows = this.view(ROWS, this.most * this.width);
    this.grips = this.view(GRIPS, MOST_GRIPS * GRIP.size);
    this.pulls = this.view(PULLS, MOST_GRIPS * PULL.size);
    this.poses = this.view(POSES, counts.bodies * PER_BODY);
    this.points = this.view(POINTS, 3 * counts.points);
    this.positions = this.view(POSITIONS, counts.positions);
    this.last = Array.from(this.rows.subarray(0, this.width)); // the newest record
    this.good = Array.from(this.parameters);
    this.exports.page_place_points();
  }

  /**
   * @param {number} which
   * @param {number} count
   */
  view(which, count) {
    return new Float64Array(this.exports.memory.buffer, this.exports.page_array(which), count);
  }

  /**
   * Step a number of periods; returns how many succeeded. Their records are the first of `rows`.
   * @param {number} count
   */
  advance(count) {
    const done = this.exports.page_advance(Math.min(count, this.most));
    if (done)
      this.last = Array.from(this.rows.subarray((done - 1) * this.width, done * this.width));
    return done;
  }

  /** Status of the last step; 0: success. */
  get status() {
    return this.exports.page_status();
  }

  /** Reset to the start; returns 0, or the status of the failure. */
  reset() {
    const status = this.exports.page_reset();
    this.last = Array.from(this.rows.subarray(0, this.width));
    return status;
  }

  /**
   * Set all parameters; false, and the old ones stay, if the loops cannot be closed with them.
   * @param {number[]} values
   */
  setParameters(values) {
    this.parameters.set(values);
    const good = this.exports.page_set_parameters() === 0;
    if (good) this.good = values.slice();
    else this.parameters.set(this.good);
    this.exports.page_place_points();
    return good;
  }

  /** @param {number[]} values */
  setInputs(values) {
    this.inputs.set(values);
    this.exports.page_set_inputs();
  }

  /**
   * Poses of all bodies in a record.
   * @param {ArrayLike<number>} record
   * @param {number[]} columns of q
   */
  pose(record, columns) {
    columns.forEach((column, k) => {
      this.positions[k] = record[column];
    });
    this.exports.page_pose();
    return this.poses;
  }
}
