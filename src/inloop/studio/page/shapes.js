// What bodies look like: visuals of the scene as three.js objects, those of one material together.

import { CASTERS } from "./contactshadow.js";
import { surface } from "./materials.js";
import { merged, solidOf, toward } from "./solids.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Look} Look */
/** @typedef {Look["shape"]} Shape */
/** @typedef {[number, number, number]} Vector */
/** @typedef {import("./theme.js").Palette} Palette */
/** @typedef {import("./quality.js").Style} Style */
/** @typedef {import("./meshes.js").Meshes | import("./meshes.js").Boxes} MeshSource */

/**
 * Solids of one material: what it is, and the geometry in body axes.
 * @typedef {object} Batch
 * @property {THREE.Color} colour
 * @property {number} opacity
 * @property {Look["material"]} material
 * @property {string | undefined} picture
 * @property {THREE.BufferGeometry[]} solids
 */

const EDGE_ANGLE = 30; // edges sharper than this are outlined [deg]
const AROUND = 48; // corners of a circle that is drawn as a line

/** @param {Vector} p */
const vector = (p) => new THREE.Vector3(...p);

/**
 * An object in body axes for the visuals of one body; `meshes` gives the packed ones.
 * @param {Look[]} visuals
 * @param {string} colour of those that have none
 * @param {Palette} palette
 * @param {MeshSource} meshes
 * @param {Style} style
 */
export function bodyObject(visuals, colour, palette, meshes, style) {
  const body = new THREE.Group();
  /** @type {Map<string, Batch>} */
  const batches = new Map();
  for (const visual of visuals) {
    const { shape, color, picture, material } = visual;
    const own = ownColour(visual, colour);
    const opacity = color?.[3] ?? 1;
    if (shape.kind === "packed") {
      body.add(placed(meshes.object(shape, { colour: own, opacity, picture, material }), visual));
      continue;
    }
    const points = lineOf(shape);
    if (points) body.add(placed(lineObject(points, own), visual));
    const solid = solidOf(shape, picture ? "simple" : style); // which says where pictures lie
    if (!solid) continue;
    const key = [own.getHexString(), opacity, material, picture, picture && batches.size].join();
    const batch = batches.get(key) ?? { colour: own, opacity, material, picture, solids: [] };
    batches.set(key, batch);
    batch.solids.push(solid.applyMatrix4(poseOf(visual)));
  }
  for (const batch of batches.values()) body.add(...batchObjects(batch, palette, meshes, style));
  return body;
}

/**
 * @param {Batch} batch
 * @param {Palette} palette
 * @param {MeshSource} meshes
 * @param {Style} style
 */
function batchObjects({ colour, opacity, material, picture, solids }, palette, meshes, style) {
  const made = surface(style, material, colour, opacity);
  Object.assign(made, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  if (picture) meshes.paint(made, picture);
  /** @type {THREE.Object3D[]} */
  const found = [];
  if (style === "simple") {
    // outlines are the body's own colour, moved towards the ink
    const ink = colour.clone().lerp(new THREE.Color(palette.ink), 0.5);
    const edges = merged(solids.map((solid) => new THREE.EdgesGeometry(solid, EDGE_ANGLE)));
    found.push(new THREE.LineSegments(edges, new THREE.LineBasicMaterial({ color: ink })));
  }
  const geometry = solids.length > 1 ? merged(solids) : solids[0];
  found.push(shaded(new THREE.Mesh(geometry, made), opacity));
  return found;
}

/**
 * A mesh that casts shadows and gets some, unless light goes through it.
 * @template {THREE.Mesh} T
 * @param {T} mesh
 * @param {number} opacity
 */
export function shaded(mesh, opacity) {
  if (opacity < 0.7) return mesh;
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.layers.enable(CASTERS);
  return mesh;
}

/** @param {Look} look */
function poseOf({ position, rotation: [x, y, z] }) {
  const [px, py, pz] = position;
  return new THREE.Matrix4().set(...x, px, ...y, py, ...z, pz, 0, 0, 0, 1);
}

/**
 * @param {THREE.Object3D} object
 * @param {Look} look
 */
function placed(object, look) {
  object.applyMatrix4(poseOf(look));
  return object;
}

/**
 * @param {Look} look
 * @param {string} colour
 */
function ownColour({ color }, colour) {
  if (!color) return new THREE.Color(colour);
  return new THREE.Color().setRGB(color[0], color[1], color[2], THREE.SRGBColorSpace);
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
