// Cameras carried by bodies: the eye of a riding viewer.

import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Camera} Camera */

const LATER = 0.18; // time constant with which a level camera follows the heading [s]
const LONGEST = 0.1; // longest time step of this filter [s]

/** Moves the eye of a view along with a body. */
export class Ride {
  /** @type {Camera | null} */
  camera = null; // null: the eye is free
  /** @type {string | null} */
  body = null; // followed by a free eye
  /** @type {THREE.Vector3 | null} */
  last = null; // last position of that body
  /** @type {number | null} */
  heading = null; // [rad]
  moved = 0; // [s]

  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.view = view;
    view.carry = (now) => this.follow(now / 1000);
  }

  /** Whether a body carries the eye, so that it must not widen the view or move by itself. */
  get on() {
    return this.camera !== null || this.body !== null;
  }

  /**
   * Choose a camera; null: none, and the eye follows a body, or stays.
   * @param {Camera | null} camera
   * @param {string | null} body
   */
  take(camera, body) {
    const { eye } = this.view;
    Object.assign(this, { camera, body, last: null, heading: null });
    eye.ride = null;
    eye.glance = { turn: 0, lift: 0, zoom: 1 };
    eye.changed = true;
  }

  /**
   * Move the eye along with its body.
   * @param {number} now page time [s]
   */
  follow(now) {
    const { camera, body, view } = this;
    const node = view.nodes.get(camera?.body ?? body ?? "");
    if (!node || !view.bodies) return this.on;
    if (camera) view.eye.ride = this.place(camera, node, now);
    else this.accompany(node);
    this.moved = now;
    return this.on;
  }

  /**
   * Shift a free eye by the motion of its body.
   * @param {THREE.Object3D} node
   */
  accompany({ position }) {
    const { eye, stage } = this.view;
    if (!this.last) {
      this.last = position.clone();
      eye.surround(stage.corners); // wherever it is now
      return;
    }
    if (this.last.equals(position)) return;
    eye.target.add(position).sub(this.last);
    this.last.copy(position);
    eye.changed = true;
  }

  /**
   * Position and orientation of a camera, in the world.
   * @param {Camera} camera
   * @param {THREE.Object3D} node of its body
   * @param {number} now [s]
   */
  place({ eye, look, field, follow, mirror }, node, now) {
    const { up, glance } = this.view.eye;
    const turn = follow === "heading" ? this.level(node, up, now) : node.quaternion;
    const at = new THREE.Vector3(...look);
    const offset = new THREE.Vector3(...eye).sub(at);
    // from outside, looking around orbits the body
    if (follow === "heading") offset.applyAxisAngle(up, glance.turn);
    const from = offset.clone().add(at).applyQuaternion(turn).add(node.position);
    at.applyQuaternion(turn).add(node.position);
    const head = up.clone();
    if (follow === "fixed") head.applyQuaternion(turn);
    FRAME.lookAt(from, at, head);
    const aim = new THREE.Quaternion().setFromRotationMatrix(FRAME);
    if (follow === "fixed") {
      // from inside, looking around turns the head
      aim.premultiply(GLANCE.setFromAxisAngle(head, glance.turn));
      aim.multiply(GLANCE.setFromAxisAngle(RIGHT, glance.lift));
    }
    const behind = mirror && placeOn(node, mirror);
    return {
      from: from.toArray(),
      turn: aim.toArray(),
      field: field * glance.zoom,
      distance: offset.length(),
      mirror: behind,
    };
  }

  /**
   * Heading of a body about the vertical, followed with a short delay.
   * @param {THREE.Object3D} node
   * @param {THREE.Vector3} up
   * @param {number} now [s]
   */
  level({ quaternion }, up, now) {
    const ahead = new THREE.Vector3(1, 0, 0).applyQuaternion(quaternion);
    const goal = up.y ? Math.atan2(-ahead.z, ahead.x) : Math.atan2(ahead.y, ahead.x);
    const before = this.heading ?? goal;
    const way = Math.atan2(Math.sin(goal - before), Math.cos(goal - before));
    const passed = Math.min(Math.max(now - this.moved, 0), LONGEST);
    this.heading = before + way * (1 - Math.exp(-passed / LATER));
    return new THREE.Quaternion().setFromAxisAngle(up, this.heading);
  }
}

/**
 * Pose in the world of a viewer that looks from a point of a body to another.
 * @param {THREE.Object3D} node
 * @param {[[number, number, number], [number, number, number]]} points
 */
function placeOn(node, [eye, look]) {
  const from = node.localToWorld(new THREE.Vector3(...eye));
  const at = node.localToWorld(new THREE.Vector3(...look));
  FRAME.lookAt(from, at, new THREE.Vector3(0, 0, 1));
  const turn = new THREE.Quaternion().setFromRotationMatrix(FRAME);
  return { from: from.toArray(), turn: turn.toArray() };
}

const [FRAME, GLANCE] = [new THREE.Matrix4(), new THREE.Quaternion()];
const RIGHT = new THREE.Vector3(1, 0, 0);
