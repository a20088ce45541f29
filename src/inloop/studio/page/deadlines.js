// How well the loop keeps its deadlines: histograms of step time, wake-up and age of inputs.

import { byId, make } from "./dom.js";
import { figure } from "./numbers.js";

const KINDS = { step_time: "Step", wake_up: "Wake-up", input_age: "Input age" };
const FIGURES = { p50: "median", p99: "99 %", p999: "99.9 %", max: "worst" };
const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [300, 76];

export class Deadlines {
  constructor() {
    this.kind = "step_time";
    this.last = {};
    this.period = null;
    this.tabs = make(
      "div",
      { className: "tabs", role: "tablist", "aria-label": "Which time" },
      ...Object.entries(KINDS).map(([kind, name]) =>
        make(
          "button",
          {
            role: "tab",
            id: `tab-${kind}`,
            "aria-selected": kind === this.kind,
            onclick: () => this.choose(kind),
          },
          name,
        ),
      ),
    );
    this.svg = document.createElementNS(SPACE, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT + 16}`);
    this.svg.setAttribute("class", "histogram");
    this.svg.setAttribute("role", "img");
    this.figures = make("dl", { className: "figures" });
    this.counters = make("p", { className: "quiet counters" });
    byId("deadlines").append(this.tabs, this.svg, this.figures, this.counters);
  }

  choose(kind) {
    this.kind = kind;
    for (const tab of this.tabs.children)
      tab.setAttribute("aria-selected", tab.id === `tab-${kind}`);
    this.show(this.last);
  }

  setPlant({ rate_hz: rate }) {
    this.period = rate ? 1e6 / rate : null;
    this.last = {};
    this.svg.replaceChildren();
    this.figures.replaceChildren();
  }

  /** Overruns and the rest, from the state. */
  count({ overruns = 0, stale = 0, lost = 0 }, roundTrip) {
    byId("deadline-note").textContent = overruns
      ? `${overruns} overrun${overruns > 1 ? "s" : ""}`
      : "all met";
    byId("deadline-note").classList.toggle("warn", overruns > 0);
    this.counters.textContent = [
      this.period ? `period ${figure(this.period, 4)} µs` : null,
      `${overruns} overruns`,
      `${stale} stale inputs`,
      `${lost} records lost`,
      roundTrip === undefined ? null : `page and back ${figure(roundTrip, 2)} ms`,
    ]
      .filter(Boolean)
      .join(" · ");
  }

  show(message) {
    this.last = message;
    const data = message[this.kind];
    if (!data || document.hidden) return;
    this.draw(data);
    this.figures.replaceChildren(
      ...Object.entries(FIGURES).flatMap(([key, name]) => [
        make(
          "div",
          {},
          make("dt", {}, name),
          make("dd", {}, figure(data[key], 3), make("small", {}, " µs")),
        ),
      ]),
    );
  }

  /** Bars over a logarithmic axis; heights are logarithmic too, so that a single late step is seen. */
  draw({ edges_us: edges, counts, p50, max }) {
    const filled = counts.flatMap((count, i) => (count > 0 ? [i] : []));
    if (!filled.length) return this.svg.replaceChildren();
    const low = Math.max(edges[filled[0]], 0.1) / 1.5;
    const high =
      Math.max(
        edges[filled.at(-1) + 1] ?? max,
        this.kind === "step_time" ? (this.period ?? 0) : 0,
      ) * 1.5;
    const x = (us) => (WIDTH * Math.log(Math.max(us, low) / low)) / Math.log(high / low);
    const top = Math.log1p(Math.max(...counts));
    const parts = [];
    for (let tick = 10 ** Math.ceil(Math.log10(low)); tick < high; tick *= 10) {
      parts.push(
        this.line(x(tick), "tick"),
        this.text(
          x(tick),
          tick < 1e3
            ? `${figure(tick)} µs`
            : tick < 1e6
              ? `${figure(tick / 1e3)} ms`
              : `${figure(tick / 1e6)} s`,
        ),
      );
    }
    for (const i of filled) {
      const height = Math.max((HEIGHT - 4) * (Math.log1p(counts[i]) / top), 2);
      const left = x(edges[i]);
      const width = Math.max(x(edges[i + 1] ?? max) - left - 0.7, 1);
      parts.push(
        this.part("rect", {
          x: left,
          y: HEIGHT - height,
          width,
          height,
          class:
            edges[i] >= (this.period ?? Infinity) && this.kind === "step_time" ? "bar late" : "bar",
        }),
      );
    }
    if (this.period && this.kind === "step_time") parts.push(this.line(x(this.period), "limit"));
    parts.push(this.part("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "base" }));
    this.svg.replaceChildren(...parts);
    this.svg.setAttribute(
      "aria-label",
      `${KINDS[this.kind]}: median ${figure(p50, 3)} microseconds, worst ${figure(max, 3)}`,
    );
  }

  part(tag, attributes) {
    const element = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  line(x, name) {
    return this.part("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, class: name });
  }

  text(x, words) {
    const element = this.part("text", { x, y: HEIGHT + 12 });
    element.textContent = words;
    return element;
  }
}
