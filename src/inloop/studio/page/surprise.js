// A box that appears on the road ahead of the driver, at a random time, and whether it was hit.

import { overlap } from "./rectangles.js";
import { placeAhead } from "./roadahead.js";
import * as THREE from "./three.js";
import { randomNumbers } from "./tinted.js";

/** @typedef {import("./messages.js").Scenery} Scenery */
/** @typedef {import("./messages.js").Obstacle & { heading: number }} Box */

const JUMP = 30; // a body that moves so far between two frames was placed there [m]

export class Surprise {
  /** @type {"off" | "waiting" | "ahead" | "passed" | "hit"} */
  stand = "off";
  /** @type {{ t: number, box: Box } | null} */
  shown = null; // with the time at which it appeared [s]
  hits = 0; // in all runs
  wait = 0; // after the body has become fast enough [s]
  /** @type {number | null} */
  fast = null; // time since which the body is fast enough [s]
  /** @type {{ t: number, at: THREE.Vector3 } | null} */
  before = null; // the body in the previous frame

  /**
   * @param {Scenery | null} scenery
   * @param {number} body index of the driving body
   * @param {number} seed of its times
   */
  constructor(scenery, body, seed) {
    this.declared = body < 0 ? null : (scenery?.surprise ?? null);
    this.outline = scenery?.outline ?? { rear: 0, front: 0, half: 0, below: 0 };
    this.body = body;
    this.roads = (scenery?.ribbons ?? []).filter(({ surface }) => surface === "asphalt");
    this.random = randomNumbers(seed);
  }

  /** From now on the box may appear once, and once more after each reset. */
  arm() {
    if (!this.declared) return;
    const { earliest, latest } = this.declared;
    this.wait = earliest + this.random() * (latest - earliest);
    this.stand = "waiting";
    this.shown = this.fast = this.before = null;
  }

  disarm() {
    this.stand = "off";
    this.shown = null;
  }

  /**
   * Called for each frame of poses.
   * @param {import("./frames.js").Poses} frame
   */
  see({ t, bodies }) {
    if (this.stand === "off") return;
    if (this.before && t < this.before.t) this.arm(); // it was reset
    const { before } = this;
    const at = new THREE.Vector3().fromArray(bodies, 7 * this.body);
    AHEAD.set(1, 0, 0).applyQuaternion(TURN.fromArray(bodies, 7 * this.body + 3));
    const way = before ? before.at.distanceTo(at) : JUMP;
    if (before && t > before.t && way < JUMP)
      this.follow(at, Math.atan2(AHEAD.y, AHEAD.x), way / (t - before.t), t);
    if (!before || t > before.t) this.before = { t, at };
  }

  /**
   * @param {THREE.Vector3} at position of the body
   * @param {number} heading [rad]
   * @param {number} speed [m/s]
   * @param {number} t [s]
   */
  follow({ x, y, z }, heading, speed, t) {
    const { declared, outline } = this;
    if (!declared) return;
    this.fast = speed < declared.speed ? null : (this.fast ?? t);
    if (this.stand === "ahead") this.judge({ x, y, heading, ...outline });
    if (this.stand !== "waiting" || this.fast === null || t < this.fast + this.wait) return;
    const { size, color, ahead } = declared;
    const place = placeAhead(this.roads, { x, y, heading }, ahead + size[0] / 2);
    const base = /** @type {[number, number, number]} */ ([place.x, place.y, z - outline.below]);
    this.shown = { t, box: { at: base, heading: place.heading, size, color } };
    this.stand = "ahead";
  }

  /**
   * Determine whether the box is hit, or passed.
   * @param {import("./rectangles.js").Rectangle} body
   */
  judge(body) {
    if (!this.shown) return;
    const { at, heading, size } = this.shown.box;
    const [x, y] = at;
    const reach = { rear: -size[0] / 2, front: size[0] / 2, half: size[1] / 2 };
    const gone = (body.x - x) * Math.cos(heading) + (body.y - y) * Math.sin(heading);
    if (overlap(body, { x, y, heading, ...reach })) {
      this.stand = "hit";
      this.hits += 1;
    } else if (gone + body.rear > reach.front) this.stand = "passed";
  }

  /**
   * The box at a simulated time.
   * @param {number} t [s]
   */
  at(t) {
    return this.shown && t >= this.shown.t ? this.shown.box : null;
  }
}

const [AHEAD, TURN] = [new THREE.Vector3(), new THREE.Quaternion()];
