// One chart: all chosen signals of one unit over simulated time.

import uPlot from "/vendor/uPlot.esm.js";
import { drawBands } from "./deviations.js";
import { icon, make } from "./dom.js";
import { axisLabels, NOISE, withPrefix } from "./numbers.js";

/** @typedef {import("./theme.js").Palette} Palette */
/** @typedef {{ name: string, colour: string, dashed: boolean, deviation?: string }} Trace */

/**
 * The user's actions on a chart.
 * @typedef {object} Listener
 * @property {(from: number, to: number) => void} zoom
 * @property {() => void} live
 * @property {(signal: string) => void} drop
 */

export const FONT = "11px system-ui, sans-serif";
const DASH = [7, 5]; // of estimates [px]

export class Chart {
  /** @type {number | null} */
  cursor = null;
  /** @type {uPlot.AlignedData} */
  data = [[]]; // as shown: times, values, then deviations of signals that have one

  /**
   * @param {string} unit
   * @param {Trace[]} signals
   * @param {Palette} palette
   * @param {boolean} last
   * @param {Listener} on
   */
  constructor(unit, signals, palette, last, on) {
    this.signals = signals;
    this.unit = unit;
    this.last = last; // only the last chart labels the time
    this.on = on;
    this.values = signals.map(() => make("output", { className: "value" }));
    this.place = make("div", { className: "plot" });
    this.element = make(
      "figure",
      { className: "chart", "aria-label": `Plot of ${signals.map((s) => s.name).join(", ")}` },
      make(
        "figcaption",
        {},
        make(
          "div",
          { className: "legend" },
          ...signals.map((signal, i) => this.chip(signal, this.values[i])),
        ),
        make("span", { className: "unit" }, unit || "–"),
      ),
      this.place,
    );
    this.plot = onProcessor(
      () => new uPlot(this.options(signals, palette), [[], ...signals.map(() => [])], this.place),
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.place);
    this.listen();
  }

  /**
   * @param {Trace} signal
   * @param {HTMLElement} value
   */
  chip(signal, value) {
    const swatch = make("i", { className: signal.dashed ? "swatch dashed" : "swatch" });
    swatch.style.color = signal.colour;
    return make(
      "span",
      { className: "series" },
      swatch,
      make(
        "span",
        {
          className: "name",
          title: signal.deviation ? "estimated; the band is two standard deviations wide" : "",
        },
        signal.name,
      ),
      value,
      make(
        "button",
        {
          className: "icon tiny",
          title: `Remove ${signal.name}`,
          "aria-label": `Remove ${signal.name}`,
          onclick: () => this.on.drop(signal.name),
        },
        icon("close"),
      ),
    );
  }

  /**
   * @param {Trace[]} signals
   * @param {Palette} palette
   * @returns {uPlot.Options}
   */
  options(signals, palette) {
    const axis = {
      stroke: palette.muted,
      font: FONT,
      grid: { stroke: palette.grid, width: 1 },
      ticks: { show: false },
    };
    return {
      width: 100,
      height: 80,
      legend: { show: false },
      padding: [6, 14, 0, 0],
      cursor: {
        sync: { key: "inloop" },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
      },
      scales: { x: { time: false }, y: { range: comfortable } },
      axes: [
        {
          ...axis,
          size: this.last ? 22 : 5,
          space: 70,
          values: (_, ticks) => axisLabels(ticks).map((label) => (this.last ? `${label} s` : "")),
        },
        { ...axis, size: widthOf, space: 26, values: (_, ticks) => axisLabels(ticks) },
      ],
      series: [
        {},
        ...signals.map((signal) => ({
          stroke: signal.colour,
          width: 1.5,
          dash: signal.dashed ? DASH : undefined,
          points: { show: false },
          pxAlign: 0,
          spanGaps: false,
        })),
      ],
      hooks: {
        setSelect: [(plot) => this.selected(plot)],
        drawAxes: [(plot) => drawBands(plot, this.signals, this.data)],
        draw: [(plot) => this.drawCursor(plot, palette)],
      },
    };
  }

  /**
   * A line at the time of the displayed values.
   * @param {uPlot} plot
   * @param {Palette} palette
   */
  drawCursor(plot, palette) {
    if (this.cursor === null) return;
    const { left, top, width, height } = plot.bbox;
    const x = plot.valToPos(this.cursor, "x", true);
    if (x < left || x > left + width) return;
    plot.ctx.fillStyle = palette.muted;
    plot.ctx.fillRect(Math.round(x), top, Math.max(1, Math.round(devicePixelRatio)), height);
  }

