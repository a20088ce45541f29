// Flexible links: tubes through their nodes, and exaggerated displacements.

import { surface } from "./materials.js";
import { shaded } from "./shapes.js";
import { skin } from "./solids.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Scene} Scene */
/** @typedef {import("./messages.js").Flexible} Flexible */
/** @typedef {[number, number, number]} Vector */
/** @typedef {{ x: number, y: number, slope: number }} Knot a node of the curve */
/** @typedef {(index: number, into: THREE.Matrix4) => THREE.Matrix4} Reader pose of a body */

const PER_ELEMENT = 8; // stretches of a tube
const AROUND = 12; // corners of its section

const [ROOT, AXES, NODE, BACK] = Array.from({ length: 4 }, () => new THREE.Matrix4());
const [POINT, ALONG, ONE] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(1, 1, 1)];
const [TURN, Z] = [new THREE.Quaternion(), new THREE.Vector3(0, 0, 1)];

/**
 * Axes E of a link in its body: x along it, z the axis of bending.
 * @param {import("./messages.js").Flexible} link
 * @param {THREE.Matrix4} [into]
 */
function axes({ p, axes: [x, y, z] }, into = new THREE.Matrix4()) {
  const [ex, ey, ez] = [x, y, z].map((v) => new THREE.Vector3(...v));
  return into.makeBasis(ex, ey, ez).setPosition(...p);
}

/**
 * Angle in the link's plane between E and a node, from the pose of the node in E.
 * @param {THREE.Matrix4} pose
 * @param {Vector} along
 */
function angleOf(pose, along) {
  ALONG.fromArray(along).transformDirection(pose);
  return Math.atan2(ALONG.y, ALONG.x);
}

/**
 * The poses with nodes displaced `factor` times as far from the straight link; bodies attached to
 * them move along. In a loop they are displaced from the chord between root and tip instead, and
 * the tip stays in place, so that the loop stays closed.
 * @param {Float32Array} poses
 * @param {Scene} scene
 * @param {number} factor
 */
export function exaggerate(poses, scene, factor) {
  const nodes = new Map();
  for (const link of scene.flexible)
    for (const { body, rest } of link.nodes) nodes.set(body, { link, rest });
  /** @type {Reader} */
  const read = (index, into) =>
    index < 0
      ? into.identity()
      : into.compose(POINT.fromArray(poses, 7 * index), TURN.fromArray(poses, 7 * index + 3), ONE);
  /** @type {THREE.Matrix4[]} */
  const shown = []; // poses of bodies, as parents of others
  /** @type {Reader} */
  const at = (index, into) => (index < 0 ? into.identity() : into.copy(shown[index]));
  const out = poses.slice();
  scene.bodies.forEach(({ parent }, index) => {
    const node = nodes.get(index);
    const carrier = node ? node.link.body : parent;
    if (node) axes(node.link, AXES);
    else AXES.identity();
    // pose in the axes of the link, or of the parent
    BACK.copy(read(carrier, ROOT).multiply(AXES)).invert();
    NODE.multiplyMatrices(BACK, read(index, new THREE.Matrix4()));
    at(carrier, ROOT).multiply(AXES);
    shown[index] = ROOT.clone().multiply(NODE);
    if (node) {
      displace(NODE, node, chordOf(node.link, read), factor);
      NODE.premultiply(ROOT);
      if (!node.link.looped || index !== tipOf(node.link).body) shown[index].copy(NODE);
    } else NODE.copy(shown[index]);
    NODE.decompose(POINT, TURN, ALONG);
    POINT.toArray(out, 7 * index);
    TURN.toArray(out, 7 * index + 3);
  });
  return out;
}

/**
 * The node at the end of a link.
 * @param {Flexible} link
 */
const tipOf = ({ nodes }) => nodes[nodes.length - 1];

/**
 * The line through the root from which displacements are measured, in E: its angle and stretch.
 * @param {Flexible} link
 * @param {Reader} read
 */
function chordOf(link, read) {
  if (!link.looped) return { angle: 0, stretch: 1 };
  const { body, rest } = tipOf(link);
  const tip = new THREE.Vector3().setFromMatrixPosition(read(body, new THREE.Matrix4()));
  tip.applyMatrix4(read(link.body, new THREE.Matrix4()).multiply(axes(link)).invert());
  return { angle: Math.atan2(tip.y, tip.x), stretch: Math.hypot(tip.x, tip.y) / rest };
}

/**
 * Displacement and slope of a node in E from a chord, multiplied by a factor.
 * @param {THREE.Matrix4} pose
 * @param {{ link: Flexible, rest: number }} node
 * @param {{ angle: number, stretch: number }} chord
 * @param {number} factor
 */
