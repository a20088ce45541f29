// The body under the pointer, and the point on it.

import * as THREE from "./three.js";

/**
 * A point on a body.
 * @typedef {object} Picked
 * @property {string} body its name
 * @property {number} index of the body, in the order of the scene and of the poses
 * @property {THREE.Vector3} point_body the point in body axes [m]
 * @property {THREE.Vector3} point_world the point in the world, as shown [m]
 */

const AROUND = 8; // points tried around a pointer that is on no body

export class Picking {
  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.view = view;
    this.caster = new THREE.Raycaster();
  }

  /**
   * The body at a point of the window; if there is none, one within `reach` pixels; or null.
   * @param {number} x of the window, as `clientX` of events [px]
   * @param {number} y
   * @param {number} [reach] larger for fingers than for a mouse [px]
   * @param {DOMRect} [box] of the canvas; querying it lays out the page
   * @returns {Picked | null}
   */
  pick(x, y, reach = 0, box = this.view.canvas.getBoundingClientRect()) {
    const exact = this.look(x, y, box);
    if (exact !== undefined || !reach) return exact ?? null;
    for (const share of [0.5, 1]) {
      for (let k = 0; k < AROUND; k += 1) {
        const angle = (2 * Math.PI * k) / AROUND;
        const [dx, dy] = [Math.cos(angle) * share * reach, Math.sin(angle) * share * reach];
        const near = this.look(x + dx, y + dy, box);
        if (near) return near;
      }
    }
    return null;
  }

  /**
   * The ray through a point of the window.
   * @param {number} x
   * @param {number} y
   * @param {DOMRect} box of the canvas
   */
  ray(x, y, box) {
    const across = (2 * (x - box.left)) / box.width - 1;
    const up = 1 - (2 * (y - box.top)) / box.height;
    this.caster.setFromCamera(new THREE.Vector2(across, up), this.view.eye.camera);
    return this.caster.ray;
  }

  /**
   * What is exactly there: a body, null for the ground, undefined for nothing.
   * @param {number} x
   * @param {number} y
   * @param {DOMRect} box
   * @returns {Picked | null | undefined}
   */
  look(x, y, box) {
    const { stage, eye } = this.view;
    this.ray(x, y, box);
    this.caster.params.Line.threshold = 2 * eye.perPixel(box.height);
    /** @type {THREE.Object3D[]} */
    const nodes = [...stage.nodes.values()];
    for (const hit of this.caster.intersectObjects([...nodes, stage.ground], true)) {
      if (hit.object instanceof THREE.LineSegments) continue; // the outline of a solid
      const bent = stage.bent.find(({ object }) => object === hit.object);
      const node = bent ? nearest(bent.nodes, hit.point) : carrier(hit.object, nodes);
      if (node) return this.place(nodes.indexOf(node), node, hit.point);
      if (solid(hit.object)) return null;
    }
    return undefined;
  }

  /**
   * @param {number} index
   * @param {THREE.Object3D} node
   * @param {THREE.Vector3} point_world
   * @returns {Picked}
   */
  place(index, node, point_world) {
    const body = [...this.view.stage.nodes.keys()][index];
    return { body, index, point_body: node.worldToLocal(point_world.clone()), point_world };
  }
}

/**
 * The node of the body that an object belongs to; undefined for objects of the ground.
 * @param {THREE.Object3D} object
 * @param {THREE.Object3D[]} nodes
 */
function carrier(object, nodes) {
  /** @type {THREE.Object3D | null} */
  let part = object;
  while (part && !nodes.includes(part)) part = part.parent;
  return part ?? undefined;
}

/**
 * The node of a flexible link nearest to a point.
 * @param {THREE.Object3D[]} nodes
 * @param {THREE.Vector3} point
 */
function nearest(nodes, point) {
  const gap = (/** @type {THREE.Object3D} */ node) => node.position.distanceToSquared(point);
  return nodes.reduce((best, node) => (gap(node) < gap(best) ? node : best));
}

/**
 * Whether an object of the ground hides what is behind it; boxes around meshes are not solid.
 * @param {THREE.Object3D} object
 */
function solid(object) {
  return (
    object instanceof THREE.Mesh && !object.material.transparent && !object.userData.stands_for_mesh
  );
}
