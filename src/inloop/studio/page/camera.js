// The camera: orbits a target in space, pans in front of the plane of a planar mechanism.

import { clamp } from "./numbers.js";
import { PLANES } from "./planes.js"; // right, up, towards the eye
import * as THREE from "./three.js";

/** @typedef {keyof typeof PLANES} Plane */
/** @typedef {Pick<import("./messages.js").Scene, "planar" | "up" | "bounds">} Seen */
/** @typedef {{ target: THREE.Vector3, high: number, distance: number }} Aim */
/** @typedef {{ from: number[], turn: number[] }} Place point, quaternion */
/** @typedef {Place & { field: number, distance: number, mirror: Place | null }} Carried field [deg], distance [m] */
/** @typedef {Eye["state"]} EyeState */

const FIELD = 32; // [deg]
const MARGIN = 1.05;
const HALF = Math.tan((0.5 * FIELD * Math.PI) / 180); // half the picture's height at a distance of one meter [m]
const TURN = { xy: -0.62, xz: -0.62, yz: 0.9 }; // of the eye about up, at home [rad]
const LIFT = 0.32; // above the horizon [rad]
const EDGE = 0.03; // of the height, kept free above and below
const WIDEST = 4; // at most so many times the declared bounds: bodies that fly away are not followed
const EASE = 0.08; // fraction of the way, per frame
// view of a riding viewer: nearest and farthest distance [m], largest field [deg]
const [NEAR, FAR, MOST_FIELD] = [0.12, 3000, 120];

export class Eye {
  /** @type {Plane | null} */
  plane = null;
  /** @type {THREE.Vector3[]} */
  points = [];
  flat = false;
  touched = false;
  box = new THREE.Box3();
  /** Initial view: points, if any, and a box around all of them. */
  first = { points: this.points, box: this.box, size: 1 };
  up = new THREE.Vector3();
  size = 1;
  natural = 1;
  high = 0;
  distance = 1;
  turn = 0;
  lift = 0;
  home = 1;
  /** @type {Aim | null} */
  goal = null;
  /** @type {Carried | null} */
  ride = null; // pose on the body that carries it; null: free
  wide = false; // the scenery reaches to the horizon
  glance = { turn: 0, lift: 0, zoom: 1 }; // of a riding viewer: to the left, up [rad], zoom factor
  constructor() {
    this.space = new THREE.PerspectiveCamera(FIELD);
    this.side = new THREE.OrthographicCamera();
    this.target = new THREE.Vector3();
    this.changed = true;
    this.aspect = 1;
    this.setScene({
      planar: null,
      up: "z",
      bounds: { min: [-1, -1, -1], max: [1, 1, 1], points: [] },
    });
  }

  /** All that another eye needs to show the same picture. */
  get state() {
    const { flat, plane, aspect, size, high, distance, turn, lift, ride, wide } = this;
    const [target, up] = [this.target.toArray(), this.up.toArray()];
    const box = { min: this.box.min.toArray(), max: this.box.max.toArray() };
    return { flat, plane, aspect, size, high, distance, turn, lift, ride, wide, target, up, box };
  }

  set state({ target, up, box, ...rest }) {
    Object.assign(this, rest);
    this.target.fromArray(target);
    this.up.fromArray(up);
    this.box.min.fromArray(box.min);
    this.box.max.fromArray(box.max);
  }

  get camera() {
    return this.flat && !this.ride ? this.side : this.space;
  }

  /** @param {Seen} scene */
  setScene({ planar, up, bounds }) {
    this.points = bounds.points.map((p) => new THREE.Vector3(...p));
    this.box = new THREE.Box3(new THREE.Vector3(...bounds.min), new THREE.Vector3(...bounds.max));
    this.size = this.box.getSize(new THREE.Vector3()).length() || 1;
    this.natural = this.size;
    this.remember();
    this.plane = planar;
    this.up = new THREE.Vector3(0, up === "y" ? 1 : 0, up === "y" ? 0 : 1);
    this.flat = this.plane !== null;
    this.fit();
  }

  /**
   * Zoom out to show points outside the picture, at once or gradually; false if all are visible.
   * @param {THREE.Vector3[]} points
   * @param {boolean} atOnce
   */
  include(points, atOnce) {
    const far = WIDEST * this.natural;
    const center = this.box.getCenter(new THREE.Vector3());
    const hidden = points.filter((p) => !this.sees(p) && p.distanceTo(center) < far);
    if (!hidden.length) return false;
    this.points = farthest([...this.outline, ...hidden]);
    const wider = this.box.clone().union(new THREE.Box3().setFromPoints(hidden));
    const size = wider.getSize(new THREE.Vector3()).length();
    this.box = wider;
    this.size = size;
    if (atOnce) this.remember();
    if (this.touched) return true;
    const { target, high, distance } = this;
    const from = { target: target.clone(), high, distance };
    this.fit();
    if (atOnce) return true;
    this.goal = { target: this.target.clone(), high: this.high, distance: this.distance };
    this.target.copy(from.target);
    this.high = from.high;
    this.distance = from.distance;
    return true;
  }

