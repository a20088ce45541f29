// What bodies look like: visuals of the scene as three.js objects with their outlines.

import * as THREE from "./three.js";
import { PLANES } from "./planes.js"; // of the two coordinates of a plate, and of its thickness

const EDGE_ANGLE = 30; // edges sharper than this are outlined [deg]
const AROUND = 48; // corners of a circle that is drawn as a line

const vector = (p) => new THREE.Vector3(...p);

/** An object in body axes for one visual; `meshes` gives the packed ones. */
export function visualObject(visual, colour, palette, meshes) {
  const object = shapeObject(visual, own(visual, colour), palette, meshes);
  const [x, y, z] = visual.rotation;
  const turn = new THREE.Matrix4().set(...x, 0, ...y, 0, ...z, 0, 0, 0, 0, 1);
  object.position.fromArray(visual.position);
  object.quaternion.setFromRotationMatrix(turn);
  return object;
}

function own({ color }, colour) {
  if (!color) return new THREE.Color(colour);
  return new THREE.Color().setRGB(color[0], color[1], color[2], THREE.SRGBColorSpace);
}

function shapeObject({ shape, color }, colour, palette, meshes) {
  if (shape.kind === "packed") return meshes.object(shape, colour, color?.[3] ?? 1);
  if (LINES[shape.kind]) return lineObject(LINES[shape.kind](shape), colour);
  const geometry = GEOMETRIES[shape.kind]?.(shape);
  if (!geometry) return new THREE.Group();
  const opacity = color?.[3] ?? 1;
  const mesh = new THREE.Mesh(
    geometry,
    new THREE.MeshLambertMaterial({
      color: colour,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
      transparent: opacity < 1,
      opacity,
    }),
  );
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(geometry, EDGE_ANGLE),
    new THREE.LineBasicMaterial({ color: outline(colour, palette) }),
  );
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.add(edges);
  return mesh;
}

/** Outlines are the body's own colour, moved towards the ink. */
function outline(colour, palette) {
  return colour.clone().lerp(new THREE.Color(palette.ink), 0.5);
}

const GEOMETRIES = {
  plate({ corners, thickness, plane }) {
    const outline = new THREE.Shape(corners.map(([a, b]) => new THREE.Vector2(a, b)));
    const geometry = new THREE.ExtrudeGeometry(outline, { depth: thickness, bevelEnabled: false });
    geometry.translate(0, 0, -thickness / 2);
    const axes = PLANES[plane].map(vector);
    return geometry.applyMatrix4(new THREE.Matrix4().makeBasis(...axes));
  },
  capsule: ({ radius, length, axis }) =>
    along(axis, new THREE.CapsuleGeometry(radius, length, 6, 16)),
  cylinder: ({ radius, length, axis }) =>
    along(axis, new THREE.CylinderGeometry(radius, radius, length, 28)),
  cone: ({ radius, length, axis }) => along(axis, new THREE.ConeGeometry(radius, length, 28)),
  torus: ({ radius, tube, axis }) =>
    // the ring of three.js lies in x, y
    along(axis, new THREE.TorusGeometry(radius, tube, 16, 40).rotateX(Math.PI / 2)),
  sphere: ({ radius }) => new THREE.SphereGeometry(radius, 28, 18),
  box: ({ size }) => new THREE.BoxGeometry(...size),
};

const LINES = {
  line: ({ points }) => points.map(vector),
  segment: ({ length, along }) => [-0.5, 0.5].map((s) => vector(along).multiplyScalar(s * length)),
  circle: ring,
  rim: ring,
};

function ring({ radius, axis }) {
  const turn = toward(axis);
  return Array.from({ length: AROUND + 1 }, (_, k) => {
    const angle = (2 * Math.PI * k) / AROUND;
    const corner = new THREE.Vector3(radius * Math.cos(angle), 0, radius * Math.sin(angle));
    return corner.applyQuaternion(turn);
  });
}

/** A geometry along y, turned to an axis. */
function along(axis, geometry) {
  return geometry.applyQuaternion(toward(axis));
}

function toward(axis) {
  return new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector(axis));
}

function lineObject(points, colour) {
  const geometry = new THREE.BufferGeometry().setFromPoints(points);
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

/** Free what the graphics card holds of an object and its children; shared geometry stays. */
export function dispose(object) {
  object.traverse((part) => {
    if (!part.geometry?.userData.shared) part.geometry?.dispose();
    part.material?.dispose();
  });
}
