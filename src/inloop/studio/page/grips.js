// Bodies of an embedded plant held by the pointer or pinned, as in studio/plants/touch.py.

import { GRIP, MOST_GRIPS, PULL } from "./wasmplant.js";

const POINTER = 0; // number of the grip that the pointer moves; the others are pins

/** @typedef {import("./plantframes.js").ReadTouch} ReadTouch */
/** @typedef {{ hold: ReadTouch, mass: number }} Held mass of the point [kg]; 0 until it is known */

/**
 * @param {number} x
 * @param {number} most
 */
const within = (x, most) => Math.min(Math.max(x, -most), most);

export class Grips {
  /**
   * @param {import("./wasmplant.js").WasmPlant} plant
   * @param {import("./plantfacts.js").HeldFacts} facts
   * @param {string[]} bodies in the order of the scene
   */
  constructor(plant, facts, bodies) {
    this.plant = plant;
    this.facts = facts;
    this.numbers = bodies.map((name) => facts.bodies.indexOf(name) + 1); // 0: cannot be held
    /** @type {Map<number, Held>} */
    this.held = new Map();
  }

  /**
   * Hold a body with the pointer, or release it; false if there is no such body.
   * @param {ReadTouch} hold
   */
  set(hold) {
    if (hold.body < 0) this.held.delete(POINTER);
    else {
      if (!this.numbers[hold.body]) return false;
      const { far, size, firmness } = this.facts;
      const before = this.held.get(POINTER);
      const same =
        before?.hold.body === hold.body && before.hold.point.every((x, k) => x === hold.point[k]);
      this.held.set(POINTER, {
        hold: {
          ...hold,
          firmness: Math.min(Math.max(hold.firmness, firmness[0]), firmness[1]),
          target: vector(hold.target, far * size),
          push: vector(hold.push, firmness[1] * far * size),
        },
        mass: same ? before.mass : 0,
      });
    }
    this.write();
    return true;
  }

  /** Pin the body that the pointer holds; false if that is not possible. */
  pin() {
    const held = this.held.get(POINTER);
    const free = [1, 2, 3].find((k) => k < MOST_GRIPS && !this.held.has(k));
    if (!held || free === undefined) return false;
    this.held.delete(POINTER);
    this.held.set(free, held);
    this.write();
    return true;
  }

  /** @param {number} [number] of a pin; all by default */
  letGo(number) {
    if (number === undefined) this.held.clear();
    else this.held.delete(number);
    this.write();
  }

  /** Read the masses that the plant has computed for newly held points. */
  learn() {
    let fresh = false;
    for (const [number, held] of this.held) {
      const mass = this.plant.pulls[PULL.size * number + PULL.mass];
      if (held.mass === 0 && mass > 0) {
        held.mass = mass;
        fresh = true;
      }
    }
    if (fresh) this.write();
  }

  /**
   * Stiffness and damping for the firmness of a hold.
   * @param {Held} held
   */
  spring({ hold, mass }) {
    const { quick, gravity, sag, size, damped } = this.facts;
    const stiffness = hold.firmness * mass * Math.max(quick ** 2, gravity / (sag * size));
    return { stiffness, damping: 2 * damped * Math.sqrt(stiffness * mass) };
  }

  /** Write all grips to the plant. */
  write() {
    const { plant } = this;
    if (!this.held.size) {
      plant.exports.page_let_go();
      return;
    }
    plant.grips.fill(0);
    for (const [number, held] of this.held) {
      const at = GRIP.size * number;
      const { stiffness, damping } = this.spring(held);
      const pushes = held.hold.push.some((x) => x !== 0);
      plant.grips[at + GRIP.body] = this.numbers[held.hold.body];
      plant.grips.set(held.hold.point, at + GRIP.point);
      plant.grips.set(held.hold.target, at + GRIP.target);
      plant.grips[at + GRIP.stiffness] = pushes ? 0 : stiffness;
      plant.grips[at + GRIP.damping] = pushes ? 0 : damping;
      const force = held.hold.push.map((x) => stiffness * x);
      plant.grips.set(force, at + GRIP.force);
    }
    plant.exports.page_hold();
  }

  /** @returns {Array<import("./messages.js").Hold>} */
  messages() {
    return [...this.held]
      .sort(([a], [b]) => a - b)
      .map(([grip, held]) => {
        const { hold, mass } = held;
        const at = PULL.size * grip;
        const pushes = hold.push.some((x) => x !== 0);
        return {
          grip,
          body: hold.body,
          point: hold.point,
          target: hold.target,
          pushes,
          firmness: hold.firmness,
          mass,
          stiffness: pushes ? 0 : this.spring(held).stiffness,
          force: vector(this.plant.pulls.subarray(at + PULL.force, at + PULL.force + 3)),
          limited: this.plant.pulls[at + PULL.limited],
        };
      });
  }
}

/**
 * @param {ArrayLike<number>} values
 * @param {number} most of each
 * @returns {[number, number, number]}
 */
function vector(values, most = Infinity) {
  return [within(values[0], most), within(values[1], most), within(values[2], most)];
}
