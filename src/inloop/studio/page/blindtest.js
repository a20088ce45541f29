// A blind test: runs that differ in a hidden parameter. The driver ranks them by feel, and then the
// values are revealed.

import { byId, make } from "./dom.js";
import { randomNumbers } from "./tinted.js";

/** @typedef {import("./messages.js").BlindTest} Declared */
/** @typedef {{ value: number, angle: number, torque: number, stand: string }} Run peaks after the box appeared [rad], [N·m] */

const NAMES = "ABCDEF";
const LOOKED = 3; // peaks are taken for so long after the box has appeared [s]
const DEGREES = 180 / Math.PI;

/**
 * Values in random order; `random` returns numbers from 0 to 1.
 * @param {number[]} values
 * @param {() => number} random
 */
function shuffled(values, random) {
  const order = [...values];
  for (let k = order.length - 1; k > 0; k -= 1) {
    const other = Math.floor(random() * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}

export class BlindTest {
  /** @type {Declared | null} */
  declared = null;
  /** @type {Run[]} */
  runs = []; // started so far
  /** @type {number[]} */
  order = []; // values of all runs
  /** @type {number[]} */
  felt = []; // numbers of runs, lightest first
  /** @type {"off" | "driving" | "asking" | "revealed"} */
  stand = "off";
  before = 0; // value of the parameter before the test

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./parameters.js").Parameters} parameters
   */
  constructor(connection, parameters) {
    this.connection = connection;
    this.parameters = parameters;
    /** @type {import("./surprise.js").Surprise | null} */
    this.surprise = null;
    byId("blind").onclick = () => (this.stand === "off" ? this.start() : this.end());
  }

  /**
   * @param {Declared | null} declared
   * @param {string[]} signals sent with poses
   * @param {import("./surprise.js").Surprise} surprise
   * @param {number} seed of the order
   */
  setPlant(declared, signals, surprise, seed) {
    this.end();
    this.declared = surprise.declared && declared;
    this.surprise = surprise;
    this.columns = [declared?.angle ?? "", declared?.torque ?? ""].map((x) => signals.indexOf(x));
    this.random = randomNumbers(seed);
    byId("blind").hidden = !this.declared;
  }

  start() {
    if (!this.declared) return;
    const { parameter, values } = this.declared;
    this.before = this.parameters.rows.get(parameter)?.value ?? values[0];
    this.parameters.hide(parameter, true);
    Object.assign(this, {
      order: shuffled(values, this.random ?? Math.random),
      runs: [],
      felt: [],
    });
    this.next();
  }

  /** The next run, or the question after the last one. */
  next() {
    const { declared, order, runs, connection, surprise } = this;
    if (!declared || !surprise) return;
    if (runs.length === order.length) this.stand = "asking";
    else {
      const value = order[runs.length];
      runs.push({ value, angle: 0, torque: 0, stand: "waiting" });
      connection.say({ do: "set", parameter: declared.parameter, value });
      connection.say({ do: "reset" });
      surprise.arm();
      this.stand = "driving";
    }
    this.show();
  }

  /**
   * Called for each frame of poses, after the surprise.
   * @param {import("./frames.js").Poses} frame
   */
  see({ t, readings }) {
    const run = this.runs.at(-1);
    if (this.stand !== "driving" || !run || !this.surprise) return;
    const { shown, stand } = this.surprise;
    if (shown && t < shown.t + LOOKED) {
      const [angle, torque] = this.columns?.map((k) => readings[k] ?? 0) ?? [0, 0];
      if (Math.abs(angle) > Math.abs(run.angle)) run.angle = angle;
      if (Math.abs(torque) > Math.abs(run.torque)) run.torque = torque;
    }
    if (stand === run.stand) return;
    if (stand === "waiting") Object.assign(run, { angle: 0, torque: 0 }); // restarted
    run.stand = stand;
    this.show();
  }

  /** @param {number} k a run that felt heavier than those chosen before it */
  choose(k) {
    this.felt.push(k);
    const left = this.runs.findIndex((_, n) => !this.felt.includes(n));
    if (this.felt.length === this.runs.length - 1) this.felt.push(left);
    if (this.felt.length === this.runs.length) this.reveal();
    this.show();
  }

  reveal() {
    this.stand = "revealed";
    this.restore();
  }

  restore() {
    const { parameter } = this.declared ?? { parameter: "" };
    if (!this.parameters.rows.has(parameter)) return; // the plant has changed
    this.connection.say({ do: "set", parameter, value: this.before });
    this.parameters.hide(parameter, false);
  }

  /** Stop the test, or close the results. */
  end() {
    if (this.stand === "driving" || this.stand === "asking") this.restore();
    this.surprise?.disarm();
    this.stand = "off";
    this.show();
  }

  show() {
    const panel = byId("blind-panel");
    // do not cover the road while there is an obstacle ahead
    const busy = this.stand === "driving" && this.runs.at(-1)?.stand === "ahead";
    panel.hidden = busy || this.stand === "off";
    byId("blind").textContent = this.stand === "off" ? "Blind test" : "End the test";
    if (panel.hidden || !this.declared) return;
    const draw = {
      driving: () => this.task(),
      asking: () => this.question(),
      revealed: () => this.table(),
    };
    panel.replaceChildren(...draw[/** @type {keyof typeof draw} */ (this.stand)]());
  }

  task() {
    const { declared, runs, order } = this;
    const { stand } = runs[runs.length - 1];
    const over = stand === "passed" || stand === "hit";
    const last = runs.length === order.length;
    return [
      make("strong", {}, `Run ${NAMES[runs.length - 1]} of ${order.length}`),
      make("p", {}, over ? `The obstacle was ${stand}.` : (declared?.task ?? "")),
      make(
        "button",
        { disabled: !over, onclick: () => this.next() },
        last ? "Which was it?" : "Next run",
      ),
    ];
  }

  question() {
    const left = this.runs.flatMap((_, k) => (this.felt.includes(k) ? [] : [k]));
    const which = this.felt.length ? "lightest of the others" : "lightest";
    return [
      make("p", {}, `Which run felt ${which} at the hand?`),
      ...left.map((k) => make("button", { onclick: () => this.choose(k) }, `Run ${NAMES[k]}`)),
    ];
  }

  table() {
    const { declared, runs, felt } = this;
    if (!declared) return [];
    const { quantity, unit, scale, values } = declared;
    const sorted = [...values].sort((a, b) => a - b);
    /** @param {number} value */
    const scaled = (value) => `${Number((value * scale).toPrecision(3))} ${unit}`;
    const head = ["run", quantity, "you felt", "wheel", "torque", "obstacle"];
    const rows = runs.map(({ value, angle, torque, stand }, k) => [
      NAMES[k],
      scaled(value),
      scaled(sorted[felt.indexOf(k)]),
      `${(angle * DEGREES).toFixed(0)}°`,
      `${torque.toFixed(1)} N·m`,
      stand,
    ]);
    const right = runs.filter(({ value }, k) => value === sorted[felt.indexOf(k)]).length;
    return [
      make(
        "p",
        {},
        `${right} of ${runs.length} identified correctly; peaks within ${LOOKED} s of the obstacle:`,
      ),
      make(
        "table",
        {},
        make("tr", {}, ...head.map((word) => make("th", {}, word))),
        ...rows.map((row) => make("tr", {}, ...row.map((word) => make("td", {}, word)))),
      ),
    ];
  }
}
