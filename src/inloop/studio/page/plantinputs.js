// The inputs of an embedded plant: driven by the page, at rest, or safe.

export class PlantInputs {
  /**
   * @param {import("./wasmplant.js").WasmPlant} plant
   * @param {import("./plantfacts.js").InputFacts} facts
   */
  constructor(plant, facts) {
    this.plant = plant;
    this.facts = facts;
    this.values = facts.start.slice();
    this.driven = false;
    this.safe = false;
    this.used = { sequence: 0, at: 0, time: 0 }; // of the page's newest input: count, [s], [ms]
    this.write();
  }

  /**
   * Set a value, kept within its range; false if there is no such input, or the plant controls it.
   * @param {import("./plantframes.js").ReadInput} input
   * @param {number} now [s]
   */
  set({ index, sequence, value, time }, now) {
    const { least, most, led } = this.facts;
    if (index >= this.values.length || led[index]) return false;
    this.driven = true;
    this.values[index] = Math.min(Math.max(value, least[index]), most[index]);
    this.used = { sequence, at: now, time };
    this.write();
    return true;
  }

  take() {
    this.driven = true;
  }

  /** Set all to rest. */
  release() {
    this.driven = false;
    this.values = this.facts.rest.slice();
    this.write();
  }

  /** A step has failed: safe values until the user continues. */
  makeSafe() {
    this.safe = true;
    this.write();
  }

  /** Use the values again. */
  resume() {
    this.safe = false;
    this.write();
  }

  /** Return to the initial state. */
  reset() {
    if (!this.driven) this.values = this.facts.start.slice();
    this.resume();
  }

  write() {
    const { safe } = this.facts;
    this.plant.setInputs(this.safe ? this.values.map((x, k) => safe[k] ?? x) : this.values);
  }
}
