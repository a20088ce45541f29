// Sensors: their current readings, with units.

import { byId, make } from "./dom.js";
import { figure, NOISE, prefixFor, unitName } from "./numbers.js";

/** @typedef {import("./messages.js").WatchedSensor} WatchedSensor */

/** @typedef {{ label: string, unit: string, count: number }} Group signals on one line */

const FEW = 6; // sensors shown without opening the panel

/**
 * Signals of a sensor as lines: components of a vector or a quaternion share one.
 * @param {WatchedSensor} sensor
 * @returns {Group[]}
 */
function grouped({ name, signals }) {
  /** @type {Array<Group & { stem: string | null }>} */
  const groups = [];
  for (const signal of signals) {
    const ending = signal.name.slice(name.length + 1);
    const unit = signal.unit === "1" ? "" : unitName(signal.unit);
    const [, stem, axis] = ending.match(/^(.*?)\.?([wxyz])$/) ?? [];
    const last = groups.at(-1);
    if (last && axis && last.stem === stem && last.unit === unit) {
      last.label += ` ${axis}`;
      last.count += 1;
    } else {
      const label = axis ? `${stem} ${axis}`.trim() : ending;
      groups.push({ label, unit, count: 1, stem: axis ? stem : null });
    }
  }
  return groups;
}

/** @param {number | null} value */
const rounded = (value) => (value !== null && Math.abs(value) < NOISE ? 0 : value);

class Entry {
  /** @param {WatchedSensor} sensor */
  constructor(sensor) {
    const { name, quantity, at } = sensor;
    this.groups = grouped(sensor);
    this.cells = this.groups.map(({ count }) =>
      Array.from({ length: count }, () => make("output", {}, "–")),
    );
    this.units = this.groups.map(({ unit }) => make("span", { className: "unit" }, unit));
    this.element = make(
      "li",
      { className: "element" },
      make(
        "header",
        {},
        make("span", { className: "name" }, name.replaceAll("_", " ")),
        make(
          "span",
          { className: "about" },
          `${quantity.replaceAll("_", " ")} · ${at.join(" – ")}`,
        ),
      ),
      ...this.groups.map(({ label }, k) =>
        make(
          "div",
          { className: "reading" },
          make("span", { className: "unit" }, label),
          ...this.cells[k],
          this.units[k],
        ),
      ),
    );
  }

  /** @param {Array<number | null>} values */
  show(values) {
    let first = 0;
    this.groups.forEach(({ unit, count }, k) => {
      const mine = values.slice(first, first + count).map(rounded);
      first += count;
      // one prefix for all of them
      const prefix = prefixFor(Math.max(...mine.map((value) => Math.abs(value ?? 0))), unit);
      this.units[k].textContent = prefix.unit;
      this.cells[k].forEach((cell, i) => {
        const value = mine[i];
        cell.textContent = figure(value === null ? null : value / prefix.scale, 3);
      });
    });
  }
}

export class Sensors {
  constructor() {
    /** @type {Entry[]} */
    this.entries = [];
  }

  /** @param {WatchedSensor[]} sensors */
  setPlant(sensors) {
    const panel = byId("sensor-panel");
    panel.hidden = !sensors.length;
    panel.open = sensors.length <= FEW;
    byId("sensor-note").textContent = sensors.length ? String(sensors.length) : "";
    this.entries = sensors.map((sensor) => new Entry(sensor));
    byId("sensors").replaceChildren(
      make("ul", { "aria-label": "Sensors" }, ...this.entries.map(({ element }) => element)),
    );
  }

  /** @param {Array<Array<number | null>>} readings */
  show(readings) {
    readings.forEach((values, k) => {
      this.entries[k]?.show(values);
    });
  }
}
