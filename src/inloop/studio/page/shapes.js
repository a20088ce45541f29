// Visuals of bodies as three.js objects, merged by material.

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
 * Solids drawn together: of one material, or of any in the simple style.
 * @typedef {object} Batch
 * @property {number} opacity
 * @property {Look["material"]} material
 * @property {string | undefined} picture
 * @property {Array<{ solid: THREE.BufferGeometry, colour: THREE.Color }>} parts in body axes
 */

const OPAQUE = 0.7; // less opaque solids cast no shadow
const SMALL = 0.05; // smaller solids, relative to the scene, cast no shadow
const FINEST = 0.015; // and still smaller ones have no outline
const EDGE_ANGLE = 30; // edges sharper than this are outlined [deg]
const AROUND = 48; // corners of a circle that is drawn as a line

/** @param {Vector} p */
const vector = (p) => new THREE.Vector3(...p);

/**
 * An object in body axes for the visuals of one body; `meshes` provides packed meshes.
 * @param {Look[]} visuals
 * @param {string} colour of visuals without one
 * @param {Palette} palette
 * @param {MeshSource} meshes
 * @param {{ style: Style, size: number }} how the style, and the size of the scene [m]
 */
export function bodyObject(visuals, colour, palette, meshes, how) {
  const { style, size } = how;
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
    const solid = solidOf(shape, picture ? "simple" : style, size); // the simple solid has texture coordinates
    if (!solid) continue;
    // the simple style does not distinguish materials, so that all opaque solids are drawn together
    const kind = style === "simple" && !picture ? opacity : [opacity, material, picture].join();
    const key = picture ? `${kind} ${batches.size}` : String(kind);
    const batch = batches.get(key) ?? { opacity, material, picture, parts: [] };
    batches.set(key, batch);
    batch.parts.push({ solid: solid.applyMatrix4(poseOf(visual)), colour: own });
  }
  for (const batch of batches.values()) body.add(...batchObjects(batch, palette, meshes, how));
  return body;
}

/**
 * @param {Batch} batch
 * @param {Palette} palette
 * @param {MeshSource} meshes
 * @param {{ style: Style, size: number }} how
 */
function batchObjects({ opacity, material, picture, parts }, palette, meshes, how) {
  const { style, size } = how;
  const made = surface(style, material, 0xffffff, opacity, { vertexColors: true });
  Object.assign(made, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  if (picture) meshes.paint(made, picture);
  /** @type {THREE.Object3D[]} */
  const objects = [];
  if (style === "simple") {
    // outlines have the body's own color, blended with the ink
    const ink = new THREE.Color(palette.ink);
    const edges = parts
      .filter(({ solid }) => radiusOf(solid) > FINEST * size)
      .map(({ solid, colour }) =>
        painted(new THREE.EdgesGeometry(solid, EDGE_ANGLE), colour.clone().lerp(ink, 0.5)),
      );
    const lines = new THREE.LineBasicMaterial({ vertexColors: true });
    if (edges.length) objects.push(new THREE.LineSegments(merged(edges), lines));
  }
  const solids = parts.map(({ solid, colour }) => painted(solid, colour));
  const whole = picture ? solids[0] : merged(solids);
  objects.push(shaded(new THREE.Mesh(whole, made), casts(whole, opacity, how)));
  return objects;
}

/**
 * A geometry with one color at all vertices.
 * @param {THREE.BufferGeometry} geometry
 * @param {THREE.Color} colour
 */
function painted(geometry, colour) {
  const { count } = geometry.attributes.position;
  const values = new Float32Array(3 * count);
  for (let k = 0; k < count; k += 1) colour.toArray(values, 3 * k);
  return geometry.setAttribute("color", new THREE.BufferAttribute(values, 3));
}

/**
 * A mesh that casts and receives shadows.
 * @template {THREE.Mesh} T
 * @param {T} mesh
 * @param {boolean} casts false if it is transparent, or too small for a visible shadow
 */
export function shaded(mesh, casts) {
  mesh.receiveShadow = true;
  if (!casts) return mesh;
  mesh.castShadow = true;
  mesh.layers.enable(CASTERS);
  return mesh;
}

/**
 * Whether a solid casts a shadow: it is opaque and, in the simple style, where every triangle
 * counts, not small.
 * @param {THREE.BufferGeometry} geometry
 * @param {number} opacity
 * @param {{ style: Style, size: number }} how
 */
export function casts(geometry, opacity, { style, size }) {
  if (opacity < OPAQUE) return false;
  return style === "full" || radiusOf(geometry) > SMALL * size;
}

/** @param {THREE.BufferGeometry} geometry */
function radiusOf(geometry) {
  if (!geometry.boundingSphere) geometry.computeBoundingSphere();
  return geometry.boundingSphere?.radius ?? 0;
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
 * Points of a shape that is a line; null for others.
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
 * Free the graphics memory of an object and its children; shared geometry stays.
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
