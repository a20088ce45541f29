// Timing of the real-time loop: histograms of its times.

import { byId, make, makeSvg } from "./dom.js";
import { figure, withPrefix } from "./numbers.js";

/** @typedef {import("./messages.js").Histograms} Histograms */
/** @typedef {import("./messages.js").Times} Times */
/** @typedef {keyof typeof KINDS} Kind */

const KINDS = {
  step_time: "Step",
  reaction: "Reaction",
  wake_up: "Wake-up",
  input_age: "Input age",
};
const TITLES = {
  step_time: "From the beginning to the end of a step",
  reaction: "From inputs to outputs",
  wake_up: "How late the loop wakes up",
  input_age: "Age of the inputs when a step uses them",
};
/** @type {Array<[keyof Omit<Times, "edges_us" | "counts">, string]>} */
const FIGURES = [
  ["p50", "median"],
  ["p99", "99 %"],
  ["p999", "99.9 %"],
  ["max", "worst"],
];
const KIND_NAMES = /** @type {Kind[]} */ (Object.keys(KINDS));
/** @type {Kind[]} */
const WITHIN_PERIOD = ["step_time", "reaction"]; // times that must be shorter than the period
const [WIDTH, HEIGHT] = [300, 76];

export class Deadlines {
  constructor() {
    /** @type {Kind} */
    this.kind = "step_time";
    /** @type {Histograms | null} */
    this.last = null;
    /** @type {number | null} */
    this.period = null;
    this.tabs = make(
      "div",
      { className: "tabs", role: "tablist", "aria-label": "Which time" },
      ...KIND_NAMES.map((kind) =>
        make(
          "button",
          {
            role: "tab",
            id: `tab-${kind}`,
            "aria-selected": kind === this.kind,
            title: TITLES[kind],
            onclick: () => this.choose(kind),
          },
          KINDS[kind],
        ),
      ),
    );
    this.svg = makeSvg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT + 16}`,
      class: "histogram",
      role: "img",
    });
    this.figures = make("dl", { className: "figures" });
    this.counters = make("p", { className: "quiet counters" });
    byId("deadlines").append(this.tabs, this.svg, this.figures, this.counters);
  }

  /** @param {Kind} kind */
  choose(kind) {
    this.kind = kind;
    for (const tab of this.tabs.children)
      tab.setAttribute("aria-selected", String(tab.id === `tab-${kind}`));
    this.show(this.last);
  }

  /** @param {import("./messages.js").Plant} plant */
  setPlant({ rate_hz: rate }) {
    this.period = rate ? 1e6 / rate : null;
    this.last = null;
    this.svg.replaceChildren();
    this.figures.replaceChildren();
  }

  /**
   * Show overruns and other counters of the state.
   * @param {import("./messages.js").State} state
   * @param {number | undefined} roundTrip
   */
  count({ overruns, stale, lost, pace_hz: pace }, roundTrip) {
    byId("deadline-note").textContent = overruns
      ? `${overruns} overrun${overruns > 1 ? "s" : ""}`
      : "all met";
    byId("deadline-note").classList.toggle("warn", overruns > 0);
    this.counters.textContent = [
      this.period ? `period ${figure(this.period, 4)} µs` : null,
      pace === undefined ? null : `${Math.round(pace)} steps/s`,
      `${overruns} overruns`,
      `${stale} stale inputs`,
      `${lost} records lost`,
      roundTrip === undefined ? null : `page and back ${figure(roundTrip, 2)} ms`,
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** @param {Histograms | null} message */
  show(message) {
    this.last = message;
    const data = message?.[this.kind];
    if (!data || document.hidden) return;
    this.draw(data);
    this.figures.replaceChildren(
      ...FIGURES.map(([key, name]) =>
        make(
          "div",
          {},
          make("dt", {}, name),
          make("dd", {}, figure(data[key], 3), make("small", {}, " µs")),
        ),
      ),
    );
  }

  /**
   * Bars over a logarithmic axis; heights are logarithmic too, so that a single late step is visible.
   * @param {Times} times
   */
  draw({ edges_us: edges, counts, p50, max }) {
    const filled = counts.flatMap((count, i) => (count > 0 ? [i] : []));
    if (!filled.length) {
      this.svg.replaceChildren();
      return;
    }
    const limit = WITHIN_PERIOD.includes(this.kind) ? this.period : null;
    const low = Math.max(edges[filled[0]], 0.1) / 1.5;
    const high = Math.max(edges[(filled.at(-1) ?? 0) + 1], limit ?? 0) * 1.5;
    const x = (/** @type {number} */ us) =>
      (WIDTH * Math.log(Math.max(us, low) / low)) / Math.log(high / low);
    const top = Math.log1p(Math.max(...counts));
    const bars = filled.map((i) => {
      const height = Math.max((HEIGHT - 4) * (Math.log1p(counts[i]) / top), 2);
      const left = x(edges[i]);
      const width = Math.max(x(edges[i + 1]) - left - 0.7, 1);
      const name = edges[i] >= (limit ?? Infinity) ? "bar late" : "bar";
      return makeSvg("rect", { x: left, y: HEIGHT - height, width, height, class: name });
    });
    this.svg.replaceChildren(
      ...ticks(low, high, x),
      ...bars,
      ...(limit ? [line(x(limit), "limit")] : []),
      makeSvg("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "base" }),
    );
    this.svg.setAttribute(
      "aria-label",
      `${KINDS[this.kind]}: median ${figure(p50, 3)} microseconds, worst ${figure(max, 3)}`,
    );
  }
}

/**
 * Lines at powers of ten, with their times.
 * @param {number} low [µs]
 * @param {number} high [µs]
 * @param {(us: number) => number} x
 */
function ticks(low, high, x) {
  const parts = [];
  for (let us = 10 ** Math.ceil(Math.log10(low)); us < high; us *= 10) {
    const words = makeSvg("text", { x: x(us), y: HEIGHT + 12 });
    words.textContent = withPrefix(1e-6 * us, "s");
    parts.push(line(x(us), "tick"), words);
  }
  return parts;
}

/**
 * @param {number} x
 * @param {string} name
 */
function line(x, name) {
  return makeSvg("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, class: name });
}
