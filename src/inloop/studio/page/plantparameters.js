// The parameters of a carried plant: each in its range, and only values that fit the loops.

export class PlantParameters {
  /**
   * @param {import("./wasmplant.js").WasmPlant} plant
   * @param {Array<import("./messages.js").Parameter>} declared
   */
  constructor(plant, declared) {
    this.plant = plant;
    this.declared = declared;
    this.values = Array.from(plant.parameters);
  }

  /** @returns {Record<string, number>} */
  get byName() {
    return Object.fromEntries(this.declared.map(({ name }, k) => [name, this.values[k]]));
  }

  /**
   * Change some; what came of it: false if the loops of the plant cannot follow.
   * @param {Map<string, number>} wanted by name
   */
  change(wanted) {
    const values = this.declared.map(({ name, low, high }, k) => {
      const value = wanted.get(name) ?? this.values[k];
      return Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity);
    });
    const good = this.plant.setParameters(values);
    this.values = Array.from(this.plant.parameters);
    return good;
  }

  /**
   * Values that a request asks for; null if it is about something else, or about a parameter that is
   * not there.
   * @param {import("./messages.js").Request} request
   */
  asked(request) {
    if (request.do === "reset_parameters")
      return new Map(this.declared.map((p) => [p.name, p.default]));
    if (request.do !== "set" && request.do !== "reset_parameter") return null;
    const found = this.declared.find(({ name }) => name === request.parameter);
    if (!found) return null;
    const value = request.do === "set" ? request.value : found.default;
    return Number.isFinite(value) ? new Map([[found.name, value]]) : null;
  }
}
