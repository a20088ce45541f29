// The studio's part for a plant embedded in a page: steps the plant in time with the clock, sends its
// state, and serves the requests of the page, with the messages of a studio.

import { Grips } from "./grips.js";
import { Histogram } from "./histogram.js";
import { NoteMaker } from "./notemaker.js";
import { Pace } from "./pace.js";
import { Points, placedAnatomy, placedScene } from "./placing.js";
import { echoFrame, posesFrame, readFrame, samplesFrame } from "./plantframes.js";
import { PlantInputs } from "./plantinputs.js";
import { PlantParameters } from "./plantparameters.js";
import { arrows, quaternions } from "./posing.js";
import { Subscription } from "./subscription.js";
import { WasmPlant } from "./wasmplant.js";

/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./messages.js").Request} Request */

// periods of the messages [s], as in studio/server/ticker.py
const [BEAT, READINGS, STATE, HISTOGRAM] = [1 / 60, 0.1, 0.25, 1];
const SPEEDS = [0.001, 1000];
const MOST_STEPS = 100_000; // per request
const TIMED = 0.005; // duration of steps that are timed together [s]
const LONGEST = 0.012; // longest time of steps before poses are sent [s]

export class PlantSession {
  /**
   * @param {WebAssembly.Module} module
   * @param {import("./plantfacts.js").PlantFacts} facts
   * @param {(words: string | ArrayBuffer) => void} send
   * @param {() => number} clock [s]
   */
  constructor(module, facts, send, clock) {
    const { hello, drawn } = facts;
    this.facts = facts;
    this.send = send;
    this.clock = clock;
    this.plant = new WasmPlant(module, facts, {
      parameters: hello.parameters.length,
      inputs: hello.inputs.length,
      bodies: hello.scene.bodies.length,
      points: drawn.points,
      positions: drawn.positions.length,
    });
    this.points = new Points(this.plant.points);
    this.inputs = new PlantInputs(this.plant, facts.inputs);
    this.parameters = new PlantParameters(this.plant, hello.parameters);
    const bodies = hello.scene.bodies.map(({ name }) => name);
    this.grips = new Grips(this.plant, facts.held, bodies);
    this.holds = false; // as last reported to the page
    this.notes = facts.notes && new NoteMaker(facts.notes);
    this.pace = new Pace(1 / hello.plant.rate_hz, facts.speed);
    this.subscription = new Subscription();
    /** @type {string[]} */
    this.watched = [];
    this.records = 0;
    this.steps = 0; // successful ones since the start
    this.status = 0;
    this.latched = "";
    this.due = { beat: 0, readings: 0, state: 0, histogram: 0 };
    this.shown = -1; // number of the record drawn last
    this.timed = { seconds: 0, count: 0 };
    this.times = { step: new Histogram(), behind: new Histogram(), age: new Histogram() };
  }

  /** @param {Message} message */
  sendMessage(message) {
    this.send(JSON.stringify(message));
  }

  /** Greet the page, which is ready to receive. */
  greet() {
    const { hello } = this.facts;
    const values = this.parameters.byName;
    this.sendMessage({
      ...hello,
      parameters: hello.parameters.map((p) => ({ ...p, value: values[p.name] })),
    });
    this.sendState();
  }

  // ---- the clock ----

  /** Do what is due now: steps, then messages about them. */
  tick() {
    const begin = this.clock();
    const due = this.pace.due(begin);
    if (due) {
      this.times.behind.add(1e6 * this.pace.behind);
      this.advance(due, begin);
    }
    const now = this.clock();
    if (now >= this.due.beat) {
      this.due.beat = now + BEAT;
      this.sendBeat(now);
    }
    if (now >= this.due.state) {
      this.due.state = now + STATE;
      this.sendState();
    }
    if (now >= this.due.histogram) {
      this.due.histogram = now + HISTOGRAM;
      this.sendTimes();
    }
  }

  /**
   * Step so many periods, as far as time permits.
   * @param {number} count
   * @param {number} begin when it began [s]
   */
  advance(count, begin = this.clock()) {
    let left = count;
    let done = 0;
    let now = begin;
    while (left > 0 && (now - begin < LONGEST || done === 0)) {
      const good = this.plant.advance(Math.min(left, 64));
      this.take(good);
      const then = now;
      now = this.clock();
      this.timeSteps(now - then, good);
      this.status = this.plant.status;
      if (this.status) {
        this.fail();
        this.pace.done(left, now);
        return;
      }
      left -= good;
      done += good;
    }
    this.pace.done(done, now);
  }

