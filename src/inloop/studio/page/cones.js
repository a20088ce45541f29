// Cones that fall when a body drives over them: the pose of each follows from the time at which it was
// hit, so that rewinding works and they stand again after a reset.

import * as THREE from "./three.js";
import { coloured, plain, unbounded } from "./tinted.js";

/** @typedef {{ t: number, push: THREE.Vector3, axis: THREE.Vector3 }} Hit time [s], velocity [m/s] */

const [HIGH, WIDE] = [0.5, 0.14]; // [m]
const SLOWED = 5; // deceleration on the ground [m/s²]
const SHARE = 0.55; // of the body's velocity that a cone takes on
const TIP = 9; // how fast it falls [rad/s]
const JUMP = 30; // a body that moves so far between two frames was placed there [m]

export class Cones {
  /** @type {Map<number, Hit>} */
  hits = new Map();
  /** @type {THREE.Matrix4 | null} */
  before = null; // pose of the body in the previous frame
  t = 0; // of that frame [s]
  fallen = 0;

  /** @param {import("./messages.js").Scenery} scenery */
  constructor({ cones, outline }) {
    this.places = cones.map((place) => new THREE.Vector3(...place));
    this.outline = outline;
    this.object = unbounded(
      new THREE.InstancedMesh(coneShape(), plain({ vertexColors: true }), cones.length),
    );
    this.places.forEach((_, k) => {
      this.put(k, 0);
    });
  }

  /**
   * Show the cones at a time; a body that drives over some of them pushes them.
   * @param {THREE.Object3D} node of the body
   * @param {number} t simulated time [s]
   * @param {boolean} back whether the display is rewound: then no cone is hit
   */
  update(node, t, back) {
    if (!this.places.length) return;
    const { before } = this;
    const now = node.matrixWorld.clone();
    if (!back) {
      for (const [k, hit] of this.hits) if (hit.t > t) this.hits.delete(k); // it was reset
      if (before && t > this.t) this.push(before, now, t);
      this.before = now;
      this.t = t;
    }
    this.fallen = 0;
    for (let k = 0; k < this.places.length; k += 1) this.put(k, t);
    this.object.instanceMatrix.needsUpdate = true;
  }

  /**
   * @param {THREE.Matrix4} before
   * @param {THREE.Matrix4} now poses of the body
   * @param {number} t [s]
   */
  push(before, now, t) {
    const velocity = new THREE.Vector3().setFromMatrixPosition(now);
    velocity.sub(START.setFromMatrixPosition(before));
    if (velocity.length() > JUMP) return;
    velocity.divideScalar(t - this.t);
    const [old, fresh] = [before.clone().invert(), now.clone().invert()];
    this.places.forEach((place, k) => {
      if (this.hits.has(k)) return;
      // in axes of the body, the cone has moved along a straight line
      START.copy(place).applyMatrix4(old);
      END.copy(place).applyMatrix4(fresh);
      if (!this.passes(START, END)) return;
      const aside = Math.sign(END.y) || 1;
      const push = velocity.clone().multiplyScalar(SHARE);
      push.z = 0;
      push.add(SIDE.set(-velocity.y, velocity.x, 0).multiplyScalar(0.12 * aside));
      const axis = new THREE.Vector3(-push.y, push.x, 0).normalize();
      this.hits.set(k, { t, push, axis });
    });
  }

  /**
   * Whether a path in axes of the body, seen from above, meets its outline.
   * @param {THREE.Vector3} from
   * @param {THREE.Vector3} to
   */
  passes(from, to) {
    const { rear, front, half } = this.outline;
    let [enter, leave] = [0, 1];
    for (const [a, b, low, high] of [
      [from.x, to.x, rear - WIDE, front + WIDE],
      [from.y, to.y, -half - WIDE, half + WIDE],
    ]) {
      const way = b - a;
      if (Math.abs(way) < 1e-12) {
        if (a < low || a > high) return false;
        continue;
      }
      const [p, q] = [(low - a) / way, (high - a) / way];
      enter = Math.max(enter, Math.min(p, q));
      leave = Math.min(leave, Math.max(p, q));
    }
    return enter <= leave;
  }

  /**
   * Place a cone: it stands, or it slides and lies.
   * @param {number} k
   * @param {number} t [s]
   */
  put(k, t) {
    const place = this.places[k];
    const hit = this.hits.get(k);
    POSE.position.copy(place);
    POSE.quaternion.identity();
    if (hit && t >= hit.t) {
      this.fallen += 1;
      const speed = hit.push.length();
      const time = Math.min(t - hit.t, speed / SLOWED);
      const way = speed * time - (SLOWED / 2) * time * time;
      if (speed > 0) POSE.position.addScaledVector(hit.push, way / speed);
      const lean = Math.min(TIP * (t - hit.t), Math.PI / 2);
      POSE.quaternion.setFromAxisAngle(hit.axis, lean);
      POSE.position.z += WIDE * Math.sin(lean);
    }
    POSE.updateMatrix();
    this.object.setMatrixAt(k, POSE.matrix);
  }
}

/** A cone with white bands on a foot, z up. */
function coneShape() {
  const [orange, white] = ["#f2591b", "#f5f2ea"];
  /**
   * @param {number} from
   * @param {number} to
   */
  const ring = (from, to) => {
    /** @param {number} z */
    const radius = (z) => 0.11 * (1 - z / HIGH) + 0.02;
    return new THREE.CylinderGeometry(radius(to), radius(from), to - from, 9, 1, true).translate(
      0,
      (from + to) / 2,
      0,
    );
  };
  return coloured([
    [new THREE.BoxGeometry(2 * WIDE, 0.04, 2 * WIDE).translate(0, 0.02, 0), "#30302e"],
    [ring(0.04, 0.18), orange],
    [ring(0.18, 0.27), white],
    [ring(0.27, 0.36), orange],
    [ring(0.36, 0.42), white],
    [ring(0.42, HIGH), orange],
  ]).rotateX(Math.PI / 2);
}

const POSE = new THREE.Object3D();
const [START, END, SIDE] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
