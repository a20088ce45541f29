// Sliders that set joints while the plant is paused; joints coupled by loops follow.

import { carried } from "./carried.js";
import { byId, make } from "./dom.js";
import { NumberField } from "./numberfield.js";
import { clamp, NOISE } from "./numbers.js";
import { STEPS, scaleOf } from "./sliderscale.js";

/** @typedef {import("./messages.js").BodyJoint} BodyJoint */

const PERIOD = 60; // between two positions sent while a slider moves [ms]
const MOST_JOINTS = 40; // sliders at once

class JointRow {
  /** @type {number | null} */
  waiting = null;
  /** @type {number | undefined} */
  timer;
  moving = false; // being dragged

  /**
   * @param {BodyJoint} joint
   * @param {number} length of the mechanism [m]
   * @param {(q: number) => void} place
   */
  constructor(joint, length, place) {
    this.joint = joint;
    this.place = place;
    const reach = joint.unit === "rad" ? Math.PI : 0.5 * length;
    /** @type {[number, number]} */
    this.range = [joint.low ?? joint.start - reach, joint.high ?? joint.start + reach];
    this.scale = scaleOf(...this.range);
    const { name, unit, low, high } = joint;
    const size = unit === "rad" ? 1 : Math.max(...this.range.map(Math.abs));
    this.field = new NumberField({ name: `Joint ${name}`, unit, size, low, high }, (q) => place(q));
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      "aria-label": `Joint ${name}`,
      oninput: () => this.slid(this.scale.value(Number(this.slider.value))),
      onchange: () => {
        this.moving = false;
        this.show(this.told);
      },
    });
    this.told = joint.start;
    this.element = make(
      "div",
      { className: "joint-row" },
      make("span", { className: "name" }, name),
      make("div", { className: "track" }, this.slider),
      this.field.element,
      this.field.unit,
    );
  }

  /** @param {number} q */
  slid(q) {
    this.moving = true;
    this.field.show(q, true);
    this.fill(q);
    this.waiting = q;
    if (this.timer === undefined) this.send();
  }

  /** Send the newest position only, at a limited rate. */
  send() {
    this.timer = undefined;
    if (this.waiting === null) return;
    this.place(this.waiting);
    this.waiting = null;
    this.timer = setTimeout(() => this.send(), PERIOD);
  }

  /**
   * Show the position reported by the plant.
   * @param {number} q
   */
  show(q) {
    this.told = q;
    if (this.moving) return;
    const [low, high] = this.range;
    if (q < low || q > high) {
      // turned more than once, or beyond its limits: extend the slider
      this.range = [Math.min(low, q), Math.max(high, q)];
      this.scale = scaleOf(...this.range);
    }
    this.field.show(Math.abs(q) < NOISE ? 0 : q);
    this.slider.value = String(clamp(this.scale.place(q), 0, STEPS));
    this.fill(q);
  }

  /** @param {number} q */
  fill(q) {
    const place = clamp(this.scale.place(q), 0, STEPS);
    this.slider.style.setProperty("--fill", `${(100 * place) / STEPS}%`);
  }
}

export class JointRows {
  /** @type {JointRow[]} */
  rows = [];
  allowed = false;
  /** @type {string | null} */
  state = null;
  length = 1;

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    this.keep = make("input", { type: "checkbox", id: "keep-velocities" });
    this.note = make("p", { className: "quiet" });
    this.list = make("div", { className: "rows" });
    this.element = make(
      "section",
      { className: "joints", "aria-label": "Set joints" },
      make("h3", {}, "Set joints"),
      this.note,
      make(
        "label",
        { className: "keep", title: "Otherwise, everything is at rest after a joint is set" },
        this.keep,
        "keep velocities",
      ),
      this.list,
    );
  }

  /**
   * Build rows for the joints that can be set: not driven, and not rotations of a ball joint.
   * @param {BodyJoint[]} joints
   */
  setJoints(joints) {
    const free = joints.filter(({ driven, of_ball }) => !driven && !of_ball);
    this.rows = free.slice(0, MOST_JOINTS).map(
      (joint) =>
        new JointRow(joint, this.length, (q) =>
          this.connection.say({
            do: "place",
            coordinate: joint.name,
            q,
            keep_velocities: this.keep.checked,
          }),
        ),
    );
    this.left = free.length - this.rows.length;
    this.list.replaceChildren(...this.rows.map(({ element }) => element));
    this.showNote();
  }

  /** @param {string | null} state of the plant */
  setState(state) {
    if (state === this.state) return;
    this.state = state;
    this.showNote();
  }

  /** Joints can be set while the plant is paused; otherwise a note tells why not. */
  showNote() {
    const stands = this.state === "paused" && this.allowed;
    // a page with an embedded plant cannot set joints
    this.element.hidden = !this.rows.length || (carried !== null && !this.allowed);
    this.list.hidden = !stands;
    byId("inspect").classList.toggle("stands", stands);
    const left = this.left ? ` ${this.left} more: find them by name.` : "";
    this.note.textContent = !this.allowed
      ? "This plant was started by another program, which does not allow joints to be set from here."
      : stands
        ? `Joints coupled by loops follow.${left}`
        : "Pause to set joints.";
  }

  /** Signals of the joint positions. */
  get signals() {
    return this.state === "paused" && this.allowed
      ? this.rows.map(({ joint }) => `${joint.name}.q`)
      : [];
  }

  /** @param {Record<string, number | null>} values */
  show(values) {
    for (const row of this.rows) {
      const q = values[`${row.joint.name}.q`];
      if (typeof q === "number") row.show(q);
    }
  }
}
