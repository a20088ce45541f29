// Strips of ground: roads, verges and markings, solid or dashed.

import * as THREE from "./three.js";
import { plain, speckles } from "./tinted.js";

/** @typedef {import("./messages.js").Ribbon} Ribbon */
/** @typedef {[number, number, number]} Vector */
/** @typedef {import("./surroundings.js").Colours} Colours */

const TILE = { asphalt: 5, gravel: 4, verge: 8 }; // distance after which textures repeat [m]
const MARKS = new Set(["white", "yellow"]);

/**
 * A strip of ground; its triangles face up for either direction of its edges.
 * @param {Ribbon} ribbon
 * @param {Colours} colours
 * @param {number} order
 */
export function ribbonObject({ surface, left, right, dash }, colours, order) {
  const shape = new THREE.BufferGeometry();
  const edges = dash ? dashes(left, right, dash) : pairs(left, right);
  const points = edges.flatMap((piece) => piece.flat());
  shape.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  /** @type {number[]} */
  const index = [];
  let from = 0;
  for (const piece of edges) {
    for (let k = from; k + 3 < from + piece.length; k += 2)
      index.push(k, k + 1, k + 2, k + 1, k + 3, k + 2);
    from += piece.length;
  }
  shape.setIndex(index);
  const mark = MARKS.has(surface);
  const tile = TILE[/** @type {keyof typeof TILE} */ (surface)];
  if (!mark) {
    const uv = [];
    for (let k = 0; k < points.length; k += 3) uv.push(points[k] / tile, points[k + 1] / tile);
    shape.setAttribute("uv", new THREE.Float32BufferAttribute(uv, 2));
  }
  const map = mark ? null : speckles(colours[surface], surface === "asphalt" ? 0.13 : 0.16, 2);
  // later ones lie on earlier ones
  const lift = { polygonOffset: true, polygonOffsetFactor: -order, polygonOffsetUnits: -4 * order };
  const color = mark ? colours[surface] : "#ffffff";
  const side = THREE.DoubleSide;
  const mesh = new THREE.Mesh(shape, plain({ color, map, side, depthWrite: !mark, ...lift }));
  mesh.renderOrder = -19 + Math.min(order, 16);
  return mesh;
}

/**
 * Left and right points alternately, in one piece.
 * @param {Vector[]} left
 * @param {Vector[]} right
 */
const pairs = (left, right) => [left.flatMap((point, k) => [point, right[k]])];

/**
 * The same in dashes, of length `on` with gaps of length `off`.
 * @param {Vector[]} left
 * @param {Vector[]} right
 * @param {[number, number]} dash
 */
function dashes(left, right, [on, off]) {
  /** @type {Vector[][]} */
  const dashList = [];
  /** @type {Vector[]} */
  let piece = [];
  let way = 0;
  for (let k = 0; k + 1 < left.length; k += 1) {
    const length = Math.hypot(...left[k + 1].map((x, i) => x - left[k][i]));
    // advance to the next start or end of a dash, or the next point
    for (let at = 0; at < length; ) {
      const phase = (way + at) % (on + off);
      const inDash = phase < on;
      if (inDash && !piece.length) piece.push(...cut(left, right, k, at / length));
      const next = Math.min(length, at + (inDash ? on : on + off) - phase + 1e-9);
      if (inDash) piece.push(...cut(left, right, k, next / length));
      if (piece.length && (!inDash || next < length)) {
        dashList.push(piece);
        piece = [];
      }
      at = next;
    }
    way += length;
  }
  return piece.length ? [...dashList, piece] : dashList;
}

/**
 * Interpolated points on both edges.
 * @param {Vector[]} left
 * @param {Vector[]} right
 * @param {number} k
 * @param {number} part
 * @returns {Vector[]}
 */
function cut(left, right, k, part) {
  return [left, right].map(
    (edge) => /** @type {Vector} */ (edge[k].map((x, i) => x + part * (edge[k + 1][i] - x))),
  );
}
