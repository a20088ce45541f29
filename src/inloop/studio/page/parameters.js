// Sliders for parameters: units, numeric entry, reset of one or all, search if there are many.

import { byId, icon, make } from "./dom.js";
import { NumberField } from "./numberfield.js";
import { clamp, withPrefix } from "./numbers.js";
import { STEPS, scaleOf } from "./sliderscale.js";

/** @typedef {import("./messages.js").Parameter} Parameter */

const MANY = 8;
const PERIOD = 40; // between two values sent while a slider moves [ms]
const QUIET = 700; // after a local change, values from the server may be older [ms]

/** @typedef {import("./sliderscale.js").Scale} Scale */

export class Row {
  /** @type {number | null} */
  waiting = null;

  /** @type {number | null} */
  timer = null;

  /** @type {number} */
  value = 0;

  /**
   * @param {Parameter} parameter
   * @param {(value: number) => void} send
   * @param {() => void} back
   */
  constructor(parameter, send, back) {
    this.parameter = parameter;
    this.changedAt = -Infinity;
    this.send = (/** @type {number} */ value) => {
      this.changedAt = performance.now();
      send(value);
    };
    const { name, unit, doc, low, high } = parameter;
    const size = parameter.default || Math.max(Math.abs(low ?? 0), Math.abs(high ?? 0));
    this.field = new NumberField({ name, unit, size, low, high }, (value) => {
      this.show(value, true);
      this.send(value);
    });
    this.reset = make(
      "button",
      {
        className: "icon tiny reset",
        "aria-label": `Reset ${name}`,
        title: `Back to ${withPrefix(parameter.default, unit, 6, 0)}`,
        onclick: back,
      },
      icon("back"),
    );
    this.element = make(
      "div",
      { className: "parameter", title: [name, doc].filter(Boolean).join(": ") },
      make("span", { className: "name" }, name.replaceAll("_", " ")),
      this.field.element,
      this.field.unit,
      this.reset,
    );
    /** @type {{ scale: Scale, slider: HTMLInputElement } | null} */
    this.track = null;
    if (low !== null && high !== null && high > low) this.addSlider(name, scaleOf(low, high));
    this.show(parameter.value);
  }

  /**
   * @param {string} name
   * @param {Scale} scale
   */
  addSlider(name, scale) {
    const slider = make("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      "aria-label": name,
      oninput: () => this.slid(scale.value(Number(slider.value))),
    });
    const mark = make("i", { className: "mark" });
    mark.style.left = `${clamp(scale.place(this.parameter.default) / STEPS, 0, 1) * 100}%`;
    this.element.append(make("div", { className: "track" }, mark, slider));
    this.track = { scale, slider };
  }

  /** @param {number} exact */
  slid(exact) {
    const value = Number(exact.toPrecision(4));
    this.show(value, true);
    this.later(value);
  }

  /**
   * Send the newest value now or at the end of the period.
   * @param {number} value
   */
  later(value) {
    this.waiting = value;
    if (this.timer) return;
    this.send(value);
    this.waiting = null;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.waiting !== null) this.later(this.waiting);
    }, PERIOD);
  }

  /**
   * A value from the server: shown when it cannot be an echo of an earlier value.
   * @param {number} value
   */
  receive(value) {
    clearTimeout(this.pending);
    const wait = this.changedAt + QUIET - performance.now();
    if (wait <= 0) this.show(value);
    else this.pending = setTimeout(() => this.receive(value), wait);
  }

  /**
   * @param {number} value
   * @param {boolean} [own]
   */
  show(value, own = false) {
    this.value = value;
    this.field.show(value, own);
    if (this.track) {
      const { scale, slider } = this.track;
      const place = clamp(scale.place(value), 0, STEPS);
      if (!own) slider.value = String(place);
      slider.style.setProperty("--fill", `${(100 * place) / STEPS}%`);
      slider.setAttribute("aria-valuetext", withPrefix(value, this.parameter.unit, 4, 0));
    }
    this.changed =
      Math.abs(value - this.parameter.default) > 1e-9 * Math.abs(this.parameter.default);
    this.element.classList.toggle("changed", this.changed);
    this.reset.disabled = !this.changed;
  }
}

export class Parameters {
  /** @type {HTMLButtonElement} */
  all = make("button");

  /** @type {HTMLInputElement} */
  search = make("input");

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** @type {Set<string>} */
    this.secret = new Set(); // not shown
  }

  /** @param {Parameter[]} parameters */
  setPlant(parameters) {
    const place = byId("parameters");
    this.rows.clear();
    this.secret.clear();
    for (const parameter of parameters) {
      const { name } = parameter;
      this.rows.set(
        name,
        new Row(
          parameter,
          (value) => this.sent(name, value),
          () => this.back(name),
        ),
      );
    }
    this.all = make(
      "button",
      { className: "quiet-button", onclick: () => this.back() },
      icon("back"),
      "Reset all",
    );
    this.search = make("input", {
      type: "search",
      id: "find-parameter",
      placeholder: "Find a parameter",
      "aria-label": "Find a parameter",
      oninput: () => this.filter(),
    });
    this.search.hidden = parameters.length <= MANY;
    place.replaceChildren(
      make("div", { className: "tools" }, this.search, this.all),
      make("div", { className: "rows" }, ...[...this.rows.values()].map((row) => row.element)),
    );
    if (!parameters.length)
      place.replaceChildren(
        make("p", { className: "empty" }, "This mechanism declares no parameters."),
      );
    this.count();
  }

  /**
   * @param {string} name
   * @param {number} value
   */
  sent(name, value) {
    this.connection.say({ do: "set", parameter: name, value });
    this.count();
  }

  /**
   * Reset one parameter to its default, or all.
   * @param {string} [name]
   */
  back(name) {
    for (const [key, row] of this.rows) if (!name || key === name) row.changedAt = -Infinity;
    if (name) this.connection.say({ do: "reset_parameter", parameter: name });
    else this.connection.say({ do: "reset_parameters" });
  }

  /**
   * Values changed by this page or another.
   * @param {Record<string, number>} values
   */
  update(values) {
    for (const [name, value] of Object.entries(values)) this.rows.get(name)?.receive(value);
    this.count();
    setTimeout(() => this.count(), QUIET);
  }

  count() {
    const changed = [...this.rows.values()].filter((row) => row.changed).length;
    byId("changed").textContent = changed ? `${changed} changed` : "";
    this.all.disabled = !changed;
  }

  /**
   * Hide a parameter from the user of this page, or show it again.
   * @param {string} name
   * @param {boolean} hidden
   */
  hide(name, hidden) {
    if (hidden) this.secret.add(name);
    else this.secret.delete(name);
    this.filter();
  }

  /** Focus the search field. */
  find() {
    this.search.focus();
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { element, parameter } of this.rows.values()) {
      const text = `${parameter.name} ${parameter.doc}`.toLowerCase();
      element.hidden =
        this.secret.has(parameter.name) || !words.every((word) => text.includes(word));
    }
  }
}
