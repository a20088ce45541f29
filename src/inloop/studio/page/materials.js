// Materials by name: roughness, and whether it is a metal.

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
 * The material of a surface in a style; `more` may give further properties of three.js.
 * @param {Style} style
 * @param {Name} name
 * @param {THREE.ColorRepresentation} color
 * @param {number} [opacity]
 * @param {{ vertexColors?: boolean, map?: THREE.Texture | null, side?: THREE.Side }} [more]
 */
export function surface(style, name, color, opacity = 1, more = {}) {
  const plain = { color, opacity, transparent: opacity < 1, ...more };
  if (style === "simple") return simpleSurface(plain);
  const { clearcoat, ...rest } = SURFACES[name];
  if (!clearcoat) return new THREE.MeshStandardMaterial({ ...plain, ...rest });
  return new THREE.MeshPhysicalMaterial({
    ...plain,
    ...rest,
    clearcoat,
    clearcoatRoughness: 0.08,
  });
}

/** Light of the simple style: directions to the lamp and up, the same for all. */
const LIGHT = { lamp: { value: new THREE.Vector3(0, 0, 1) }, up: { value: new THREE.Vector3() } };

/**
 * Set the direction of light in the simple style.
 * @param {THREE.Vector3} lamp
 * @param {THREE.Vector3} up
 */
export function shineFrom(lamp, up) {
  LIGHT.lamp.value.copy(lamp).normalize();
  LIGHT.up.value.copy(up);
}

/**
 * A surface lit per vertex: for a CPU, pixels are far more numerous than vertices.
 * @param {THREE.MeshBasicMaterialParameters} plain
 */
function simpleSurface(plain) {
  const material = new THREE.MeshBasicMaterial(plain);
  const facing = plain.side === THREE.DoubleSide ? "abs(lit)" : "max(lit, 0.0)";
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, LIGHT);
    shader.vertexShader = shader.vertexShader
      .replace(
        "void main() {",
        "uniform vec3 lamp; uniform vec3 up; varying float light;\nvoid main() {",
      )
      .replace(
        "#include <project_vertex>",
        `#include <project_vertex>
        {
          #include <beginnormal_vertex>
          #include <defaultnormal_vertex>
          vec3 n = normalize(transformedNormal);
          float lit = dot(n, mat3(viewMatrix) * lamp);
          light = 0.58 * ${facing} + 0.46 + 0.19 * dot(n, mat3(viewMatrix) * up);
        }`,
      );
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "varying float light;\nvoid main() {")
      .replace(
        "#include <color_fragment>",
        "#include <color_fragment>\n\tdiffuseColor.rgb *= light;",
      );
  };
  material.customProgramCacheKey = () => facing;
  return material;
}
