// The haptic device between hand and mechanism: which one, its settings, its energy, what it can display.

import { byId, make } from "./dom.js";
import { clamp, entry, figure, unitName } from "./numbers.js";

const MOUSE = "mouse";
const SHOWN = 10; // energy of the last seconds
const LABELS = { rate: "Servo", lines: "Encoder", low_pass: "Low-pass", damping: "Damping", stiffness: "Finger" };
const LIMITS = [
  ["passive", "never active (Colgate)"], ["stable", "stable, computed"], ["measured", "stable, measured"],
  ["controlled", "with controller, measured"], ["held", "held by this finger"],
];
const SLOW = 150; // between two settings that a slider sends [ms]

export class DevicePanel {
  constructor(connection, notices) {
    this.connection = connection;
    this.notices = notices;
    this.energy = [];
  }

  /** Another plant: hold it with the device that this person has chosen. */
  setPlant(chain) {
    const { wanted } = this;
    this.setChain(chain);
    if (wanted && wanted !== this.rig && chain?.rigs.some(({ name }) => name === wanted)) this.choose(wanted);
  }

  /** What there is to choose from, and what was chosen. */
  setChain(chain) {
    const { rigs = [], ranges = [], rig = MOUSE, settings = null } = chain ?? {};
    byId("device-panel").hidden = !rigs.length;
    if (rig !== this.rig) [this.energy, this.data] = [[], null];
    this.rig = rig;
    this.settings = settings;
    if (rig === MOUSE) {
      this.notices.alarm("device", null);
      this.wanted = null;
    }
    const chosen = make("select", { id: "rig", "aria-label": "Device", onchange: () => this.choose(chosen.value) },
      make("option", { value: MOUSE, selected: rig === MOUSE }, "Mouse directly"),
      ...rigs.map(({ name, title }) => make("option", { value: name, selected: name === rig, title }, title)));
    this.live = rig === MOUSE ? null : this.readings();
    byId("device").replaceChildren(chosen, ...(rig === MOUSE ? [
      make("p", { className: "quiet" }, "Choose a device, and the key is felt through its handle, sensor, servo and motor."),
    ] : [this.live.element, ...ranges.map((range) => this.row(range)), this.controller()]));
    byId("device-note").textContent = "";
  }

  choose(rig) {
    this.wanted = rig;
    this.connection.say("device", { rig });
  }

  set(name, value) {
    this.settings = { ...this.settings, [name]: value };
    clearTimeout(this.sending);
    this.sending = setTimeout(() => {
      const { title, mass, ...settings } = this.settings;
      this.connection.say("device", { rig: this.rig, settings });
      this.energy = [];
    }, SLOW);
  }

  /** A slider for a setting; wide ranges go in factors. */
  row({ name, low, high, unit, doc }) {
    const wide = low > 0 && high / low > 50;
    const [to, from] = wide ? [Math.log, Math.exp] : [(x) => x, (x) => x];
    const value = this.settings[name];
    const field = make("input", { type: "text", inputMode: "decimal", value: entry(value), "aria-label": `${LABELS[name]} ${doc}`,
      onchange: () => put(Number(field.value.replace(",", "."))) });
    const slider = make("input", { type: "range", min: to(low), max: to(high), step: "any", value: to(value),
      "aria-label": `${LABELS[name]} ${doc}`, oninput: () => put(Number(from(Number(slider.value)).toPrecision(3))) });
    const put = (wanted) => {
      if (!Number.isFinite(wanted)) return;
      const kept = clamp(wanted, low, high);
      field.value = entry(kept);
      slider.value = to(kept);
      this.set(name, kept);
    };
    return make("div", { className: "parameter", title: doc }, make("span", { className: "name" }, LABELS[name]),
      make("div", { className: "track" }, slider), field, make("span", { className: "unit" }, unitName(unit)));
  }

  controller() {
    const box = make("input", { type: "checkbox", id: "controlled", checked: this.settings.controlled,
      onchange: () => this.set("controlled", box.checked) });
    return make("label", { className: "option", title: "Takes off force what would make the display active (Hannaford and Ryu)" },
      make("span", {}, "Passivity controller"), box);
  }

  /** Places for what changes ten times a second. */
  readings() {
    const verdict = make("strong", {});
    const [energy, force, action, shows, late] = ["Energy taken", "Force", "Controller", "Mechanism shows", "Left out"].map((label) => line(label));
    const plot = svg("svg", { viewBox: "0 0 300 60", preserveAspectRatio: "none", class: "spark energy", "aria-label": "Energy over time" });
    const range = make("div", { className: "limits" });
    const element = make("div", { className: "readings free" }, verdict, force.element, energy.element, plot, action.element, shows.element, range, late.element);
    return { element, verdict, energy, force, action, shows, late, plot, range };
  }

