// Solids of shapes as three.js geometry: sharp ones for the simple style, with edges that catch the
// light for the full one; and solids of one material put together, to be drawn at once.

import { PLANES } from "./planes.js"; // of the two coordinates of a plate, and of its thickness
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Look["shape"]} Shape */
/** @typedef {import("./quality.js").Style} Style */
/** @typedef {[number, number, number]} Vector */

const BEVEL = 0.1; // of the smallest size of a plate or a box
const WIDEST_BEVEL = 0.03; // of its largest
const CREASE = Math.cos((35 * Math.PI) / 180); // sharper edges stay sharp

/** @param {Vector} p */
const vector = (p) => new THREE.Vector3(...p);

/**
 * Corners of a circle: as many as it takes to look round, in a picture of some size.
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
 * The solid of a shape; null of one that is a line, or is not drawn.
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
      // the ring of three.js lies in x, y
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
 * About y, its edges rounded a little.
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
 * An outline in x, y made thick along z.
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
 * A geometry along y, turned to an axis.
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
 * Normals that are smooth but for sharp edges: of each corner, the mean of those triangles at its
 * place that are bent less against its own.
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
 * Geometries put together as one, without what only some of them have.
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
  // corners that triangles share stay shared
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
 * Triangles between rings, one after the other.
 * @param {number} rings
 * @param {number} around corners of each
 */
export function skin(rings, around) {
  const found = [];
  for (let ring = 0; ring + 1 < rings; ring += 1) {
    for (let i = 0; i < around; i += 1) {
      const [a, b] = [ring * around + i, ring * around + ((i + 1) % around)];
      found.push(a, b, a + around, b, b + around, a + around);
    }
  }
  return found;
}
