// Solids of shapes as three.js geometry: with sharp edges for the simple style, with beveled edges for
// the full one; and merging of solids of one material, to be drawn together.

import { PLANES } from "./planes.js"; // axes of the two coordinates of a plate, and of its thickness
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Look["shape"]} Shape */
/** @typedef {import("./quality.js").Style} Style */
/** @typedef {[number, number, number]} Vector */

const BEVEL = 0.1; // relative to the smallest size of a plate or a box
const WIDEST_BEVEL = 0.03; // relative to its largest
const CREASE = Math.cos((35 * Math.PI) / 180); // sharper edges stay sharp

/** @param {Vector} p */
const vector = (p) => new THREE.Vector3(...p);

/**
 * Number of corners for which a circle looks round, in a scene of some size.
 * @param {number} radius
 * @param {number} size of all that is seen [m]
 * @param {boolean} fine
 */
function cornersOfCircle(radius, size, fine) {
  const share = radius / size;
  const corners = share > 0.04 ? 24 : share > 0.012 ? 14 : 8;
  return fine ? Math.round(1.7 * corners) : corners;
}

/**
 * The solid of a shape; null for a line, or a shape that is not drawn.
 * @param {Shape} shape
 * @param {Style} style
 * @param {number} size of all that is seen [m]
 */
export function solidOf(shape, style, size) {
  const fine = style === "full";
  const around = "radius" in shape ? cornersOfCircle(shape.radius, size, fine) : 0;
  switch (shape.kind) {
    case "plate":
      return plate(shape, fine);
    case "capsule": {
      const rings = Math.max(1, Math.round(around / 6));
      return along(
        shape.axis,
        new THREE.CapsuleGeometry(shape.radius, shape.length, rings, around),
      );
    }
    case "cylinder":
      return along(shape.axis, cylinder(shape.radius, shape.length, around, fine));
    case "cone":
      return along(shape.axis, new THREE.ConeGeometry(shape.radius, shape.length, around));
    case "torus": {
      // the torus of three.js lies in x, y
      const across = Math.max(6, Math.round(0.6 * cornersOfCircle(shape.tube, size, fine)));
      const torus = new THREE.TorusGeometry(shape.radius, shape.tube, across, 2 * around);
      return along(shape.axis, torus.rotateX(Math.PI / 2));
    }
    case "sphere":
      return new THREE.SphereGeometry(shape.radius, around, Math.round(0.6 * around));
    case "box":
      return fine ? bevelledBox(shape.size) : new THREE.BoxGeometry(...shape.size);
    default:
      return null;
  }
}

/**
 * About y, with slightly rounded edges.
 * @param {number} radius
 * @param {number} length
 * @param {number} around
 * @param {boolean} fine
 */
function cylinder(radius, length, around, fine) {
  if (!fine) return new THREE.CylinderGeometry(radius, radius, length, around);
  const [r, h] = [radius, length / 2];
  const b = Math.min(BEVEL * Math.min(r, length), WIDEST_BEVEL * Math.max(r, length));
  const outline = [
    [0, -h],
    [r - b, -h],
    [r - 0.3 * b, -h + 0.3 * b],
    [r, -h + b],
    [r, h - b],
    [r - 0.3 * b, h - 0.3 * b],
    [r - b, h],
    [0, h],
  ].map(([x, y]) => new THREE.Vector2(x, y));
  return creased(new THREE.LatheGeometry(outline, around));
}

/** @param {Vector} size */
function bevelledBox([x, y, z]) {
  const outline = [
    [-x / 2, -y / 2],
    [x / 2, -y / 2],
    [x / 2, y / 2],
    [-x / 2, y / 2],
  ];
  return extruded(outline, z, true);
}

/**
 * @param {import("./messages.js").Plate} plate
 * @param {boolean} fine
 */
function plate({ corners, thickness, plane }, fine) {
  const [x, y, z] = PLANES[plane].map(vector);
  return extruded(corners, thickness, fine).applyMatrix4(new THREE.Matrix4().makeBasis(x, y, z));
}

/**
 * An outline in x, y, extruded along z.
 * @param {number[][]} corners
 * @param {number} thickness
 * @param {boolean} fine
 */
