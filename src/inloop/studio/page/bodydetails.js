// Details of one body: mass, joint, frames, contacts, loops and sensors, with live values.

import { make } from "./dom.js";
import { triple, unitName, withPrefix } from "./numbers.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Anatomy} Anatomy */
/** @typedef {import("./messages.js").Signal} Signal */
/** @typedef {import("./messages.js").Readings} Readings */

const GROUND = "the ground";
const FORCES = 12; // multipliers of loops that are shown
const FRAMES = 8; // named places that are shown

/**
 * A direction as text: the name of the axis that it lies along, or its components.
 * @param {number[]} axis
 */
function direction(axis) {
  const k = axis.findIndex((x) => Math.abs(Math.abs(x) - 1) < 1e-9);
  if (k >= 0) return `${axis[k] < 0 ? "−" : ""}${"xyz"[k]}`;
  return triple(axis, "").trim();
}

/** A name and its value, which can be updated. */
class Line {
  /**
   * @param {string} name
   * @param {string} [text]
   */
  constructor(name, text = "–") {
    this.value = make("dd", {}, text);
    this.element = make("div", {}, make("dt", {}, name), this.value);
  }

  /** @param {string} text */
  show(text) {
    if (this.value.textContent !== text) this.value.textContent = text;
  }
}

export class BodyDetails {
  /** Signals whose values it shows. @type {string[]} */
  signals = [];
  /** @type {Array<{ signal: string, unit: string, line: Line }>} */
  live = [];
  /** @type {Array<{ index: number, line: Line }>} */
  contacts = [];

  /**
   * @param {Anatomy} anatomy
   * @param {number} index
   * @param {Signal[]} signals of the plant
   */
  constructor(anatomy, index, signals) {
    const body = anatomy.bodies[index];
    this.body = body;
    this.index = index;
    this.units = new Map(signals.map(({ name, unit }) => [name, unit]));
    this.place = new Line("origin, in the world");
    this.center = new Line("center of mass, in the world");
    const parent = body.parent < 0 ? GROUND : anatomy.bodies[body.parent].name;
    this.element = make(
      "div",
      { className: "details" },
      body.doc ? make("p", { className: "quiet" }, body.doc) : null,
      section("Body", [
        new Line("mass", withPrefix(body.mass, "kg", 4, 0)),
        new Line("center of mass, in body axes", triple(body.com, "m")),
        this.center,
        new Line("principal moments of inertia", triple(body.moments, "kg·m²", 1e-30)),
        new Line("their axes", body.axes.map(direction).join("; ")),
        this.place,
        new Line("attached to", parent),
      ]),
      section(`Joint ${body.joint.name}`, this.joint()),
      section("Contacts", this.touching(anatomy)),
      section("Loops", this.loops(anatomy)),
      section(
        "Sensors",
        anatomy.sensors
          .filter(({ bodies }) => bodies.includes(index))
          .map(({ name }) => new Line(name, "see Sensors")),
      ),
      section("Frames and points", this.frames()),
    );
    this.signals = this.live.map(({ signal }) => signal);
  }

  joint() {
    const { name, kind, axis, unit, low, high, driven, of_ball } = this.body.joint;
    const lines = [new Line("kind", of_ball ? `${kind}, one of three turns` : kind)];
    lines.push(new Line("axis, in body axes", direction(axis)));
    if (driven) lines.push(new Line("moved by", "a drive"));
    if (low !== null || high !== null)
      lines.push(new Line("limits", `${bound(low, unit)} … ${bound(high, unit)}`));
    const quantities = /** @type {const} */ ([
      ["q", "q"],
      ["qd", "velocity"],
      ["qdd", "acceleration"],
      ["tau", "effort given"],
      ["effort", "effort of its drive"],
    ]);
    for (const [ending, words] of quantities) {
      const line = this.follow(`${name}.${ending}`, words);
      if (line) lines.push(line);
    }
    return lines;
  }

  /**
   * A line for a signal; null if the plant does not have it.
   * @param {string} signal
   * @param {string} words
   */
  follow(signal, words) {
    const unit = this.units.get(signal);
    if (unit === undefined) return null;
    const line = new Line(words);
    this.live.push({ signal, unit: unitName(unit), line });
    return line;
  }

  /** @param {Anatomy} anatomy */
  touching(anatomy) {
    return anatomy.contacts.flatMap(({ name, bodies }, k) => {
      if (!bodies.includes(this.index)) return [];
      const line = new Line(name.replaceAll("_", " "));
      this.contacts.push({ index: k, line });
      return [line];
    });
  }

  /** @param {Anatomy} anatomy */
  loops(anatomy) {
    const lines = [];
    for (const { name, kind, bodies, joints } of anatomy.loops) {
      if (!bodies.includes(this.index) && !joints.includes(this.index)) continue;
      lines.push(new Line(name.replaceAll("_", " "), kind));
      if (!bodies.includes(this.index)) continue;
      for (const signal of this.units.keys())
        if (signal.startsWith(`lam.${name}.`) && this.live.length < FORCES) {
          const line = this.follow(signal, `– ${signal.slice(name.length + 5)}`);
          if (line) lines.push(line);
        }
    }
    return lines;
  }

  frames() {
    const { frames } = this.body;
    const lines = frames.slice(0, FRAMES).map(({ name, p }) => new Line(name, triple(p, "m")));
    if (frames.length > FRAMES) lines.push(new Line("and more", String(frames.length - FRAMES)));
    return lines;
  }

  /**
   * Where it is now; positions and quaternions of all bodies, 7 numbers each.
   * @param {Float32Array} poses
   */
  move(poses) {
    const at = 7 * this.index;
    if (at + 7 > poses.length) return;
    const origin = new THREE.Vector3().fromArray(poses, at);
    const turn = new THREE.Quaternion().fromArray(poses, at + 3);
    const center = new THREE.Vector3().fromArray(this.body.com).applyQuaternion(turn).add(origin);
    // poses have seven digits
    const floor = 1e-6 * Math.max(1e-3, origin.length(), center.length());
    this.place.show(triple(origin.toArray(), "m", floor));
    this.center.show(triple(center.toArray(), "m", floor));
  }

  /** @param {Record<string, number | null>} values */
  show(values) {
    for (const { signal, unit, line } of this.live)
      if (signal in values) line.show(withPrefix(values[signal], unit, 4));
  }

  /** @param {Readings["contacts"]} readings */
  touch(readings) {
    for (const { index, line } of this.contacts) {
      const [gap, force] = readings[index] ?? [null, null];
      if (gap === null) line.show("not in this mode");
      else line.show(gap > 0 ? `open, ${withPrefix(gap, "m")}` : withPrefix(force, "N"));
    }
  }
}

/**
 * @param {number | null} value
 * @param {string} unit
 */
function bound(value, unit) {
  return value === null ? "none" : withPrefix(value, unit, 4);
}

/**
 * @param {string} title
 * @param {Line[]} lines
 */
function section(title, lines) {
  if (!lines.length) return null;
  return make(
    "section",
    {},
    make("h3", {}, title),
    make("dl", {}, ...lines.map(({ element }) => element)),
  );
}
