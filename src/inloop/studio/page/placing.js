// Parts of a scene, placed again after parameters have moved the points that they depend on, as in
// studio/drawing; also masses and frames of the bodies.

import { principal } from "./principal.js";

/** @typedef {import("./messages.js").Scene} Scene */
/** @typedef {import("./messages.js").Anatomy} Anatomy */
/** @typedef {import("./plantfacts.js").UnplacedLook} UnplacedLook */
/** @typedef {[number, number, number]} Vector */

const SHORTEST = 1e-9; // [m]

/** Points by number; -1 is the origin of every body. */
export class Points {
  /** @param {ArrayLike<number>} numbers */
  constructor(numbers) {
    this.numbers = numbers;
  }

  /**
   * @param {number} k
   * @returns {Vector}
   */
  at(k) {
    if (k < 0) return [0, 0, 0];
    return [this.numbers[3 * k], this.numbers[3 * k + 1], this.numbers[3 * k + 2]];
  }
}

/**
 * A visual placed at its first point, from it to the second, or around them; see `placed_look`.
 * @param {UnplacedLook} look
 * @param {Points} points
 * @returns {import("./messages.js").Look}
 */
function placedLook({ points: numbers, outline, ...look }, points) {
  const shape = /** @type {any} */ (look.shape);
  if (outline) {
    const axes = [...shape.plane].map((letter) => "xyz".indexOf(letter));
    const corners = outline.map((k) => axes.map((axis) => points.at(k)[axis]));
    return { ...look, shape: { ...shape, corners } };
  }
  if (!numbers) return look;
  const [p, end] = numbers.map((k) => points.at(k));
  if (!end) return { ...look, position: p };
  const along = end.map((x, k) => x - p[k]);
  const length = Math.hypot(...along);
  const axis = length > 0 ? along.map((x) => x / length) : [0, 0, 1];
  const middle = /** @type {Vector} */ (p.map((x, k) => x + 0.5 * along[k]));
  return {
    ...look,
    position: middle,
    shape: { ...shape, length: Math.max(length, SHORTEST), axis },
  };
}

/**
 * The scene with all parts at their current places; bounds and thicknesses stay.
 * @param {Scene} scene
 * @param {import("./plantfacts.js").SceneParts} parts
 * @param {Points} points
 * @returns {Scene}
 */
export function placedScene(scene, parts, points) {
  const { bodies, ground, connectors, flexible } = parts;
  return {
    ...scene,
    bodies: scene.bodies.map((body, k) => ({
      ...body,
      shapes: bodies[k].map((look) => placedLook(look, points)),
    })),
    ground: ground.map((look) => placedLook(look, points)),
    connectors: scene.connectors.map((connector, k) => ({
      ...connector,
      from: { ...connector.from, p: points.at(connectors[k][0]) },
      to: { ...connector.to, p: points.at(connectors[k][1]) },
    })),
    flexible: scene.flexible.map((link, k) => {
      const { origin, turn, along, rests } = flexible[k];
      const p = points.at(origin);
      const x = points.at(turn);
      return {
        ...link,
        p,
        axes: [x, points.at(turn + 1), points.at(turn + 2)],
        along: points.at(along),
        nodes: link.nodes.map((node, i) => ({
          ...node,
          rest: points.at(rests[i]).reduce((sum, r, j) => sum + x[j] * (r - p[j]), 0),
        })),
      };
    }),
  };
}

/**
 * Current masses, centers of mass, principal moments and frames.
 * @param {Anatomy} anatomy
 * @param {import("./plantfacts.js").DrawnFacts["anatomy"]} numbers
 * @param {Points} points
 * @returns {Anatomy}
 */
export function placedAnatomy(anatomy, numbers, points) {
  return {
    ...anatomy,
    bodies: anatomy.bodies.map((body, k) => {
      const { mass, com, inertia, frames } = numbers[k];
      return {
        ...body,
        mass: points.at(mass)[0],
        com: points.at(com),
        ...principal(inertia.map((row) => points.at(row))),
        frames: frames.map(([name, at]) => ({ name, p: points.at(at) })),
      };
    }),
  };
}