  remember() {
    this.first = { points: this.points, box: this.box.clone(), size: this.size };
  }

  /** The plant was reset: return to the view before the eye followed bodies out of the picture. */
  startAnew() {
    if (this.touched || this.size === this.first.size) return;
    this.points = this.first.points;
    this.box = this.first.box.clone();
    this.size = this.first.size;
    this.fit();
  }

  /**
   * Look at these points only.
   * @param {THREE.Vector3[]} points
   */
  surround(points) {
    this.points = [];
    this.box.setFromPoints(points);
    this.touched = false;
    this.fit();
  }

  /**
   * Whether a point is in the picture, or in the one that the eye moves to.
   * @param {THREE.Vector3} p
   */
  sees(p) {
    const { target, high, distance } = this.goal ?? this;
    const [right, up, towards] = this.flat ? this.axes() : this.viewAxes();
    OFFSET.subVectors(p, target);
    const half = this.flat ? high / 2 : HALF * (distance - OFFSET.dot(towards));
    const [x, y] = [OFFSET.dot(right), OFFSET.dot(up)];
    return Math.abs(x) <= half * this.aspect && Math.abs(y) <= half * (1 - EDGE);
  }

  /** Move the eye one frame closer to its target view. */
  ease() {
    const { goal } = this;
    if (!goal) return;
    if (this.touched) this.goal = null;
    this.target.lerp(goal.target, EASE);
    this.high += EASE * (goal.high - this.high);
    this.distance += EASE * (goal.distance - this.distance);
    this.changed = true;
    if (
      Math.abs(this.distance / goal.distance - 1) < 1e-3 &&
      Math.abs(this.high - goal.high) <= 1e-3 * goal.high
    )
      this.goal = null;
  }

  /** Points around everything shown. */
  get outline() {
    return this.points.length ? this.points : cornersOf(this.box);
  }

  /** Show the whole scene, from the side or from slightly above. */
  fit() {
    this.goal = null;
    this.turn = TURN[this.plane ?? "xz"];
    this.lift = LIFT;
    this.box.getCenter(this.target);
    const seen = this.flat ? this.axes() : this.viewAxes();
    const [right, up, towards] = seen;
    const corners = this.outline.map((p) => {
      OFFSET.subVectors(p, this.target);
      return { x: OFFSET.dot(right), y: OFFSET.dot(up), z: this.flat ? 0 : OFFSET.dot(towards) };
    });
    // half width and half height of the picture at distance 1
    const aside = (HALF * this.aspect) / MARGIN;
    const upright = (HALF * (1 - 2 * EDGE)) / MARGIN;
    const across = between(
      corners.map(({ x, z }) => ({ at: x, z })),
      aside,
      aside,
    );
    const level = between(
      corners.map(({ y, z }) => ({ at: y, z })),
      upright,
      upright,
    );
    const distance = Math.max(across.distance, level.distance) || this.size;
    this.target.addScaledVector(right, across.middle(distance));
    this.target.addScaledVector(up, level.middle(distance));
    this.distance = distance;
    this.high = this.flat ? 2 * HALF * distance : 0;
    this.home = this.flat ? this.high : this.distance;
    this.changed = true;
  }

  /** Right, up and towards the eye, in space. */
  viewAxes() {
    const [right, up, level] = this.homeAxes(this.turn);
    const [s, c] = [Math.sin(this.lift), Math.cos(this.lift)];
    const towards = level.clone().multiplyScalar(c).addScaledVector(up, s);
    return [right, up.multiplyScalar(c).addScaledVector(level, -s), towards];
  }

  /**
   * Right, up and horizontally towards the eye, at its initial position.
   * @param {number} [turn]
   */
  homeAxes(turn = TURN[this.plane ?? "xz"]) {
    const [s, c] = [Math.sin(turn), Math.cos(turn)];
    const up = this.up.clone();
    const level = up.y ? new THREE.Vector3(s, 0, c) : new THREE.Vector3(s, -c, 0);
    return [up.clone().cross(level), up, level];
  }

  /** Right, up and towards the eye, of the plane in view. */
  axes() {
    return PLANES[this.plane ?? "xz"].map((axis) => new THREE.Vector3(...axis));
  }

  /** @param {number} aspect */
  setAspect(aspect) {
    if (Math.abs(aspect - this.aspect) < 1e-3) return;
    const fitted = !this.touched;
    this.aspect = aspect;
    if (fitted) this.fit();
    this.changed = true;
  }

  toggleFlat() {
    if (!this.plane) return;
    this.flat = !this.flat;
    this.touched = false;
    this.fit();
  }

