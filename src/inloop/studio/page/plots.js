// Live plots: which signals, one chart per unit, over time or frequency, following or held.

import { Chart } from "./chart.js";
import { byId, dress, make } from "./dom.js";
import { Samples } from "./samples.js";
import { SpectrumChart } from "./spectrumchart.js";

const WINDOWS = [0.5, 1, 2, 5, 10, 20];
const PERIOD = { quick: 50, slow: 100 }; // between drawings [ms], with a graphics card and without
// between spectra [ms], and the largest part of the time that they may take
const SPECTRA = { period: 200, share: 0.2 };

export class Plots {
  constructor(connection, palette, slow) {
    this.connection = connection;
    this.palette = palette;
    this.samples = new Samples();
    this.subscription = { generation: null, names: [] }; // as the server has confirmed it
    this.signals = [];
    this.chosen = [];
    this.charts = [];
    this.window = 5;
    this.held = null; // [from, to] while the plots do not follow
    this.spectral = false;
    this.band = null; // [from, to] in Hz; null: all frequencies
    this.due = 0; // when the next spectra may be computed [ms]
    this.drawn = 0;
    this.controls();
    setInterval(() => this.draw(), slow ? PERIOD.slow : PERIOD.quick);
  }

  controls() {
    const span = byId("window");
    span.append(
      ...WINDOWS.map((s) => make("option", { value: s, selected: s === this.window }, `${s} s`)),
    );
    span.onchange = () => {
      this.window = Number(span.value);
      this.follow();
    };
    byId("live").onclick = () => (this.held ? this.follow() : this.hold());
    byId("spectrum").onclick = ({ currentTarget }) => {
      this.spectral = !this.spectral;
      currentTarget.setAttribute("aria-pressed", this.spectral);
      this.rebuild();
    };
    const button = byId("choose-signals");
    const picker = byId("signals");
    const show = (on) => {
      picker.hidden = !on;
      button.setAttribute("aria-expanded", on);
      if (on) picker.querySelector("input").focus();
    };
    button.onclick = () => show(picker.hidden);
    picker.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      show(false);
      button.focus();
    });
    document.addEventListener("pointerdown", (event) => {
      if (!picker.hidden && !picker.contains(event.target) && !button.contains(event.target))
        show(false);
    });
    picker.querySelector("input").oninput = () => this.list();
  }

  /** Another plant, or a new connection to the same. */
  setPlant(name, signals, wished) {
    const same = this.plant === name;
    this.plant = name;
    this.signals = signals;
    const known = (names) => names.filter((n) => signals.some((s) => s.name === n));
    const kept = JSON.parse(localStorage.getItem(`inloop.signals.${name}`) ?? "null");
    this.subscription.generation = null;
    if (!same) {
      this.samples = new Samples();
      this.held = null;
      this.band = null;
    }
    this.choose(kept ? known(kept) : known(wished ?? signals.slice(0, 2).map((s) => s.name)));
  }

  choose(names) {
    this.chosen = names;
    localStorage.setItem(`inloop.signals.${this.plant}`, JSON.stringify(names));
    this.samples.choose(names);
    this.connection.say("subscribe", { signals: names });
    this.list();
    this.rebuild();
  }

  toggle(name) {
    this.choose(
      this.chosen.includes(name) ? this.chosen.filter((n) => n !== name) : [...this.chosen, name],
    );
  }

  /** The server tells which columns come from now on. */
  subscribed({ generation, signals }) {
    this.subscription = { generation, names: signals };
  }

  add(frame) {
    const { generation, names } = this.subscription;
    if (frame.generation === generation) this.samples.append(frame, names);
  }

  list() {
    const wanted = byId("signals").querySelector("input").value.toLowerCase();
    const rows = this.signals
      .filter((s) => s.name.toLowerCase().includes(wanted))
      .map((signal) =>
        make(
          "li",
          {},
          make(
            "label",
            {},
            make("input", {
              type: "checkbox",
              checked: this.chosen.includes(signal.name),
              onchange: () => this.toggle(signal.name),
            }),
            make("span", { className: "name" }, signal.name),
            make("span", { className: "unit" }, signal.unit),
          ),
        ),
      );
    const list = byId("signals").querySelector("ul");
    const focused = [...list.querySelectorAll("input")].indexOf(document.activeElement);
    list.replaceChildren(
      ...(rows.length ? rows : [make("li", { className: "quiet" }, "no signal has this name")]),
    );
    if (focused >= 0) list.querySelectorAll("input")[focused]?.focus();
  }

  setPalette(palette) {
    this.palette = palette;
    this.rebuild();
  }

  rebuild() {
    this.charts.forEach((chart) => chart.destroy());
    const units = new Map();
    this.chosen.forEach((name, index) => {
      const unit = this.signals.find((s) => s.name === name)?.unit ?? "";
      const colour = this.palette.series[index % this.palette.series.length];
      units.set(unit, [...(units.get(unit) ?? []), { name, colour }]);
    });
    const drop = (name) => this.toggle(name);
    const [Kind, on] = this.spectral
      ? [
          SpectrumChart,
          {
            zoom: (from, to) => this.chooseBand([from, to]),
            live: () => this.chooseBand(null),
            drop,
          },
        ]
      : [Chart, { zoom: (from, to) => this.hold([from, to]), live: () => this.follow(), drop }];
    this.charts = [...units].map(
      ([unit, signals], i) => new Kind(unit, signals, this.palette, i === units.size - 1, on),
    );
    const empty = make(
      "p",
      { className: "empty" },
      "No signal chosen. Press “Choose” to plot one.",
    );
    this.stale = true;
    byId("charts").replaceChildren(
      ...(this.charts.length ? this.charts.map((c) => c.element) : [empty]),
    );
  }

  chooseBand(band) {
    this.band = band;
    this.stale = true;
  }

  follow() {
    this.held = null;
    this.showHeld();
  }

  hold(range = [this.samples.end - this.window, this.samples.end]) {
    this.held = range;
    this.showHeld();
  }

  showHeld() {
    const live = this.held === null;
    byId("live").setAttribute("aria-pressed", live);
    dress(byId("live"), live ? "live" : "go", live ? "Live" : "Held");
    this.stale = true;
  }

  draw() {
    const { samples, held } = this;
    if (document.hidden || (samples.received === this.drawn && !this.stale)) return;
    if (this.charts.some((chart) => chart.marking)) return;
    const begin = performance.now();
    if (this.spectral && begin < this.due && !this.stale) return;
    this.drawn = samples.received;
    this.stale = false;
    const [from, to] = held ?? [samples.end - this.window, samples.end];
    const lost = samples.lost ? `${samples.lost} samples lost` : "";
    if (this.spectral) {
      const notes = this.charts.map((chart) => chart.showSpectra(samples, from, to, this.band));
      byId("plot-note").textContent = notes.find(Boolean) ?? lost;
      const now = performance.now();
      this.due = now + Math.max(SPECTRA.period, (now - begin) / SPECTRA.share);
      return;
    }
    for (const chart of this.charts) {
      const names = chart.signals.map((s) => s.name);
      chart.show(
        samples.stretch(names, from, to, chart.pixels),
        from,
        to,
        names.map((n) => samples.latest(n)),
      );
    }
    byId("plot-note").textContent = lost;
  }
}
