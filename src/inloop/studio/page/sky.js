// Sky, hills at the horizon, ground, and the shadow of a body on it.

import * as THREE from "./three.js";
import { plain, speckles } from "./tinted.js";

/** @typedef {import("./surroundings.js").Colours} Colours */

const REACH = 2600; // radius of the ground around the eye [m]
/** Distance after which the texture of the ground repeats [m]. */
export const TILE = 30;
// drawn in front of all ribbons below it
const ABOVE = { polygonOffset: true, polygonOffsetFactor: -40, polygonOffsetUnits: -160 };

/** @param {Colours} colours */
export function makeSky({ top, sky, haze, hill }) {
  const group = new THREE.Group();
  const dome = new THREE.SphereGeometry(REACH, 24, 16, 0, 2 * Math.PI, 0, Math.PI / 2);
  dome.rotateX(Math.PI / 2);
  const [high, middle, low] = [top, sky, haze].map((word) => new THREE.Color(word));
  const { position } = dome.attributes;
  const colours = new Float32Array(3 * position.count);
  for (let k = 0; k < position.count; k += 1) {
    const part = Math.max(position.getZ(k) / REACH, 0);
    const colour =
      part < 0.18 ? low.clone().lerp(middle, part / 0.18) : middle.clone().lerp(high, part);
    colour.toArray(colours, 3 * k);
  }
  dome.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  const behind = { fog: false, depthWrite: false, depthTest: false, side: THREE.DoubleSide };
  const above = new THREE.Mesh(dome, plain({ vertexColors: true, ...behind }));
  above.renderOrder = -30;
  const range = new THREE.Mesh(hills(), plain({ color: hill, ...behind }));
  range.renderOrder = -29;
  group.add(above, range);
  return group;
}

/** A range of hills at the horizon. */
function hills() {
  const count = 96;
  const points = [];
  for (let k = 0; k <= count; k += 1) {
    const a = (2 * Math.PI * k) / count;
    const high = 38 + 26 * Math.sin(3 * a + 1) + 17 * Math.sin(7 * a) + 9 * Math.sin(17 * a + 2);
    const [x, y] = [0.9 * REACH * Math.cos(a), 0.9 * REACH * Math.sin(a)];
    points.push(x, y, -2, x, y, Math.max(high, 4));
  }
  return strip(points);
}

/**
 * Triangles between pairs of points.
 * @param {number[]} points
 */
function strip(points) {
  const shape = new THREE.BufferGeometry();
  shape.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  const index = [];
  for (let k = 0; k + 3 < points.length / 3; k += 2)
    index.push(k, k + 2, k + 1, k + 1, k + 2, k + 3);
  shape.setIndex(index);
  return shape;
}

/**
 * @param {number} height
 * @param {Colours} colours
 */
export function makeGround(height, { ground }) {
  const shape = new THREE.PlaneGeometry(2 * REACH, 2 * REACH);
  shape.translate(0, 0, height);
  const map = speckles(ground, 0.14, 3);
  const times = (2 * REACH) / TILE;
  map.repeat.set(times, times);
  const mesh = new THREE.Mesh(shape, plain({ map, depthWrite: false }));
  mesh.renderOrder = -20;
  return mesh;
}

/**
 * The surface that receives the lamp's shadow.
 * @param {boolean} dark
 */
export function castShadow(dark) {
  const cast = new THREE.ShadowMaterial({
    opacity: dark ? 0.5 : 0.35,
    depthWrite: false,
    ...ABOVE,
  });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(14, 14), cast);
  mesh.receiveShadow = true;
  mesh.renderOrder = -1;
  return mesh;
}

/**
 * A soft dark spot.
 * @param {boolean} dark
 */
export function makeBlob(dark) {
  const canvas = new OffscreenCanvas(64, 64);
  const ink = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const fade = ink.createRadialGradient(32, 32, 17, 32, 32, 32);
  fade.addColorStop(0, `rgba(0, 0, 0, ${dark ? 0.65 : 0.5})`);
  fade.addColorStop(1, "rgba(0, 0, 0, 0)");
  ink.fillStyle = fade;
  ink.fillRect(0, 0, 64, 64);
  const map = new THREE.CanvasTexture(canvas);
  const how = plain({ map, transparent: true, depthWrite: false, ...ABOVE });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), how);
  mesh.renderOrder = -1;
  return mesh;
}
