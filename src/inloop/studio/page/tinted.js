// Unlit surfaces: they show their own colors, drawn by a CPU or by a graphics card.

import * as THREE from "./three.js";

/**
 * An unlit surface: it shows its own color.
 * @param {THREE.MeshBasicMaterialParameters} how
 */
export const plain = (how) => new THREE.MeshBasicMaterial({ toneMapped: false, ...how });

/**
 * A texture of speckles around a color.
 * @param {string} colour
 * @param {number} rough contrast of the speckles
 * @param {number} coarse their size in pixels
 */
export function speckles(colour, rough, coarse) {
  const size = 128;
  const canvas = new OffscreenCanvas(size, size);
  const ink = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ink.fillStyle = colour;
  ink.fillRect(0, 0, size, size);
  const random = randomNumbers(7);
  for (let k = 0; k < (size * size) / (coarse * coarse); k += 1) {
    const grey = random() < 0.5 ? 0 : 255;
    ink.fillStyle = `rgba(${grey}, ${grey}, ${grey}, ${rough * random()})`;
    const wide = coarse * (0.5 + random());
    ink.fillRect(random() * size, random() * size, wide, wide);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 4;
  return texture;
}

/**
 * Shapes of several colors merged into one, darker where they face away from the light.
 * @param {Array<[THREE.BufferGeometry, string]>} parts with y up
 */
export function coloured(parts) {
  const shapes = parts.map(([shape, colour]) => shaded(shape.toNonIndexed(), colour));
  const joined = new THREE.BufferGeometry();
  for (const name of ["position", "normal", "color"]) {
    const numbers = shapes.flatMap((shape) => [...shape.getAttribute(name).array]);
    joined.setAttribute(name, new THREE.Float32BufferAttribute(numbers, 3));
  }
  return joined;
}

/**
 * @param {THREE.BufferGeometry} shape
 * @param {string} colour
 */
export function shaded(shape, colour) {
  const normal = shape.getAttribute("normal");
  const numbers = [];
  for (let k = 0; k < normal.count; k += 1) {
    const light = 0.78 + 0.16 * normal.getX(k) + 0.14 * normal.getY(k) + 0.1 * normal.getZ(k);
    numbers.push(...new THREE.Color(colour).multiplyScalar(light).toArray());
  }
  shape.setAttribute("color", new THREE.Float32BufferAttribute(numbers, 3));
  return shape;
}

/**
 * Instances are anywhere in the world: the bounds of the first do not apply to them.
 * @param {THREE.InstancedMesh} mesh
 */
export function unbounded(mesh) {
  mesh.frustumCulled = false;
  return mesh;
}

/**
 * A reproducible sequence of random numbers from 0 to 1.
 * @param {number} seed
 */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
