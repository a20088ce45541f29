// Live plots: which signals, one chart per unit, over time or frequency, following or held.

import { Chart } from "./chart.js";
import { deviationOf, ESTIMATE } from "./deviations.js";
import { byId, dress, inside, make, press } from "./dom.js";
import { Samples } from "./samples.js";
import { SpectrumChart } from "./spectrumchart.js";

/** @typedef {import("./messages.js").Signal} Signal */
/** @typedef {import("./theme.js").Palette} Palette */

const WINDOWS = [0.5, 1, 2, 5, 10, 20];
const FUTURE = 0.25; // fraction of the time shown that lies after the cursor
const PERIOD = { quick: 50, slow: 100 }; // between drawings [ms], with a graphics card and without
// between spectra [ms], and the largest fraction of time that they may take
const SPECTRA = { period: 200, share: 0.2 };

export class Plots {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {Palette} palette
   * @param {boolean} slow
   */
  constructor(connection, palette, slow) {
    this.connection = connection;
    this.palette = palette;
    this.samples = new Samples();
    /** @type {{ generation: number | null, names: string[] }} */
    this.subscription = { generation: null, names: [] }; // as confirmed by the server
    /** @type {Signal[]} */
    this.signals = [];
    /** @type {string[]} */
    this.chosen = [];
    /** @type {Array<Chart | SpectrumChart>} */
    this.charts = [];
    this.window = 5;
    /** @type {[number, number] | null} */
    this.held = null; // [from, to] while the plots do not follow
    this.spectral = false;
    /** @type {[number, number] | null} */
    this.band = null; // [from, to] in Hz; null: all frequencies
    this.due = 0; // when the next spectra may be computed [ms]
    this.drawn = 0;
    this.least = 0; // between two drawings, where the CPU draws pictures [ms]
    this.last = 0; // when they were drawn [ms]
    /** @type {number | null} */
    this.cursor = null; // simulated time shown; null: the newest
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
    byId("spectrum").onclick = () => {
      this.spectral = !this.spectral;
      press(byId("spectrum"), this.spectral);
      this.rebuild();
    };
    const button = byId("choose-signals");
    const picker = byId("signals");
    /** @param {boolean} on */
    const show = (on) => {
      picker.hidden = !on;
      button.setAttribute("aria-expanded", String(on));
      if (on) inside(picker, "input").focus();
    };
    button.onclick = () => show(Boolean(picker.hidden));
    picker.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      show(false);
      button.focus();
    });
    document.addEventListener("pointerdown", (event) => {
      const at = /** @type {Node} */ (event.target);
      if (!picker.hidden && !picker.contains(at) && !button.contains(at)) show(false);
    });
    inside(picker, "input").oninput = () => this.list();
  }

  /**
   * A new plant, or a new connection to the same.
   * @param {string} name
   * @param {Signal[]} signals
   * @param {string[] | null} wished
   */
  setPlant(name, signals, wished) {
    const same = this.plant === name;
    this.plant = name;
    this.signals = signals;
    /** @param {string[]} names */
    const known = (names) => names.filter((n) => signals.some((s) => s.name === n));
    const kept = JSON.parse(localStorage.getItem(`inloop.signals.${name}`) ?? "null");
    this.subscription.generation = null;
    if (!same) {
      this.samples = new Samples();
      this.held = null;
      this.band = null;
    }
    // the first two, with their estimates by an observer in the loop
    const first = signals.slice(0, 2).flatMap((s) => [s.name, ESTIMATE + s.name]);
    this.choose(known(kept ?? wished ?? first));
  }

  /** @param {string[]} names */
  choose(names) {
    this.chosen = names;
    localStorage.setItem(`inloop.signals.${this.plant}`, JSON.stringify(names));
    // with standard deviations of estimates
    const deviations = names.flatMap((name) => deviationOf(name, this.signals) ?? []);
    const needed = [...new Set([...names, ...deviations])];
    this.samples.choose(needed);
    this.connection.say({ do: "subscribe", signals: needed });
    this.list();
    this.rebuild();
  }

  /** @param {string} name */
  toggle(name) {
    this.choose(
      this.chosen.includes(name) ? this.chosen.filter((n) => n !== name) : [...this.chosen, name],
    );
  }

  /**
   * The server announces the columns of the following frames.
   * @param {import("./messages.js").Subscribed} message
   */
  subscribed({ generation, signals, fresh }) {
    this.subscription = { generation, names: signals };
    if (fresh) this.samples.clear();
  }

  /**
   * Simulated time to show in place of the newest, with values as they were then; null: the newest.
   * @param {number | null} t
   */
  pointAt(t) {
    if (t === this.cursor) return;
    this.cursor = t;
    this.stale = true;
  }

  /** The range plotted: the one held, or around the cursor, or the newest. */
  get range() {
    const { samples, held, cursor, window: span } = this;
    if (held) return held;
    if (cursor === null) return [samples.end - span, samples.end];
    return [cursor - (1 - FUTURE) * span, cursor + FUTURE * span];
  }

  /** @param {import("./frames.js").SampleFrame} frame */
  add(frame) {
    const { generation, names } = this.subscription;
    if (frame.generation === generation) this.samples.append(frame, names);
  }

  list() {
    const wanted = inside(byId("signals"), "input").value.toLowerCase();
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
    const list = inside(byId("signals"), "ul");
    const boxes = /** @type {Element[]} */ ([...list.querySelectorAll("input")]);
    const focused = document.activeElement ? boxes.indexOf(document.activeElement) : -1;
    list.replaceChildren(
      ...(rows.length ? rows : [make("li", { className: "quiet" }, "no signal has this name")]),
    );
    if (focused >= 0) list.querySelectorAll("input")[focused]?.focus();
  }

  /** @param {Palette} palette */
  setPalette(palette) {
    this.palette = palette;
    this.rebuild();
  }

  rebuild() {
    for (const chart of this.charts) chart.destroy();
    const units = new Map();
    this.chosen.forEach((name, index) => {
      const unit = this.signals.find((s) => s.name === name)?.unit ?? "";
      const colour = this.palette.series[index % this.palette.series.length];
      const dashed = name.startsWith(ESTIMATE); // the true value stays visible behind it
      const deviation = deviationOf(name, this.signals);
      units.set(unit, [...(units.get(unit) ?? []), { name, colour, dashed, deviation }]);
    });
    /** @param {string} name */
    const drop = (name) => this.toggle(name);
    /** @type {import("./chart.js").Listener} */
    const on = this.spectral
      ? { zoom: (...band) => this.chooseBand(band), live: () => this.chooseBand(null), drop }
      : { zoom: (...range) => this.hold(range), live: () => this.follow(), drop };
    const Kind = this.spectral ? SpectrumChart : Chart;
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

  /** @param {[number, number] | null} band */
  chooseBand(band) {
    this.band = band;
    this.stale = true;
  }

  follow() {
    this.held = null;
    this.showHeld();
  }

  /** @param {[number, number]} [range] */
  hold(range = /** @type {[number, number]} */ (this.range)) {
    this.held = range;
    this.showHeld();
  }

  showHeld() {
    const live = this.held === null;
    press(byId("live"), live);
    dress(byId("live"), live ? "live" : "go", live ? "Live" : "Held");
    this.stale = true;
  }

  draw() {
    const { samples, cursor } = this;
    if (document.hidden || (samples.received === this.drawn && !this.stale)) return;
    if (this.charts.some((chart) => chart.marking)) return;
    const begin = performance.now();
    if (this.spectral && begin < this.due && !this.stale) return;
    if (begin - this.last < this.least && !this.stale) return;
    this.last = begin;
    this.drawn = samples.received;
    this.stale = false;
    const [from, to] = this.range;
    const lost = samples.lost ? `${samples.lost} samples lost` : "";
    if (this.spectral) {
      const notes = this.charts.map((chart) =>
        chart instanceof SpectrumChart ? chart.showSpectra(samples, from, to, this.band) : "",
      );
      byId("plot-note").textContent = notes.find(Boolean) ?? lost;
      const now = performance.now();
      this.due = now + Math.max(SPECTRA.period, (now - begin) / SPECTRA.share);
      return;
    }
    for (const chart of this.charts) {
      chart.show(
        samples.stretch(chart.columns, from, to, chart.pixels),
        from,
        to,
        chart.signals.map(({ name }) => samples.latest(name, cursor ?? undefined)),
        cursor,
      );
    }
    byId("plot-note").textContent = lost;
  }
}