function extruded(corners, thickness, fine) {
  const points = corners.map(([a, b]) => new THREE.Vector2(a, b));
  const box = new THREE.Box2().setFromPoints(points).getSize(new THREE.Vector2());
  const least = Math.min(box.x, box.y, thickness);
  const bevel = fine ? Math.min(BEVEL * least, WIDEST_BEVEL * Math.max(box.x, box.y)) : 0;
  const geometry = new THREE.ExtrudeGeometry(new THREE.Shape(points), {
    depth: thickness - 2 * bevel,
    bevelEnabled: fine,
    bevelThickness: bevel,
    bevelSize: bevel,
    bevelOffset: -bevel,
    bevelSegments: 2,
  });
  geometry.translate(0, 0, -thickness / 2 + bevel);
  return creased(geometry);
}

/**
 * A geometry along y, rotated to an axis.
 * @param {Vector} axis
 * @param {THREE.BufferGeometry} geometry
 */
function along(axis, geometry) {
  return geometry.applyQuaternion(toward(axis));
}

/** @param {Vector} axis */
export function toward(axis) {
  return new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector(axis));
}

/**
 * Normals that are smooth except at sharp edges: at each corner, the mean over the triangles at its
 * place that form a small angle with its own.
 * @param {THREE.BufferGeometry} geometry
 */
function creased(geometry) {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const { position } = flat.attributes;
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  /** @type {THREE.Vector3[]} */
  const across = [];
  /** @type {Map<string, number[]>} */
  const places = new Map();
  /** @type {number[][]} */
  const at = [];
  for (let k = 0; k < position.count; k += 1) {
    a.fromBufferAttribute(position, k);
    const key = `${Math.fround(a.x)},${Math.fround(a.y)},${Math.fround(a.z)}`;
    const here = places.get(key) ?? [];
    places.set(key, here);
    here.push(Math.floor(k / 3));
    at.push(here);
    if (k % 3 !== 2) continue;
    [a, b, c].forEach((p, i) => {
      p.fromBufferAttribute(position, k - 2 + i);
    });
    across.push(b.clone().sub(a).cross(c.sub(a)));
  }
  const normals = new Float32Array(3 * position.count);
  const units = across.map((n) => n.clone().normalize());
  at.forEach((faces, k) => {
    const own = units[Math.floor(k / 3)];
    a.set(0, 0, 0);
    for (const face of faces) if (own.dot(units[face]) > CREASE) a.add(across[face]);
    a.normalize().toArray(normals, 3 * k);
  });
  flat.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  return flat;
}

/**
 * Geometries merged into one, without attributes that only some of them have.
 * @param {THREE.BufferGeometry[]} parts
 */
export function merged(parts) {
  const whole = new THREE.BufferGeometry();
  for (const name of ["position", "normal", "color"]) {
    const arrays = parts.flatMap((part) =>
      part.hasAttribute(name) ? part.getAttribute(name) : [],
    );
    if (arrays.length < parts.length) continue;
    const values = new Float32Array(arrays.reduce((sum, { array }) => sum + array.length, 0));
    let begin = 0;
    for (const { array } of arrays) {
      values.set(array, begin);
      begin += array.length;
    }
    whole.setAttribute(name, new THREE.BufferAttribute(values, 3));
  }
  // shared corners stay shared
  /** @type {number[]} */
  const indices = [];
  let first = 0;
  for (const { index, attributes } of parts) {
    const { count } = attributes.position;
    if (index) for (const k of index.array) indices.push(first + k);
    else for (let k = 0; k < count; k += 1) indices.push(first + k);
    first += count;
  }
  whole.setIndex(indices);
  for (const part of parts) part.dispose();
  return whole;
}

/**
 * Triangles between consecutive rings.
 * @param {number} rings
 * @param {number} around corners of each
 */
export function skin(rings, around) {
  const triangles = [];
  for (let ring = 0; ring + 1 < rings; ring += 1) {
    for (let i = 0; i < around; i += 1) {
      const [a, b] = [ring * around + i, ring * around + ((i + 1) % around)];
      triangles.push(a, b, a + around, b, b + around, a + around);
    }
  }
  return triangles;
}
