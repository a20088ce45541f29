// The haptic device between hand and mechanism: the choice, its settings, its energy, its limits.

import { limits, stands } from "./devicelimits.js";
import { byId, make, makeSvg } from "./dom.js";
import { NumberField } from "./numberfield.js";
import { clamp, figure, unitName } from "./numbers.js";

/** @typedef {import("./messages.js").Chain} Chain */
/** @typedef {import("./messages.js").Settings} Settings */
/** @typedef {import("./messages.js").DeviceReadings} DeviceReadings */

const MOUSE = "mouse";
const SHOWN = 10; // the energy plot covers so many seconds
const LABELS = {
  rate: "Servo",
  lines: "Encoder",
  low_pass: "Low-pass",
  damping: "Damping",
  stiffness: "Finger",
};
const SLOW = 150; // between two messages of a slider [ms]

export class DevicePanel {
  /** @type {ReturnType<DevicePanel["readings"]> | null} */
  live = null;

  /** @type {number | undefined} */
  sending;

  /** @type {string} */
  shownLimits = "";

  /** @type {string | null} */
  wanted = null;

  /** @type {Settings | null} */
  settings = null;

  /** @type {string} */
  rig = MOUSE;

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./notices.js").Notices} notices
   */
  constructor(connection, notices) {
    this.connection = connection;
    this.notices = notices;
    /** @type {Array<[number, number]>} */
    this.energy = [];
  }

  /**
   * A new plant: use the device that the user has chosen.
   * @param {Chain | null} chain
   */
  setPlant(chain) {
    const { wanted } = this;
    this.setChain(chain);
    if (wanted && wanted !== this.rig && chain?.rigs.some(({ name }) => name === wanted))
      this.choose(wanted);
  }

  /**
   * Show the available devices and the chosen one.
   * @param {Chain | null} chain
   */
  setChain(chain) {
    const { rigs = [], ranges = [], rig = MOUSE, settings = null } = chain ?? {};
    byId("device-panel").hidden = !rigs.length;
    if (rig !== this.rig) this.energy = [];
    this.rig = rig;
    this.settings = settings;
    if (rig === MOUSE) {
      this.notices.alarm("device", null);
      this.wanted = null;
    }
    const chosen = make(
      "select",
      { id: "rig", "aria-label": "Device", onchange: () => this.choose(chosen.value) },
      make("option", { value: MOUSE, selected: rig === MOUSE }, "Mouse directly"),
      ...rigs.map(({ name, title }) =>
        make("option", { value: name, selected: name === rig, title }, title),
      ),
    );
    const live = rig === MOUSE ? null : this.readings();
    this.live = live;
    byId("device").replaceChildren(
      chosen,
      ...(live === null
        ? [
            make(
              "p",
              { className: "quiet" },
              "Choose a device to feel the key through its handle, sensor, servo and motor.",
            ),
          ]
        : [
            live.element,
            make("div", { className: "rows" }, ...ranges.map((range) => this.row(range))),
            this.controller(),
          ]),
    );
    byId("device-note").textContent = "";
  }

  /** @param {string} rig */
  choose(rig) {
    this.wanted = rig;
    this.connection.say({ do: "device", rig });
  }

  /**
   * @param {keyof Settings} name
   * @param {number | boolean} value
   */
  set(name, value) {
    if (!this.settings) return;
    this.settings = { ...this.settings, [name]: value };
    clearTimeout(this.sending);
    this.sending = setTimeout(() => {
      this.connection.say({ do: "device", rig: this.rig, settings: { ...this.settings } });
      this.energy = [];
    }, SLOW);
  }

  /**
   * A slider for a setting; wide ranges are logarithmic.
   * @param {import("./messages.js").SettingRange} range
   */
  row({ name, low, high, unit, doc }) {
    const wide = low > 0 && high / low > 50;
    const same = (/** @type {number} */ x) => x;
    const [to, from] = wide ? [Math.log, Math.exp] : [same, same];
    const value = this.settings?.[name] ?? low;
    const words = `${LABELS[name]} ${doc}`;
    const field = new NumberField(
      { name: words, unit: unitName(unit), size: value, low, high },
      (typed) => put(typed),
    );
    const slider = make("input", {
      type: "range",
      min: to(low),
      max: to(high),
      step: "any",
      value: to(value),
      "aria-label": words,
      oninput: () => put(Number(from(Number(slider.value)).toPrecision(3))),
    });
    /** @param {number} wanted */
    const put = (wanted) => {
      if (!Number.isFinite(wanted)) return;
      const kept = clamp(wanted, low, high);
      field.show(kept, true);
      slider.value = String(to(kept));
      this.set(name, kept);
    };
    field.show(value);
    return make(
      "div",
      { className: "parameter", title: doc },
      make("span", { className: "name" }, LABELS[name]),
      make("div", { className: "track" }, slider),
      field.element,
      field.unit,
    );
  }