  show(data) {
    const { live } = this;
    this.data = data;
    if (!live) return;
    this.notices.alarm("device", data.notice);
    const stands = data.limits ? judge(data) : null;
    live.verdict.textContent = data.notice ? "Unstable: the motor is at its limit" : data.passive ? "Calm" : "Calm, but active: it gave energy it never had";
    live.verdict.className = data.notice ? "bad" : data.passive ? "good" : "warn";
    byId("device-note").textContent = data.notice ? "unstable" : "";
    live.force.show(`${figure(data.force, 3)} N, most ${figure(data.most_force, 3)} of ${figure(data.limit, 3)} N`, data.notice);
    live.energy.show(`${figure(data.energy, 3)} J, least ${figure(data.least_energy, 3)} J`, !data.passive);
    live.action.show(data.controlled ? `${data.acting ? "acts" : "waits"}, took ${figure(data.dissipated, 3)} J` : "off");
    live.shows.show(`${figure(Math.abs(data.shown_stiffness) < 5 ? 0 : data.shown_stiffness, 3)} N/m, ${figure(Math.abs(data.shown_mass) < 1e-3 ? 0 : data.shown_mass, 3)} kg`, stands === false);
    live.late.show(`${Math.round(100 * data.left_out)} % of the periods`, data.left_out > 0.5);
    this.energy.push([data.t, data.energy]);
    if (this.energy.length > 1 && data.t < this.energy.at(-2)[0]) this.energy = [];
    while (this.energy.length && this.energy[0][0] < data.t - SHOWN) this.energy.shift();
    draw(live.plot, this.energy, data.t);
    const told = JSON.stringify([data.limits, data.shown_stiffness, data.shown_mass]);
    if (told !== this.told || !live.range.firstChild) live.range.replaceChildren(...limits(data));
    this.told = told;
  }
}

/** Does the loop stand what the mechanism shows, by computation? */
function judge({ limits: found, shown_stiffness: stiffness, shown_mass: mass }) {
  return stiffness <= (found.held ?? Infinity) && mass <= (found.mass ?? Infinity);
}

function line(label) {
  const value = make("output", {});
  const element = make("div", { className: "line" }, make("span", {}, label), value);
  return { element, show: (text, bad = false) => {
    value.textContent = text;
    value.className = bad ? "bad" : "";
  } };
}

/** The stiffness that stays stable: a scale in factors of ten, marks, and the numbers. */
function limits({ limits: found, shown_stiffness: shown, shown_mass: mass }) {
  if (!found) return [make("p", { className: "quiet" }, "Measuring what this device can display …")];
  const known = LIMITS.map(([name, label]) => ({ name, label, value: found[name] }));
  const values = known.map(({ value }) => value).filter((x) => x > 0);
  if (shown > 5) values.push(shown);
  const [least, most] = [Math.floor(Math.log10(Math.min(...values)) - 0.2), Math.ceil(Math.log10(Math.max(...values)) + 0.2)];
  const at = (x) => `${(100 * (Math.log10(Math.max(x, 10 ** least)) - least)) / (most - least)}%`;
  const safe = make("i", { className: "safe" });
  safe.style.left = "0";
  safe.style.width = at(found.held ?? 10 ** most);
  const mark = (x, name) => {
    const element = make("i", { className: name });
    element.style.left = at(x);
    return element;
  };
  const now = shown > 5 ? [mark(shown, shown > (found.held ?? Infinity) ? "now bad" : "now")] : [];
  const decades = Array.from({ length: most - least + 1 }, (_, k) => {
    const tick = make("span", {}, power(least + k));
    tick.style.left = `${(100 * k) / (most - least)}%`;
    return tick;
  });
  const massText = `${figure(found.mass ?? Infinity, 3)} kg`;
  return [
    make("div", { className: "line" }, make("span", {}, "Largest stiffness"), make("output", {}, "N/m")),
    make("div", { className: "band" }, safe, ...known.filter(({ value }) => value > 0).map(({ name, value }) => mark(value, name)), ...now),
    make("div", { className: "decades", "aria-hidden": true }, ...decades),
    ...known.map(({ name, label, value }) => make("div", { className: `line limit ${name}` }, make("span", {}, make("i", {}), label),
      make("output", {}, value === null ? "no limit" : figure(value, 3)))),
    make("div", { className: "line limit" }, make("span", {}, make("i", {}), "largest mass, held"),
      make("output", { className: mass > (found.mass ?? Infinity) ? "bad" : "" }, massText)),
  ];
}

const power = (k) => (k >= 3 && k < 9 ? `${10 ** (k % 3)}${k < 6 ? "k" : "M"}` : k >= 0 && k < 3 ? String(10 ** k) : `1e${k}`);

/** Energy over time, with the line below which a display is active. */
function draw(plot, points, now) {
  const values = points.map(([, e]) => e);
  const [least, most] = [Math.min(0, ...values), Math.max(0.01, ...values)];
  const y = (e) => 57 - (54 * (e - least)) / (most - least);
  const x = (t) => 300 - (300 * (now - t)) / SHOWN;
  plot.replaceChildren(svg("path", { class: "zero", d: `M0 ${y(0)}H300` }),
    svg("path", { class: values.at(-1) < 0 ? "path bad" : "path", d: points.map(([t, e], i) => `${i ? "L" : "M"}${x(t).toFixed(1)} ${y(e).toFixed(1)}`).join("") }));
}

function svg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
