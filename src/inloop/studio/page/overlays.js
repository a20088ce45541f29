// Centers of mass, frames of bodies and axes of joints, drawn over the mechanism; a box around the
// selected body.

import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Anatomy} Anatomy */

/**
 * What is shown.
 * @typedef {object} Overlay
 * @property {Anatomy} anatomy
 * @property {boolean} coms
 * @property {boolean} frames
 * @property {boolean} axes
 * @property {boolean} all for all bodies, or only for the selected one
 * @property {number} selected number of the body; -1: none
 * @property {{ min: number[], max: number[] } | null} box around it, in its axes [m]
 * @property {string} accent
 */

const [COM, FRAME, AXIS, LEAST] = [0.012, 0.06, 0.09, 0.35]; // sizes, relative to the mechanism
const COLOURS = [0xd2452d, 0x4a8a3f, 0x3f6fd0]; // x, y, z
const OVER = { depthTest: false, transparent: true };

export class Overlays {
  /** @type {Overlay | null} */
  shown = null;

  constructor() {
    /** @type {THREE.Object3D[]} */
    this.objects = [];
  }

  /**
   * Attach the marks to the bodies; `size` is that of the mechanism [m].
   * @param {Map<string, THREE.Group>} nodes
   * @param {number} size
   */
  attach(nodes, size) {
    for (const object of this.objects) {
      object.removeFromParent();
      object.traverse(free);
    }
    this.objects = [];
    const { shown } = this;
    if (!shown) return;
    const groups = [...nodes.values()];
    // marks are scaled by the number of bodies, so that those of a long chain do not hide it
    const unit = size * Math.max(LEAST, Math.min(1, 6 / Math.max(groups.length, 1)));
    shown.anatomy.bodies.forEach((body, index) => {
      const selected = index === shown.selected;
      const node = groups[index];
      if (!node || !(selected || (shown.all && !body.node))) return;
      const scale = selected ? size : unit;
      if (shown.coms && body.mass > 0) this.hang(node, centerMark(body.com, COM * scale));
      if (shown.frames) this.hang(node, axesMark(FRAME * scale));
      if (shown.axes && !body.joint.of_ball)
        this.hang(node, lineMark(body.joint.axis, AXIS * scale, shown.accent));
      if (selected && shown.box) this.hang(node, boxMark(shown.box, shown.accent));
    });
  }

  /**
   * @param {THREE.Group} node
   * @param {THREE.Object3D} mark
   */
  hang(node, mark) {
    mark.traverse((part) => {
      part.renderOrder = 20;
    });
    node.add(mark);
    this.objects.push(mark);
  }
}

/** @param {THREE.Object3D} object */
function free(object) {
  if (!(object instanceof THREE.Mesh || object instanceof THREE.LineSegments)) return;
  object.geometry.dispose();
  /** @type {THREE.Material} */ (object.material).dispose();
}

/**
 * A ball in two colors, the usual symbol of centers of mass.
 * @param {number[]} com
 * @param {number} radius
 */
function centerMark(com, radius) {
  const group = new THREE.Group();
  for (let k = 0; k < 8; k += 1) {
    // eighths of a sphere, alternately black and white
    const part = new THREE.SphereGeometry(
      radius,
      8,
      6,
      ((k % 4) * Math.PI) / 2,
      Math.PI / 2,
      k < 4 ? 0 : Math.PI / 2,
      Math.PI / 2,
    );
    const dark = (k + Number(k >= 4)) % 2 === 0;
    const material = new THREE.MeshBasicMaterial({ color: dark ? 0x111111 : 0xf7f7f5, ...OVER });
    group.add(new THREE.Mesh(part, material));
  }
  group.position.fromArray(com);
  return group;
}

/**
 * Axes of a frame: x red, y green, z blue.
 * @param {number} length
 */
function axesMark(length) {
  const group = new THREE.Group();
  COLOURS.forEach((color, k) => {
    const rod = new THREE.CylinderGeometry(0.03 * length, 0.03 * length, length, 8);
    rod.translate(0, 0.5 * length, 0);
    const tip = new THREE.ConeGeometry(0.09 * length, 0.24 * length, 10).translate(0, length, 0);
    const material = new THREE.MeshBasicMaterial({ color, ...OVER });
    const arm = new THREE.Group().add(new THREE.Mesh(rod, material), new THREE.Mesh(tip, material));
    if (k === 0) arm.rotation.z = -Math.PI / 2;
    if (k === 2) arm.rotation.x = Math.PI / 2;
    group.add(arm);
  });
  return group;
}

/**
 * The axis of a joint, through the origin of its body.
 * @param {number[]} axis
 * @param {number} half
 * @param {string} colour
 */
function lineMark(axis, half, colour) {
  const rod = new THREE.CylinderGeometry(0.025 * half, 0.025 * half, 2 * half, 8);
  const tip = new THREE.ConeGeometry(0.08 * half, 0.2 * half, 10).translate(0, half, 0);
  const material = new THREE.MeshBasicMaterial({ color: colour, ...OVER, opacity: 0.9 });
  const mark = new THREE.Group().add(new THREE.Mesh(rod, material), new THREE.Mesh(tip, material));
  const direction = new THREE.Vector3().fromArray(axis);
  mark.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction.normalize());
  return mark;
}

/**
 * @param {{ min: number[], max: number[] }} box
 * @param {string} colour
 */
function boxMark({ min, max }, colour) {
  const [low, high] = [new THREE.Vector3().fromArray(min), new THREE.Vector3().fromArray(max)];
  const size = high.clone().sub(low);
  const edges = new THREE.EdgesGeometry(new THREE.BoxGeometry(size.x, size.y, size.z));
  const lines = new THREE.LineSegments(
    edges,
    new THREE.LineBasicMaterial({ color: colour, ...OVER }),
  );
  lines.position.copy(low.add(high).multiplyScalar(0.5));
  return lines;
}

/**
 * A box around the drawing of a body, in its axes, with a small margin; null if nothing is drawn.
 * @param {THREE.Object3D} node
 */
export function boxOf(node) {
  const box = new THREE.Box3();
  const back = node.matrixWorld.clone().invert();
  node.traverse((object) => {
    const geometry = /** @type {Partial<THREE.Mesh>} */ (object).geometry;
    if (!geometry) return;
    geometry.computeBoundingBox();
    if (!geometry.boundingBox) return;
    box.union(geometry.boundingBox.clone().applyMatrix4(back.clone().multiply(object.matrixWorld)));
  });
  if (box.isEmpty()) return null;
  box.expandByScalar(0.04 * box.getSize(new THREE.Vector3()).length());
  return { min: box.min.toArray(), max: box.max.toArray() };
}
