// Bodies held by the pointer: a spring from the picked point to the pointer.

import { clamp } from "./numbers.js";
import * as THREE from "./three.js";

/** @typedef {import("./picking.js").Picked} Picked */
/** @typedef {import("./messages.js").Hold} Hold */

/**
 * A body held by the pointer.
 * @typedef {object} Grasp
 * @property {Picked} picked
 * @property {THREE.Vector3} target to which it is pulled, in the world [m]
 * @property {THREE.Vector3} from where the pointer took hold, in the world [m]
 * @property {boolean} pushes by a constant force, not by a spring
 * @property {number} time when the pointer was there [ms]
 * @property {number} since when it took hold [ms]
 */

const SPACING = 6; // between two messages: the server accepts 200 per second [ms]
const FIRMNESS = 256; // largest factor by which the spring is firmer or softer than the default for the body
const FINGER = 0.05; // elongation of a spring that pushes as hard as a finger, relative to the scene's size
export const POINTER = 0; // number of the pointer's grip; the others are pins

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
   * A new plant.
   * @param {boolean} possible
   */
  setPlant(possible) {
    this.clear();
    this.possible = possible;
    this.firmness = 1;
  }

  /** Nothing is held any more, for any reason. */
  clear() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.grasp = null;
    this.holds = [];
    this.mine = false;
    this.notify();
  }

  /** Whether bodies can be held now: not while rewinding. */
  get ready() {
    return this.possible && this.view.moment === null && (this.mine || !this.holds.length);
  }

  /**
   * Take hold of a point.
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
    // in the plane through its last position and parallel to the picture
    view.eye.camera.getWorldDirection(plane.normal);
    plane.setFromNormalAndCoplanarPoint(plane.normal, grasp.target);
    const place = ray.intersectPlane(plane, new THREE.Vector3());
    if (!place) return;
    grasp.target.copy(place);
    grasp.time = time;
    this.later();
  }

  /**
   * Change the firmness by a factor.
   * @param {number} factor
   */
  change(factor) {
    this.firmness = clamp(this.firmness * factor, 1 / FIRMNESS, FIRMNESS);
    if (this.grasp) this.later();
    this.notify();
  }

  /** Release the body held by the pointer. */
  end() {
    if (!this.grasp) return;
    this.grasp = null;
    this.send();
  }

  /** Pin the body where it is, without the pointer. */
  pin() {
    if (!this.grasp) return;
    this.send();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.grasp = null;
    this.connection.say({ do: "pin" });
    this.notify();
  }

  /**
   * Release a pin; all holds by default.
   * @param {number} [grip]
   */
  letGo(grip) {
    if (grip === undefined) this.grasp = null;
    this.connection.say({ do: "let_go", grip });
    this.notify();
  }

  /** Send the newest state as soon as the server accepts it. */
  later() {
    const wait = this.sent + SPACING - performance.now();
    if (wait <= 0) this.send();
    else this.timer ??= setTimeout(() => this.send(), wait);
  }

  send() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sent = performance.now();
    this.connection.touch(this.grasp && this.message(this.grasp), this.firmness);
    this.notify();
  }

  /**
   * The message to the server.
   * @param {Grasp} grasp
   */
  message({ picked, target, from, pushes, time }) {
    const push = new THREE.Vector3();
    if (pushes) {
      // away from the eye, and along the motion of the pointer
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
   * Show which bodies are held according to the server, and by whom.
   * @param {import("./messages.js").Held} message
   */
  show({ mine, holds }) {
    this.mine = mine;
    this.holds = holds;
    this.notify();
  }

  notify() {
    for (const watch of this.watchers) watch(this);
  }
}