  /**
   * Measure the time of a step: clocks of pages are coarse, so many steps are timed together.
   * @param {number} seconds
   * @param {number} count
   */
  timeSteps(seconds, count) {
    this.timed.seconds += seconds;
    this.timed.count += count;
    if (this.timed.seconds < TIMED || !this.timed.count) return;
    this.times.step.add((1e6 * this.timed.seconds) / this.timed.count, this.timed.count);
    this.timed = { seconds: 0, count: 0 };
  }

  /**
   * Take over the records of successful periods.
   * @param {number} count
   */
  take(count) {
    const { rows, width } = this.plant;
    for (let k = 0; k < count; k++) {
      this.records += 1;
      this.subscription.take(this.records, rows, k * width);
      for (const note of this.notes?.hear(rows[k * width], rows, k * width) ?? [])
        this.sendMessage(note);
    }
    this.steps += count;
    if (count && this.grips.held.size) this.grips.learn();
  }

  /** Keep the last good state, and use safe values in place of the inputs. */
  fail() {
    const { status } = this.failure ?? { status: "DIVERGED" };
    if (!this.latched) this.grips.letGo();
    this.latched = status;
    this.inputs.makeSafe();
  }

  get failure() {
    // a status without an entry of its own is a diverged motion
    const { failures } = this.facts;
    if (!this.status) return null;
    return (
      failures[this.status] ?? Object.values(failures).find((x) => x.status === "DIVERGED") ?? null
    );
  }

  // ---- messages to the page ----

  /** @param {number} now [s] */
  sendBeat(now) {
    if (this.shown !== this.records) {
      this.shown = this.records;
      this.sendPoses(now);
    }
    this.sendSamples(now);
    if (this.grips.held.size || this.holds) {
      this.holds = this.grips.held.size > 0;
      this.sendMessage({ kind: "held", mine: true, holds: this.grips.messages() });
    }
    if (now >= this.due.readings) {
      this.due.readings = now + READINGS;
      this.sendReadings();
    }
  }

  /** @param {number} now */
  sendPoses(now) {
    const { drawn } = this.facts;
    const record = this.plant.last;
    const X = this.plant.pose(record, drawn.positions);
    const head = { sequence: this.records, stamp: now, t: record[0] };
    const forces = arrows(drawn.contacts, X, this.points, record);
    const readings = drawn.told.map((column) => record[column]);
    this.send(posesFrame(head, quaternions(X), forces, readings));
  }

  /** @param {number} now */
  sendSamples(now) {
    const { subscription } = this;
    if (!subscription.times.length) return;
    const { generation, first, times, values } = subscription;
    this.send(samplesFrame({ generation, first, lost: 0, stamp: now }, times, values));
    subscription.clear();
  }

  sendReadings() {
    const { contacts, sensors, index } = this.facts;
    const record = this.plant.last;
    const read = (/** @type {number[]} */ columns) => columns.map((k) => finite(record[k]));
    if (contacts.length || sensors.length)
      this.sendMessage({
        kind: "readings",
        contacts: contacts.map(read),
        sensors: sensors.map(read),
      });
    if (!this.watched.length) return;
    const values = this.watched.map((name) => [name, finite(record[index[name]])]);
    this.sendMessage({ kind: "watched", values: Object.fromEntries(values) });
  }

  sendState() {
    const failure = this.failure;
    this.sendMessage({
      kind: "state",
      state: this.pace.paused ? "paused" : "running",
      speed: this.pace.speed,
      step: this.steps,
      t: finite(this.plant.last[0]),
      status: failure ? failure.status : "OK",
      latched: this.latched,
      overruns: this.pace.skipped,
      late: this.pace.late,
      stale: 0,
      lost: 0,
      source: "live",
      driven: this.inputs.driven,
      notice: failure
        ? { level: "error", text: failure.text, fix: failure.fix }
        : (this.facts.latched[this.latched] ?? null),
      pace_hz: this.pace.paused ? 0 : this.pace.rate,
    });
  }

  sendTimes() {
    const step = this.times.step.summary();
    const behind = this.times.behind.summary();
    const input_age = this.times.age.summary();
    this.sendMessage({
      kind: "histogram",
      step_time: step,
      reaction: step,
      wake_up: behind,
      input_age,
    });
  }

  /**
   * @param {string} text
   * @param {string} fix
   */
  complain(text, fix) {
    this.sendMessage({ kind: "notice", level: "error", text, fix });
  }