function displace(pose, { link, rest }, { angle, stretch }, factor) {
  const [x, y] = [rest * stretch * Math.cos(angle), rest * stretch * Math.sin(angle)];
  const slope = angleOf(pose, link.along) - angle;
  POINT.setFromMatrixPosition(pose);
  POINT.set(x + factor * (POINT.x - x), y + factor * (POINT.y - y), POINT.z);
  pose.premultiply(BACK.makeRotationAxis(Z, larger(slope, factor) - slope)).setPosition(POINT);
}

/**
 * The angle whose slope is `factor` times as large.
 * @param {number} angle
 * @param {number} factor
 */
const larger = (angle, factor) => Math.atan(factor * Math.tan(angle));

/** A tube along the curve of the finite elements: cubics with the nodes' displacements and slopes. */
export class BentLink {
  /**
   * @param {Flexible} link
   * @param {THREE.Object3D[]} nodes
   * @param {THREE.Object3D} ground
   * @param {string} colour
   * @param {import("./quality.js").Style} style
   */
  constructor(link, nodes, ground, colour, style) {
    this.link = link;
    this.root = link.body < 0 ? ground : nodes[link.body];
    this.nodes = link.nodes.map(({ body }) => nodes[body]);
    this.rings = link.nodes.length * PER_ELEMENT + 3; // one at each end is closed
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal"]) {
      geometry.setAttribute(
        name,
        new THREE.BufferAttribute(new Float32Array(3 * AROUND * this.rings), 3),
      );
    }
    geometry.setIndex(skin(this.rings, AROUND));
    this.object = shaded(new THREE.Mesh(geometry, surface(style, "metal", colour)), true);
    this.object.frustumCulled = false;
    axes(link, this.object.matrix).decompose(
      this.object.position,
      this.object.quaternion,
      this.object.scale,
    );
    this.root.add(this.object);
  }

  /**
   * Follow the nodes as drawn.
   * @param {number} factor
   */
  update(factor) {
    this.object.updateWorldMatrix(true, false);
    BACK.copy(this.object.matrixWorld).invert();
    let from = { x: 0, y: 0, slope: this.rootSlope(factor) };
    let ring = 1;
    this.nodes.forEach((node, k) => {
      NODE.multiplyMatrices(BACK, node.matrixWorld);
      const slope = Math.tan(angleOf(NODE, this.link.along));
      const to = { x: NODE.elements[12], y: NODE.elements[13], slope };
      for (let i = k ? 1 : 0; i <= PER_ELEMENT; i += 1)
        this.ring(ring++, ...cubic(from, to, i / PER_ELEMENT));
      if (!k) this.ring(0, 0, 0, from.slope, 0);
      from = to;
    });
    this.ring(ring, from.x, from.y, from.slope, 0);
    const { geometry } = this.object;
    geometry.attributes.position.needsUpdate = true;
    geometry.attributes.normal.needsUpdate = true;
    geometry.boundingBox = null;
  }

  /**
   * Slope at the root: clamped, or, relative to a chord that stays in place, turned as the nodes are.
   * @param {number} factor
   */
  rootSlope(factor) {
    if (!this.link.looped) return 0;
    POINT.setFromMatrixPosition(this.nodes[this.nodes.length - 1].matrixWorld).applyMatrix4(BACK);
    const chord = Math.atan2(POINT.y, POINT.x);
    return Math.tan(chord - larger(chord, factor));
  }

  /**
   * @param {number} index
   * @param {number} x
   * @param {number} y
   * @param {number} slope
   * @param {number} [radius]
   */
  ring(index, x, y, slope, radius = this.link.radius) {
    const { position, normal } = this.object.geometry.attributes;
    const length = Math.hypot(1, slope);
    for (let i = 0; i < AROUND; i += 1) {
      const angle = (2 * Math.PI * i) / AROUND;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const [nx, ny] = [(-c * slope) / length, c / length];
      position.setXYZ(index * AROUND + i, x + radius * nx, y + radius * ny, radius * s);
      normal.setXYZ(index * AROUND + i, nx, ny, s);
    }
  }
}

/**
 * Place and slope of the cubic between two nodes.
 * @param {Knot} a
 * @param {Knot} b
 * @param {number} f
 * @returns {[number, number, number]}
 */
function cubic(a, b, f) {
  const length = b.x - a.x;
  const [g, d] = [1 - f, 6 * f * (1 - f)];
  const y =
    g * g * (1 + 2 * f) * a.y +
    f * f * (3 - 2 * f) * b.y +
    length * f * g * (g * a.slope - f * b.slope);
  const slope = (d * (b.y - a.y)) / length + g * (1 - 3 * f) * a.slope + f * (3 * f - 2) * b.slope;
  return [a.x + f * length, y, slope];
}
