// What bodies look like: shapes of the scene as three.js meshes with their outlines.

import * as THREE from "./three.js";
import { PLANES } from "./planes.js"; // of the two coordinates of a plate, and of its thickness

const EDGE_ANGLE = 30; // edges sharper than this are outlined [deg]

const vector = (p) => new THREE.Vector3(...p);

/** An object in body axes for one shape. */
export function shapeObject(shape, colour, palette) {
  const own = new THREE.Color(shape.colour ?? colour);
  if (shape.kind === "line") return lineObject(shape, own);
  const geometry = GEOMETRIES[shape.kind]?.(shape);
  if (!geometry) return new THREE.Group();
  const mesh = new THREE.Mesh(
    geometry,
    new THREE.MeshLambertMaterial({
      color: own,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    }),
  );
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(geometry, EDGE_ANGLE),
    new THREE.LineBasicMaterial({ color: outline(own, palette) }),
  );
  mesh.add(edges);
  return mesh;
}

/** Outlines are the body's own colour, moved towards the ink. */
function outline(colour, palette) {
  return colour.clone().lerp(new THREE.Color(palette.ink), 0.5);
}

const GEOMETRIES = {
  plate({ corners, thickness, plane = "xy" }) {
    const outline = new THREE.Shape(corners.map(([a, b]) => new THREE.Vector2(a, b)));
    const geometry = new THREE.ExtrudeGeometry(outline, { depth: thickness, bevelEnabled: false });
    geometry.translate(0, 0, -thickness / 2);
    const axes = PLANES[plane].map(vector);
    return geometry.applyMatrix4(new THREE.Matrix4().makeBasis(...axes));
  },
  rod: ({ a, b, radius }) =>
    between(a, b, (length) => new THREE.CapsuleGeometry(radius, length, 6, 16)),
  cylinder: ({ a, b, radius }) =>
    between(a, b, (length) => new THREE.CylinderGeometry(radius, radius, length, 28)),
  ball: ({ center, radius }) => new THREE.SphereGeometry(radius, 28, 18).translate(...center),
  box: ({ center, size }) => new THREE.BoxGeometry(...size).translate(...center),
};

/** A geometry along y, brought between two points. */
function between(a, b, makeGeometry) {
  const from = vector(a);
  const along = vector(b).sub(from);
  const length = along.length();
  const geometry = makeGeometry(length);
  const turn = new THREE.Quaternion().setFromUnitVectors(
    new THREE.Vector3(0, 1, 0),
    length > 0 ? along.clone().normalize() : new THREE.Vector3(0, 1, 0),
  );
  const middle = from.addScaledVector(along, 0.5);
  return geometry.applyMatrix4(
    new THREE.Matrix4().compose(middle, turn, new THREE.Vector3(1, 1, 1)),
  );
}

function lineObject({ points }, colour) {
  const geometry = new THREE.BufferGeometry().setFromPoints(points.map(vector));
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

/** Free what the graphics card holds of an object and its children. */
export function dispose(object) {
  object.traverse((part) => {
    part.geometry?.dispose();
    part.material?.dispose();
  });
}