  /** @param {uPlot} plot */
  selected(plot) {
    const { left, width } = plot.select;
    if (width < 6) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.on.zoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  }

  listen() {
    const over = this.plot.over;
    over.addEventListener("dblclick", () => this.on.live());
    // while a range is being selected, nothing moves under the mouse
    over.addEventListener("pointerdown", (event) => {
      this.marking = event.pointerType === "mouse";
      window.addEventListener(
        "pointerup",
        () => {
          this.marking = false;
        },
        { once: true },
      );
    });
    over.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.scaleAbout(event.offsetX, Math.exp(0.0015 * event.deltaY));
      },
      { passive: false },
    );
    // one finger pans, two zoom
    const fingers = new Map();
    over.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") fingers.set(event.pointerId, event.offsetX);
    });
    over.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId)) return;
      const old = fingers.get(event.pointerId);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      fingers.set(event.pointerId, event.offsetX);
      if (other === undefined) this.slide(event.offsetX - old);
      else
        this.scaleAbout(
          other,
          Math.abs(old - other) / Math.max(Math.abs(event.offsetX - other), 8),
        );
    });
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
      over.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }

  /**
   * @param {number} pixel
   * @param {number} factor
   */
  scaleAbout(pixel, factor) {
    const [min, max] = this.range;
    const about = this.plot.posToVal(pixel, "x");
    this.on.zoom(about + (min - about) * factor, about + (max - about) * factor);
  }

  /** @param {number} pixels */
  slide(pixels) {
    const [min, max] = this.range;
    const shift = this.plot.posToVal(0, "x") - this.plot.posToVal(pixels, "x");
    this.on.zoom(min + shift, max + shift);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (width > 40 && height > 30) this.plot.setSize({ width, height });
  }

  get range() {
    const { min = 0, max = 1 } = this.plot.scales.x;
    return [min, max];
  }

  get pixels() {
    return Math.max(Math.round(this.plot.bbox.width / devicePixelRatio), 50);
  }

  /** Names of all columns that it shows, in the order of `data`. */
  get columns() {
    const names = this.signals.map((s) => s.name);
    return [...names, ...this.signals.flatMap((s) => s.deviation ?? [])];
  }

  /**
   * @param {uPlot.AlignedData} data
   * @param {number} from
   * @param {number} to
   * @param {Array<number | undefined>} latest
   * @param {number | null} [cursor]
   */
  show(data, from, to, latest, cursor = null) {
    this.cursor = cursor;
    this.data = data;
    this.plot.batch(() => {
      const lines = data.slice(0, 1 + this.signals.length);
      this.plot.setData(/** @type {uPlot.AlignedData} */ (lines), false);
      this.plot.setScale("x", { min: from, max: to });
    });
    latest.forEach((value, i) => {
      this.values[i].textContent = value === undefined ? "" : withPrefix(value, this.unit, 4);
    });
  }

  destroy() {
    this.observer.disconnect();
    this.plot.destroy();
    this.element.remove();
  }
}

/**
 * Build a plot whose canvases the CPU draws: few lines, and no waiting for a slow graphics card.
 * @param {() => uPlot} build
 */
function onProcessor(build) {
  const { prototype } = HTMLCanvasElement;
  const getContext = /** @type {any} */ (prototype.getContext);
  prototype.getContext = function get(/** @type {string} */ kind) {
    return getContext.call(this, kind, { willReadFrequently: true });
  };
  try {
    return build();
  } finally {
    prototype.getContext = getContext;
  }
}

/**
 * Room for the longest label [px].
 * @param {uPlot} _
 * @param {string[] | null} labels
 */
function widthOf(_, labels) {
  return Math.max(58, 16 + 6.5 * Math.max(0, ...(labels ?? []).map((label) => label.length)));
}

/**
 * A range around the values that does not flicker with every sample.
 * @param {uPlot} _
 * @param {number} least
 * @param {number} most
 * @returns {[number, number]}
 */
function comfortable(_, least, most) {
  if (!(most >= least)) return [-1, 1];
  const size = Math.max(Math.abs(least), Math.abs(most));
  if (size < NOISE) return [-1, 1];
  const span = Math.max(most - least, 1e-3 * size);
  const step = 10 ** Math.floor(Math.log10(span)) / 2;
  return [
    Math.floor((least - 0.04 * span) / step) * step,
    Math.ceil((most + 0.04 * span) / step) * step,
  ];
}
