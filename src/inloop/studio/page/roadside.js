// Objects next to roads: trees, posts, boxes.

import * as THREE from "./three.js";
import { coloured, plain, randomNumbers, shaded, unbounded } from "./tinted.js";

/** @typedef {import("./messages.js").Scenery} Scenery */
/** @typedef {[number, number, number]} Vector */
/** @typedef {import("./surroundings.js").Colours} Colours */

const BESIDE = 0.9; // from the edge of a road to its posts [m]

/** @param {Scenery} scenery */
const asphalt = ({ ribbons }) => ribbons.filter(({ surface }) => surface === "asphalt");

/**
 * @param {Scenery} scenery
 * @param {Colours} colours
 */
export function plantTrees(scenery, { tree, trunk }) {
  const roads = asphalt(scenery);
  if (!scenery.trees || !roads.length) return [];
  const random = randomNumbers(11);
  const shape = coloured([
    [new THREE.CylinderGeometry(0.18, 0.24, 1.6, 5).translate(0, 0.8, 0), trunk],
    [new THREE.ConeGeometry(1.7, 3.2, 7).translate(0, 2.7, 0), tree],
    [new THREE.ConeGeometry(1.25, 2.6, 7).translate(0, 4.3, 0), tree],
  ]).rotateX(Math.PI / 2);
  const places = [];
  for (let tries = 0; tries < 4 * scenery.trees && places.length < scenery.trees; tries += 1) {
    const { left, right } = roads[Math.floor(random() * roads.length)];
    const k = Math.floor(random() * left.length);
    const [x, y, z] = left[k].map((value, i) => (value + right[k][i]) / 2);
    const [a, far] = [2 * Math.PI * random(), 14 + 70 * random() ** 2];
    const at = new THREE.Vector3(x + far * Math.cos(a), y + far * Math.sin(a), z);
    if (roads.every((road) => clear(road.left, at, 9) && clear(road.right, at, 9))) places.push(at);
  }
  const trees = new THREE.InstancedMesh(shape, plain({ vertexColors: true }), places.length);
  places.forEach((at, k) => {
    const size = 0.7 + 1.1 * random();
    PLACE.compose(at, TURN.setFromAxisAngle(UP, 6 * random()), SCALE.setScalar(size));
    trees.setMatrixAt(k, PLACE);
  });
  return [unbounded(trees)];
}

/**
 * @param {Vector[]} edge
 * @param {THREE.Vector3} at
 * @param {number} away [m]
 */
const clear = (edge, at, away) => edge.every(([x, y]) => Math.hypot(x - at.x, y - at.y) > away);

/**
 * Posts on both sides, at the declared spacing.
 * @param {Scenery} scenery
 * @param {boolean} dark
 */
export function setPosts(scenery, dark) {
  const roads = scenery.ribbons.filter(({ surface }) => ["asphalt", "gravel"].includes(surface));
  if (!(scenery.posts > 0) || !roads.length) return [];
  const shape = coloured([
    [new THREE.BoxGeometry(0.12, 0.8, 0.12).translate(0, 0.4, 0), dark ? "#9aa0a6" : "#f4f4f0"],
    [new THREE.BoxGeometry(0.13, 0.18, 0.13).translate(0, 0.68, 0), dark ? "#e8a33d" : "#22262b"],
  ]).rotateX(Math.PI / 2);
  const places = [];
  for (const { left, right } of roads) {
    let due = 0;
    for (let k = 0; k + 1 < left.length; k += 1) {
      due -= Math.hypot(left[k + 1][0] - left[k][0], left[k + 1][1] - left[k][1]);
      if (due > 0) continue;
      due += scenery.posts;
      const across = new THREE.Vector3(...left[k]).sub(new THREE.Vector3(...right[k])).normalize();
      const beside = [
        new THREE.Vector3(...left[k]).addScaledVector(across, BESIDE),
        new THREE.Vector3(...right[k]).addScaledVector(across, -BESIDE),
      ];
      // not on another road
      places.push(...beside.filter((at) => !roads.some((road) => lies(at, road))));
    }
  }
  const posts = new THREE.InstancedMesh(shape, plain({ vertexColors: true }), places.length);
  places.forEach((at, k) => {
    posts.setMatrixAt(k, PLACE.makeTranslation(at));
  });
  return [unbounded(posts)];
}

/**
 * Whether a place is on a strip of road.
 * @param {THREE.Vector3} at
 * @param {import("./messages.js").Ribbon} road
 */
function lies({ x, y }, { left, right }) {
  let [nearest, away] = [0, Infinity];
  left.forEach(([a, b], k) => {
    const far = Math.hypot((a + right[k][0]) / 2 - x, (b + right[k][1]) / 2 - y);
    if (far < away) [nearest, away] = [k, far];
  });
  const [[a, b], [c, d]] = [left[nearest], right[nearest]];
  const part = ((x - c) * (a - c) + (y - d) * (b - d)) / ((a - c) ** 2 + (b - d) ** 2);
  return part > 0 && part < 1 && away < Math.hypot(a - c, b - d);
}

/** @param {import("./messages.js").Obstacle} box */
export function obstacle(box) {
  const [length, width, height] = box.size;
  const mesh = new THREE.Mesh(
    shaded(new THREE.BoxGeometry(length, width, height), box.color),
    plain({ vertexColors: true }),
  );
  placeObstacle(mesh, box);
  return mesh;
}

/**
 * @param {THREE.Mesh} mesh
 * @param {import("./messages.js").Obstacle} box
 */
export function placeObstacle(mesh, { at: [x, y, z], size }) {
  mesh.position.set(x, y, z + size[2] / 2);
}

const [PLACE, TURN, SCALE] = [new THREE.Matrix4(), new THREE.Quaternion(), new THREE.Vector3()];
const UP = new THREE.Vector3(0, 0, 1);