  /**
   * Turn by angles [rad], or pan in front of a planar mechanism.
   * @param {number} dx
   * @param {number} dy
   * @param {number} height
   */
  orbit(dx, dy, height) {
    if (this.ride) return this.lookRound((2 * dx) / height, (2 * dy) / height);
    if (this.flat) return this.pan(dx, dy, height);
    this.touched = true;
    this.turn -= (4.5 * dx) / height;
    this.lift = clamp(this.lift + (4.5 * dy) / height, -1.5, 1.5);
    this.changed = true;
  }

  /**
   * Pan by pixels.
   * @param {number} dx
   * @param {number} dy
   * @param {number} height
   */
  pan(dx, dy, height) {
    if (this.ride) return this.lookRound((2 * dx) / height, (2 * dy) / height);
    this.touched = true;
    const perPixel = (this.flat ? this.high : 2 * this.distance * HALF) / height;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * perPixel).addScaledVector(up, dy * perPixel);
    this.changed = true;
  }

  /**
   * Turn the head of a riding viewer by angles [rad].
   * @param {number} left
   * @param {number} up
   */
  lookRound(left, up) {
    this.glance.turn += left;
    this.glance.lift = clamp(this.glance.lift + up, -1.2, 1.2);
    this.changed = true;
  }

  /** @param {number} factor */
  zoom(factor) {
    if (this.ride) {
      this.glance.zoom = clamp(this.glance.zoom * factor, 0.2, 1.8);
      this.changed = true;
      return;
    }
    this.touched = true;
    if (this.flat) this.high = clamp(this.high * factor, 0.02 * this.home, 20 * this.home);
    else this.distance = clamp(this.distance * factor, 0.05 * this.home, 20 * this.home);
    this.changed = true;
  }

  /**
   * Length of one pixel at the target [m].
   * @param {number} height
   */
  perPixel(height) {
    return (this.flat ? this.high : 2 * this.distance * HALF) / height;
  }

  /**
   * Move the camera to its pose on a body.
   * @param {Carried} ride
   */
  applyRide({ from, turn, field }) {
    const { space: camera, aspect } = this;
    Object.assign(camera, { aspect, fov: Math.min(field, MOST_FIELD), near: NEAR, far: FAR });
    camera.position.fromArray(from);
    camera.quaternion.fromArray(turn);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.changed = false;
  }

  /** Move the camera to the eye. */
  apply() {
    if (this.ride) return this.applyRide(this.ride);
    const { camera, target } = this;
    const away = new THREE.Vector3();
    if (this.flat) {
      const [, up, towards] = this.axes();
      camera.up.copy(up);
      away.copy(towards).multiplyScalar(4 * this.size);
      const half = 0.5 * this.high;
      Object.assign(camera, {
        left: -half * this.aspect,
        right: half * this.aspect,
        top: half,
        bottom: -half,
        near: 0.01 * this.size,
        far: 8 * this.size,
      });
    } else {
      camera.up.copy(this.up);
      away.copy(this.viewAxes()[2]).multiplyScalar(this.distance);
      Object.assign(camera, {
        aspect: this.aspect,
        fov: FIELD,
        near: 0.02 * this.distance,
        far: this.wide ? FAR : this.distance + 8 * this.size,
      });
    }
    camera.position.copy(target).add(away);
    camera.lookAt(target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.changed = false;
  }
}

/**
 * The distance at which the eye sees all points, and where along an axis of the picture it looks.
 *
 * A point at `at` along the axis and z nearer is seen from distance d, with the middle at m, if
 * -(d - z) low <= at - m <= (d - z) high. Such an m exists from the distance at which the
 * largest of at + z high and the smallest of at - z low are d (high + low) apart.
 * @param {Array<{ at: number, z: number }>} points
 * @param {number} high
 * @param {number} low
 */
function between(points, high, low) {
  const most = Math.max(...points.map(({ at, z }) => at + z * high));
  const least = Math.min(...points.map(({ at, z }) => at - z * low));
  return {
    distance: (most - least) / (high + low),
    /** @param {number} d */
    middle: (d) => (most - d * high + least + d * low) / 2,
  };
}

/**
 * The farthest points in each of 26 directions.
 * @param {THREE.Vector3[]} points
 */
function farthest(points) {
  /** @type {Set<THREE.Vector3>} */
  const extremes = new Set();
  for (const way of WAYS) extremes.add(points.reduce((a, b) => (b.dot(way) > a.dot(way) ? b : a)));
  return [...extremes];
}

const OFFSET = new THREE.Vector3();
const WAYS = [-1, 0, 1].flatMap((x) =>
  [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => new THREE.Vector3(x, y, z))),
);

/** @param {THREE.Box3} box */
export function cornersOf({ min, max }) {
  return [min.x, max.x].flatMap((x) =>
    [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new THREE.Vector3(x, y, z))),
  );
}
