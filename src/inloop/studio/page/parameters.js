// Sliders for parameters: units, numeric entry, reset of one and of all, search when there are many.

import { byId, icon, make } from "./dom.js";
import { clamp, entry, figure } from "./numbers.js";

const MANY = 8;
const STEPS = 1000;
const PERIOD = 40; // between two values sent while a slider moves [ms]
const QUIET = 700; // after a change of one's own, what the server tells may be older [ms]

/** Position of a slider for a value: logarithmic when the range spans two decades. */
function scaleOf({ low, high }) {
  if (low > 0 && high / low >= 100) {
    return {
      place: (value) => (STEPS * Math.log(value / low)) / Math.log(high / low),
      value: (place) => low * (high / low) ** (place / STEPS),
    };
  }
  return {
    place: (value) => (STEPS * (value - low)) / (high - low),
    value: (place) => low + ((high - low) * place) / STEPS,
  };
}

class Row {
  constructor(parameter, send, back) {
    this.parameter = parameter;
    this.changedAt = -Infinity;
    this.send = (value) => {
      this.changedAt = performance.now();
      send(value);
    };
    this.ranged =
      Number.isFinite(parameter.low) &&
      Number.isFinite(parameter.high) &&
      parameter.high > parameter.low;
    const { name, unit, doc } = parameter;
    this.field = make("input", {
      type: "text",
      inputMode: "decimal",
      autocomplete: "off",
      spellcheck: false,
      "aria-label": `${name}${unit ? ` in ${unit}` : ""}`,
      onchange: () => this.typed(),
      onkeydown: (e) => this.key(e),
    });
    this.reset = make(
      "button",
      {
        className: "icon tiny reset",
        "aria-label": `Reset ${name}`,
        title: `Back to ${figure(parameter.default, 6)} ${unit}`,
        onclick: back,
      },
      icon("back"),
    );
    this.element = make(
      "div",
      { className: "parameter", title: [name, doc].filter(Boolean).join(": ") },
      make("span", { className: "name" }, name.replaceAll("_", " ")),
      this.field,
      make("span", { className: "unit" }, unit === "1" ? "" : unit),
      this.reset,
    );
    if (this.ranged) this.addSlider(name);
    this.show(parameter.value);
  }

  addSlider(name) {
    this.scale = scaleOf(this.parameter);
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      "aria-label": name,
      oninput: () => this.slid(),
    });
    const mark = make("i", { className: "mark" });
    mark.style.left = `${clamp(this.scale.place(this.parameter.default) / STEPS, 0, 1) * 100}%`;
    this.element.append(make("div", { className: "track" }, mark, this.slider));
  }

  slid() {
    const value = Number(this.scale.value(Number(this.slider.value)).toPrecision(4));
    this.show(value, true);
    this.later(value);
  }

  /** Send now or at the end of the period, the newest value only. */
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

  typed() {
    const { low, high } = this.parameter;
    const value = Number(this.field.value.replace(",", ".").replace("−", "-"));
    if (this.field.value.trim() === "" || !Number.isFinite(value)) return this.show(this.value);
    const kept = clamp(value, low, high);
    if (kept !== value) {
      this.field.classList.add("clamped");
      setTimeout(() => this.field.classList.remove("clamped"), 900);
    }
    this.show(kept);
    this.send(kept);
  }

  key(event) {
    if (event.key === "Enter") this.typed();
    if (event.key === "Escape") {
      this.show(this.value);
      this.field.blur();
    }
  }

  /** A value that the server tells: shown when it cannot be an echo of what was sent before. */
  told(value) {
    clearTimeout(this.telling);
    const wait = this.changedAt + QUIET - performance.now();
    if (wait <= 0) this.show(value);
    else this.telling = setTimeout(() => this.told(value), wait);
  }

  show(value, own = false) {
    this.value = value;
    if (document.activeElement !== this.field || own || this.field.value === "")
      this.field.value = entry(value);
    if (this.slider && !own) this.slider.value = clamp(this.scale.place(value), 0, STEPS);
    if (this.slider) {
      this.slider.style.setProperty(
        "--fill",
        `${clamp(this.scale.place(value) / STEPS, 0, 1) * 100}%`,
      );
      this.slider.setAttribute("aria-valuetext", `${figure(value)} ${this.parameter.unit ?? ""}`);
    }
    this.changed =
      Math.abs(value - this.parameter.default) > 1e-9 * Math.abs(this.parameter.default);
    this.element.classList.toggle("changed", this.changed);
    this.reset.disabled = !this.changed;
  }
}

export class Parameters {
  constructor(connection) {
    this.connection = connection;
    this.rows = new Map();
  }

  setPlant(parameters) {
    const place = byId("parameters");
    this.rows.clear();
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
      ...[...this.rows.values()].map((row) => row.element),
    );
    if (!parameters.length)
      place.replaceChildren(
        make("p", { className: "empty" }, "This mechanism declares no parameters."),
      );
    this.count();
  }

  sent(name, value) {
    this.connection.say("set", { parameter: name, value });
    this.count();
  }

  /** One parameter to its default, or all. */
  back(name) {
    for (const row of name ? [this.rows.get(name)] : this.rows.values()) row.changedAt = -Infinity;
    if (name) this.connection.say("reset_parameter", { parameter: name });
    else this.connection.say("reset_parameters");
  }

  /** Values that anybody changed. */
  update(values) {
    for (const [name, value] of Object.entries(values)) this.rows.get(name)?.told(value);
    this.count();
    setTimeout(() => this.count(), QUIET);
  }

  count() {
    const changed = [...this.rows.values()].filter((row) => row.changed).length;
    byId("changed").textContent = changed ? `${changed} changed` : "";
    if (this.all) this.all.disabled = !changed;
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { element, parameter } of this.rows.values()) {
      const text = `${parameter.name} ${parameter.doc ?? ""}`.toLowerCase();
      element.hidden = !words.every((word) => text.includes(word));
    }
  }
}
