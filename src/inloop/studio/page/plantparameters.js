// The parameters of an embedded plant: each within its range, and only values that the loops can meet.

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
   * Change some parameters; false if the loops of the plant cannot be closed with them.
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
   * Values that a request sets; null for other requests, and for a parameter that does not exist.
   * @param {import("./messages.js").Request} request
   */
  requested(request) {
    if (request.do === "reset_parameters")
      return new Map(this.declared.map((p) => [p.name, p.default]));
    if (request.do !== "set" && request.do !== "reset_parameter") return null;
    const parameter = this.declared.find(({ name }) => name === request.parameter);
    if (!parameter) return null;
    const value = request.do === "set" ? request.value : parameter.default;
    return Number.isFinite(value) ? new Map([[parameter.name, value]]) : null;
  }
}