  // ---- requests of the page ----

  /** @param {string | ArrayBuffer} data */
  hear(data) {
    if (typeof data === "string") {
      this.do(JSON.parse(data));
      return;
    }
    const frame = readFrame(data);
    const now = this.clock();
    if (frame?.kind === "ping") {
      const { sequence, at, time } = this.inputs.used;
      const head = { sequence, stamp: now, t: this.plant.last[0] };
      this.send(echoFrame(frame.token, head, { at, time }));
    } else if (frame?.kind === "input") {
      if (!this.inputs.set(frame, now))
        this.complain("this input follows the controller of the plant", "Change its gains.");
      this.times.age.add(Math.max(1e6 * now - 1e3 * frame.time, 0));
    } else if (frame && !this.grips.set(frame))
      this.complain("this body cannot be held", "Grab another one.");
  }

  /** @param {Request} request */
  do(request) {
    const wanted = this.parameters.requested(request);
    if (wanted) this.change(wanted);
    else if (request.do === "subscribe") this.subscribe(request);
    else if (request.do === "watch") {
      this.watched = request.signals.filter((name) => Object.hasOwn(this.facts.index, name));
      this.sendReadings();
    } else if (request.do === "take_input") this.inputs.take();
    else if (request.do === "release_input") this.inputs.release();
    else if (request.do === "let_go") this.grips.letGo(request.grip);
    else if (request.do === "pin") {
      if (!this.grips.pin()) this.complain("no body is held, or too many are", "Drag one.");
    } else if (!this.move(request))
      this.complain(`${request.do} is not possible here`, "Use the controls of the page.");
    this.sendState();
  }

  /**
   * Requests about the passing of time; false for all others.
   * @param {Request} request
   */
  move(request) {
    const { pace } = this;
    if (request.do === "pause") pace.paused = true;
    else if (request.do === "go") {
      pace.paused = false;
      this.latched = "";
      this.inputs.resume();
    } else if (request.do === "speed")
      pace.speed = Math.min(Math.max(request.factor, SPEEDS[0]), SPEEDS[1]);
    else if (request.do === "reset") this.reset();
    else if (request.do === "step") {
      if (pace.paused) this.advance(Math.min(Math.max(request.count ?? 1, 1), MOST_STEPS));
      return true;
    } else return false;
    pace.forget();
    return true;
  }

  reset() {
    this.grips.letGo();
    this.plant.reset();
    this.inputs.reset();
    this.notes?.forget();
    this.steps = this.status = 0;
    this.latched = "";
    this.records += 1;
    this.subscribeAnew(false);
  }

  /** @param {import("./messages.js").Subscribe} request */
  subscribe({ signals, rate_hz: wanted }) {
    const { index, hello } = this.facts;
    const rate = hello.plant.rate_hz;
    const known = signals.filter((name) => Object.hasOwn(index, name));
    const every = Math.max(1, Math.round(rate / Math.min(Math.max(wanted ?? rate, 1e-3), rate)));
    this.subscription.choose(
      known,
      known.map((name) => index[name]),
      every,
    );
    this.sendSubscribed(false);
  }

  /** @param {boolean} fresh what came before does not go on */
  subscribeAnew(fresh) {
    const { signals, columns, every } = this.subscription;
    this.subscription.choose(signals, columns, every);
    this.sendSubscribed(fresh);
  }

  /** @param {boolean} fresh */
  sendSubscribed(fresh) {
    const { generation, every, signals } = this.subscription;
    const rate_hz = this.facts.hello.plant.rate_hz / every;
    this.sendMessage({ kind: "subscribed", generation, rate_hz, signals, fresh });
  }

  /** @param {Map<string, number>} wanted */
  change(wanted) {
    const { hello, drawn } = this.facts;
    if (!this.parameters.change(wanted))
      this.complain(
        "the loops of the mechanism cannot be closed with this value from its current position",
        "Change it less, or reset.",
      );
    this.sendMessage({ kind: "parameters", values: this.parameters.byName });
    const scene = placedScene(hello.scene, drawn.parts, this.points);
    const anatomy = placedAnatomy(hello.anatomy, drawn.anatomy, this.points);
    const fresh = JSON.stringify([scene, anatomy]);
    if (fresh !== this.placed) this.sendMessage({ kind: "scene", scene, anatomy });
    this.placed = fresh;
    this.shown = -1;
  }

  placed = "";
}

/** @param {number | undefined} x */
function finite(x) {
  return x !== undefined && Number.isFinite(x) ? x : null;
}
