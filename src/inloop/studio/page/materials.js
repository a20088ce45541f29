// Materials by name: how rough a surface is, and whether it is a metal.

import * as THREE from "./three.js";

/** @typedef {import("./quality.js").Style} Style */
/** @typedef {import("./messages.js").Look["material"]} Name */

/** @type {Record<Name, { roughness: number, metalness: number, clearcoat?: number }>} */
const SURFACES = {
  plastic: { roughness: 0.48, metalness: 0 },
  metal: { roughness: 0.3, metalness: 0.88 },
  paint: { roughness: 0.38, metalness: 0.1, clearcoat: 0.9 },
  rubber: { roughness: 0.92, metalness: 0 },
  wood: { roughness: 0.62, metalness: 0 },
  felt: { roughness: 1, metalness: 0 },
  leather: { roughness: 0.74, metalness: 0 },
  glass: { roughness: 0.06, metalness: 0 },
};

/**
 * The material of a surface in a style; more of three.js's own properties may be given.
 * @param {Style} style
 * @param {Name} name
 * @param {THREE.ColorRepresentation} color
 * @param {number} [opacity]
 * @param {{ vertexColors?: boolean, map?: THREE.Texture | null, side?: THREE.Side }} [more]
 */
export function surface(style, name, color, opacity = 1, more = {}) {
  const plain = { color, opacity, transparent: opacity < 1, ...more };
  if (style === "simple") return new THREE.MeshLambertMaterial(plain);
  const { clearcoat, ...rest } = SURFACES[name];
  if (!clearcoat) return new THREE.MeshStandardMaterial({ ...plain, ...rest });
  return new THREE.MeshPhysicalMaterial({
    ...plain,
    ...rest,
    clearcoat,
    clearcoatRoughness: 0.08,
  });
}