  controller() {
    const box = make("input", {
      type: "checkbox",
      id: "controlled",
      checked: this.settings?.controlled,
      onchange: () => this.set("controlled", box.checked),
    });
    return make(
      "label",
      {
        className: "option",
        title: "Reduces the force where the display would become active (Hannaford and Ryu)",
      },
      make("span", {}, "Passivity controller"),
      box,
    );
  }

  /**
   * Show the energy [J] of the last seconds.
   * @param {number} t
   * @param {number} energy
   * @param {SVGElement} plot
   */
  follow(t, energy, plot) {
    if (this.energy.length && t < this.energy[this.energy.length - 1][0]) this.energy = [];
    this.energy.push([t, energy]);
    while (this.energy[0][0] < t - SHOWN) this.energy.shift();
    draw(plot, this.energy, t);
  }

  /** Elements of the readings that change ten times a second. */
  readings() {
    const verdict = make("strong", {});
    const [energy, force, action, shows, late] = [
      "Energy taken",
      "Force",
      "Controller",
      "Mechanism shows",
      "Left out",
    ].map((label) => line(label));
    const plot = makeSvg("svg", {
      viewBox: "0 0 300 60",
      preserveAspectRatio: "none",
      class: "spark energy",
      "aria-label": "Energy over time",
    });
    const range = make("div", { className: "limits" });
    const element = make(
      "div",
      { className: "readings free" },
      verdict,
      force.element,
      energy.element,
      plot,
      action.element,
      shows.element,
      range,
      late.element,
    );
    return { element, verdict, energy, force, action, shows, late, plot, range };
  }

  /** @param {DeviceReadings} data */
  show(data) {
    const { live } = this;
    if (!live) return;
    this.notices.alarm("device", data.notice);
    const stable = data.limits ? stands(data.limits, data) : null;
    live.verdict.textContent = data.notice
      ? "Unstable: the motor is at its limit"
      : data.passive
        ? "Calm"
        : "Calm, but active: it released more energy than it received";
    live.verdict.className = data.notice ? "bad" : data.passive ? "good" : "warn";
    byId("device-note").textContent = data.notice ? "unstable" : "";
    live.force.show(
      `${figure(data.force, 3)} N, most ${figure(data.most_force, 3)} of ${figure(data.limit, 3)} N`,
      data.notice !== null,
    );
    live.energy.show(
      `${figure(data.energy, 3)} J, least ${figure(data.least_energy, 3)} J`,
      !data.passive,
    );
    live.action.show(
      data.controlled
        ? `${data.acting ? "acts" : "waits"}, took ${figure(data.dissipated, 3)} J`
        : "off",
    );
    live.shows.show(
      `${figure(Math.abs(data.shown_stiffness) < 5 ? 0 : data.shown_stiffness, 3)} N/m, ${figure(Math.abs(data.shown_mass) < 1e-3 ? 0 : data.shown_mass, 3)} kg`,
      stable === false,
    );
    live.late.show(`${Math.round(100 * data.left_out)} % of the periods`, data.left_out > 0.5);
    if (data.t !== null && data.energy !== null) this.follow(data.t, data.energy, live.plot);
    const shownLimits = JSON.stringify([data.limits, data.shown_stiffness, data.shown_mass]);
    if (shownLimits !== this.shownLimits || !live.range.firstChild)
      live.range.replaceChildren(...limits(data));
    this.shownLimits = shownLimits;
  }
}

/** @param {string} label */
function line(label) {
  const value = make("output", {});
  const element = make("div", { className: "line" }, make("span", {}, label), value);
  return {
    element,
    show: (/** @type {string} */ text, bad = false) => {
      value.textContent = text;
      value.className = bad ? "bad" : "";
    },
  };
}

/**
 * Energy over time, with the line below which a display is active.
 * @param {SVGElement} plot
 * @param {Array<[number, number]>} points
 * @param {number} now
 */
function draw(plot, points, now) {
  const values = points.map(([, e]) => e);
  const [least, most] = [Math.min(0, ...values), Math.max(0.01, ...values)];
  /** @param {number} e */
  const y = (e) => 57 - (54 * (e - least)) / (most - least);
  /** @param {number} t */
  const x = (t) => 300 - (300 * (now - t)) / SHOWN;
  plot.replaceChildren(
    makeSvg("path", { class: "zero", d: `M0 ${y(0)}H300` }),
    makeSvg("path", {
      class: values[values.length - 1] < 0 ? "path bad" : "path",
      d: points
        .map(([t, e], i) => `${i ? "L" : "M"}${x(t).toFixed(1)} ${y(e).toFixed(1)}`)
        .join(""),
    }),
  );
}
