// Instruments over the picture.

import { make, makeSvg } from "./dom.js";
import { clamp, figure } from "./numbers.js";

/** @typedef {import("./messages.js").Gauge} Gauge */

const SWEEP = 1.5 * Math.PI; // of a dial [rad]
const RADIUS = 42;
const STEPS = 200; // of a dial or a bar: smaller changes are not painted
const LASTING = 1000; // a value beyond the mark is reported for so long [ms]

/**
 * Signals combined into one value.
 * @param {number[]} values
 * @param {Gauge["of"]} of
 */
export function together(values, of) {
  return of === "size" ? Math.hypot(...values) : values.reduce((sum, value) => sum + value, 0);
}

/**
 * @param {Element} element
 * @param {string} words
 */
function say(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** @param {Gauge} gauge */
export function makeGauge(gauge) {
  if (gauge.look === "dial") return new Dial(gauge);
  if (gauge.look === "bar") return new Bar(gauge);
  return new Figure(gauge);
}

/** A round instrument with its value in the middle. */
class Dial {
  /** @param {Gauge} gauge */
  constructor(gauge) {
    const { name, unit, low, high, red } = gauge;
    this.gauge = gauge;
    this.words = makeSvg("text", { x: 50, y: 55, class: "value" });
    this.hand = makeSvg("path", { class: "hand" });
    const svg = makeSvg("svg", { viewBox: "0 0 100 92", role: "img" });
    svg.append(makeSvg("path", { d: arc(0, 1), class: "scale" }));
    if (red !== null && red < high)
      svg.append(makeSvg("path", { d: arc((red - low) / (high - low), 1), class: "red" }));
    const label = makeSvg("text", { x: 50, y: 70, class: "unit" });
    label.textContent = unit;
    svg.append(this.hand, this.words, label);
    this.element = make(
      "div",
      { className: "instrument dial", title: name, "aria-label": name },
      svg,
    );
  }

  /** @param {number[]} values of its signals */
  show(values) {
    const { low, high, red, scale, of } = this.gauge;
    const value = scale * together(values, of);
    const part = clamp((value - low) / (high - low), 0, 1);
    const way = arc(0, Math.max(Math.round(STEPS * part) / STEPS, 1e-3));
    if (this.hand.getAttribute("d") !== way) this.hand.setAttribute("d", way);
    say(this.words, Number.isFinite(value) ? figure(Math.round(value)) : "–");
    this.element.classList.toggle("beyond", red !== null && Math.abs(value) > red);
  }
}

/** A bar from zero to either side; values beyond the mark are reported for a while. */
class Bar {
  beyond = -Infinity; // when it was last beyond the mark [ms]

  /** @param {Gauge} gauge */
  constructor(gauge) {
    this.gauge = gauge;
    this.mark = make("i");
    this.words = make("output");
    const track = make("div", { className: "track" }, this.mark);
    const { red, high, low } = gauge;
    // positive to the left, as everywhere
    for (const limit of red === null ? [] : [red, -red])
      if (limit > low && limit < high) {
        const line = make("b");
        line.style.right = `${(100 * (limit - low)) / (high - low)}%`;
        track.append(line);
      }
    this.element = make(
      "div",
      { className: "instrument bar-gauge", title: gauge.name },
      make("span", {}, gauge.name),
      track,
      this.words,
    );
  }

  /** @param {number[]} values of its signals */
  show(values) {
    const { low, high, red, scale, unit, of } = this.gauge;
    const value = scale * together(values, of);
    const zero = clamp(-low / (high - low), 0, 1);
    const part = Math.round(STEPS * clamp((value - low) / (high - low), 0, 1)) / STEPS;
    this.mark.style.right = `${100 * Math.min(zero, part)}%`;
    this.mark.style.left = `${100 * (1 - Math.max(zero, part))}%`;
    const now = performance.now();
    if (red !== null && Math.abs(value) > red) this.beyond = now;
    const clipped = now - this.beyond < LASTING;
    this.element.classList.toggle("beyond", clipped);
    const size = value
      .toFixed(1)
      .replace(/^-(?=0\.0$)/, "")
      .replace("-", "−");
    say(this.words, clipped ? "clipped" : `${size} ${unit}`);
  }
}

/** A number, or the name of a gear. */
class Figure {
  /** @param {Gauge} gauge */
  constructor(gauge) {
    this.gauge = gauge;
    this.words = make("output");
    this.element = make(
      "div",
      { className: `instrument figure-gauge ${gauge.look}`, title: gauge.name },
      this.words,
      make("span", {}, gauge.look === "gear" ? "" : `${gauge.name} ${gauge.unit}`),
    );
  }

  /** @param {number[]} values of its signals */
  show(values) {
    const { scale, look, of } = this.gauge;
    say(this.words, look === "gear" ? gearName(values) : figure(scale * together(values, of), 3));
  }
}

/** @param {number[]} values the gear, and perhaps whether it is reversed */
function gearName([gear, reversed = 0]) {
  if (!Number.isFinite(gear)) return "–";
  if (reversed > 0.5 || gear < -0.5) return "R";
  return Math.round(gear) === 0 ? "N" : String(Math.round(gear));
}

/**
 * Part of the scale of a dial, as a path.
 * @param {number} from 0 to 1
 * @param {number} to 0 to 1
 */
function arc(from, to) {
  const [a, b] = [from, to].map((part) => 0.5 * Math.PI + (2 * Math.PI - SWEEP) / 2 + part * SWEEP);
  /** @param {number} angle */
  const at = (angle) =>
    `${(50 + RADIUS * Math.cos(angle)).toFixed(2)} ${(48 + RADIUS * Math.sin(angle)).toFixed(2)}`;
  return `M${at(a)}A${RADIUS} ${RADIUS} 0 ${Number(b - a > Math.PI)} 1 ${at(b)}`;
}
