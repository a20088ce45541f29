// Bodies held by the pointer: a spring from the place that was picked to where the pointer is.

import { clamp } from "./numbers.js";
import * as THREE from "./three.js";

/** @typedef {import("./picking.js").Picked} Picked */
/** @typedef {import("./messages.js").Hold} Hold */

/**
 * What the pointer holds.
 * @typedef {object} Grasp
 * @property {Picked} picked
 * @property {THREE.Vector3} target where it is pulled to, in the world [m]
 * @property {THREE.Vector3} from where the pointer took hold, in the world [m]
 * @property {boolean} pushes by a plain force, not by a spring
 * @property {number} time when the pointer was there [ms]
 * @property {number} since when it took hold [ms]
 */

const SPACING = 6; // between two messages: the server takes 200 a second [ms]
const FIRMNESS = 256; // at most so many times as firm, or as soft, as suits the body
const FINGER = 0.05; // of the scene's size: so long a spring pushes as hard as a plain finger does
export const POINTER = 0; // number of its grip; the others are pins

export class Touch {
  /** @type {Grasp | null} */
  grasp = null;
  /** @type {Hold[]} */
  holds = [];
  mine = false;
  possible = false;
  firmness = 1;
  sent = -Infinity;
  /** @type {number | undefined} */
  timer;

  /**
   * @param {import("./view.js").View} view
   * @param {import("./connection.js").Connection} connection
   */
  constructor(view, connection) {
    this.view = view;
    view.steady = () => this.grasp !== null;
    this.connection = connection;
    this.plane = new THREE.Plane();
    /** @type {Array<(touch: Touch) => void>} */
    this.watchers = [];
  }

  /**
   * Another plant.
   * @param {boolean} possible
   */
  setPlant(possible) {
    this.clear();
    this.possible = possible;
    this.firmness = 1;
  }

  /** Nothing is held any more, for whatever reason. */
  clear() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.grasp = null;
    this.holds = [];
    this.mine = false;
    this.tell();
  }

  /** Can bodies be held now? Not while the page looks back. */
  get ready() {
    return this.possible && this.view.moment === null && (this.mine || !this.holds.length);
  }

  /**
   * Take hold of a place.
   * @param {Picked} picked
   * @param {boolean} pushes
   * @param {number} time
   */
  begin(picked, pushes, time) {
    const from = picked.point_world.clone();
    this.grasp = {
      picked,
      target: from.clone(),
      from,
      pushes,
      time,
      since: performance.now(),
    };
    this.send();
  }

  /**
   * The pointer is on a ray now.
   * @param {THREE.Ray} ray
   * @param {number} time
   */
  move(ray, time) {
    const { grasp, plane, view } = this;
    if (!grasp) return;
    // in the plane of the picture through where it was
    view.eye.camera.getWorldDirection(plane.normal);
    plane.setFromNormalAndCoplanarPoint(plane.normal, grasp.target);
    const place = ray.intersectPlane(plane, new THREE.Vector3());
    if (!place) return;
    grasp.target.copy(place);
    grasp.time = time;
    this.later();
  }

  /**
   * Firmer or softer, by this factor.
   * @param {number} factor
   */
  change(factor) {
    this.firmness = clamp(this.firmness * factor, 1 / FIRMNESS, FIRMNESS);
    if (this.grasp) this.later();
    this.tell();
  }

  /** Let go of what the pointer holds. */
  end() {
    if (!this.grasp) return;
    this.grasp = null;
    this.send();
  }

  /** Let the body stay held where it is, without the pointer. */
  pin() {
    if (!this.grasp) return;
    this.send();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.grasp = null;
    this.connection.say({ do: "pin" });
    this.tell();
  }

  /**
   * Take a pin out; all holds by default.
   * @param {number} [grip]
   */
  letGo(grip) {
    if (grip === undefined) this.grasp = null;
    this.connection.say({ do: "let_go", grip });
    this.tell();
  }

  /** The newest of what is to be said, as soon as the server takes it. */
  later() {
    const wait = this.sent + SPACING - performance.now();
    if (wait <= 0) this.send();
    else this.timer ??= setTimeout(() => this.send(), wait);
  }

  send() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sent = performance.now();
    this.connection.touch(this.grasp && this.wish(this.grasp), this.firmness);
    this.tell();
  }

  /**
   * What the server is told.
   * @param {Grasp} grasp
   */
  wish({ picked, target, from, pushes, time }) {
    const push = new THREE.Vector3();
    if (pushes) {
      // away from the eye, and where the pointer is drawn to
      const { eye } = this.view;
      if (!eye.flat) eye.camera.getWorldDirection(push).multiplyScalar(FINGER * eye.size);
      push.add(target).sub(from);
    }
    return {
      body: picked.index,
      point: picked.point_body.toArray(),
      target: target.toArray(),
      push: push.toArray(),
      time,
    };
  }

  /**
   * What the server says is held, and by whom.
   * @param {import("./messages.js").Held} message
   */
  show({ mine, holds }) {
    this.mine = mine;
    this.holds = holds;
    this.tell();
  }

  tell() {
    for (const watch of this.watchers) watch(this);
  }
}
