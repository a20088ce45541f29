// What bodies look like: visuals of the scene as three.js objects with their outlines.

import { PLANES } from "./planes.js"; // of the two coordinates of a plate, and of its thickness
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Look} Look */
/** @typedef {Look["shape"]} Shape */
/** @typedef {[number, number, number]} Vector */
/** @typedef {import("./theme.js").Palette} Palette */
/** @typedef {import("./meshes.js").Meshes | import("./meshes.js").Boxes} MeshSource */

const EDGE_ANGLE = 30; // edges sharper than this are outlined [deg]
const AROUND = 48; // corners of a circle that is drawn as a line

/** @param {Vector} p */
const vector = (p) => new THREE.Vector3(...p);

/**
 * An object in body axes for one visual; `meshes` gives the packed ones.
 * @param {Look} visual
 * @param {string} colour
 * @param {Palette} palette
 * @param {MeshSource} meshes
 */
export function visualObject(visual, colour, palette, meshes) {
  const object = shapeObject(visual, own(visual, colour), palette, meshes);
  const [x, y, z] = visual.rotation;
  const turn = new THREE.Matrix4().set(...x, 0, ...y, 0, ...z, 0, 0, 0, 0, 1);
  object.position.fromArray(visual.position);
  object.quaternion.setFromRotationMatrix(turn);
  return object;
}

/**
 * @param {Look} look
 * @param {string} colour
 */
function own({ color }, colour) {
  if (!color) return new THREE.Color(colour);
  return new THREE.Color().setRGB(color[0], color[1], color[2], THREE.SRGBColorSpace);
}

/**
 * @param {Look} look
 * @param {THREE.Color} colour
 * @param {Palette} palette
 * @param {MeshSource} meshes
 */
function shapeObject({ shape, color, picture }, colour, palette, meshes) {
  if (shape.kind === "packed") return meshes.object(shape, colour, color?.[3] ?? 1, picture);
  const points = lineOf(shape);
  if (points) return lineObject(points, colour);
  const geometry = geometryOf(shape);
  if (!geometry) return new THREE.Group();
  const opacity = color?.[3] ?? 1;
  const material = new THREE.MeshLambertMaterial({
    color: colour,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
    transparent: opacity < 1,
    opacity,
  });
  if (picture) meshes.paint(material, picture);
  const mesh = new THREE.Mesh(geometry, material);
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(geometry, EDGE_ANGLE),
    new THREE.LineBasicMaterial({ color: outline(colour, palette) }),
  );
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.add(edges);
  return mesh;
}

/**
 * Outlines are the body's own colour, moved towards the ink.
 * @param {THREE.Color} colour
 * @param {Palette} palette
 */
function outline(colour, palette) {
  return colour.clone().lerp(new THREE.Color(palette.ink), 0.5);
}

/**
 * The solid of a shape; null of one that is a line, or is not drawn.
 * @param {Shape} shape
 */
function geometryOf(shape) {
  switch (shape.kind) {
    case "plate":
      return plateGeometry(shape);
    case "capsule":
      return along(shape.axis, new THREE.CapsuleGeometry(shape.radius, shape.length, 6, 16));
    case "cylinder":
      return along(
        shape.axis,
        new THREE.CylinderGeometry(shape.radius, shape.radius, shape.length, 28),
      );
    case "cone":
      return along(shape.axis, new THREE.ConeGeometry(shape.radius, shape.length, 28));
    case "torus": {
      // the ring of three.js lies in x, y
      const torus = new THREE.TorusGeometry(shape.radius, shape.tube, 16, 40);
      return along(shape.axis, torus.rotateX(Math.PI / 2));
    }
    case "sphere":
      return new THREE.SphereGeometry(shape.radius, 28, 18);
    case "box":
      return new THREE.BoxGeometry(...shape.size);
    default:
      return null;
  }
}

/** @param {import("./messages.js").Plate} plate */
function plateGeometry({ corners, thickness, plane }) {
  const outline = new THREE.Shape(corners.map(([a, b]) => new THREE.Vector2(a, b)));
  const geometry = new THREE.ExtrudeGeometry(outline, { depth: thickness, bevelEnabled: false });
  geometry.translate(0, 0, -thickness / 2);
  const [x, y, z] = PLANES[plane].map(vector);
  return geometry.applyMatrix4(new THREE.Matrix4().makeBasis(x, y, z));
}

/**
 * Points of a shape that is a line; null of others.
 * @param {Shape} shape
 */
function lineOf(shape) {
  switch (shape.kind) {
    case "line":
      return shape.points.map(vector);
    case "segment":
      return [-0.5, 0.5].map((s) => vector(shape.along).multiplyScalar(s * shape.length));
    case "circle":
    case "rim":
      return ring(shape);
    default:
      return null;
  }
}

/** @param {{ radius: number, axis: Vector }} circle */
function ring({ radius, axis }) {
  const turn = toward(axis);
  return Array.from({ length: AROUND + 1 }, (_, k) => {
    const angle = (2 * Math.PI * k) / AROUND;
    const corner = new THREE.Vector3(radius * Math.cos(angle), 0, radius * Math.sin(angle));
    return corner.applyQuaternion(turn);
  });
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
function toward(axis) {
  return new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector(axis));
}

/**
 * @param {THREE.Vector3[]} points
 * @param {THREE.Color} colour
 */
function lineObject(points, colour) {
  const geometry = new THREE.BufferGeometry().setFromPoints(points);
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

/**
 * Free what the graphics card holds of an object and its children; shared geometry stays.
 * @param {THREE.Object3D} object
 */
export function dispose(object) {
  object.traverse((part) => {
    if (!(part instanceof THREE.Mesh || part instanceof THREE.Line)) return;
    if (!part.geometry.userData.shared) part.geometry.dispose();
    if (part instanceof THREE.InstancedMesh) part.dispose();
    part.material.dispose();
  });
}
