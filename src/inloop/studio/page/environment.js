// Environment light: a photo studio with soft boxes, filtered for every roughness.

import * as THREE from "./three.js";

const SIZE = 64; // pixels of a side of the room; its lights are soft

/** Soft boxes: width and height, position, brightness. */
const LAMPS = [
  { size: [3.2, 1.6], at: [-2.4, 3.6, 2.2], light: 9 }, // above the left shoulder
  { size: [1.2, 3.4], at: [4.6, 1.4, 0.6], light: 5 }, // a strip at the right
  { size: [1.0, 3.0], at: [-4.6, 1.2, -1.6], light: 3 }, // another one behind the left
  { size: [5.0, 0.7], at: [0, 2.6, -4.6], light: 4 }, // a rim from behind
];

/**
 * The environment of a scene whose up is y or z.
 * @param {THREE.WebGLRenderer} renderer
 * @param {boolean} dark
 */
export function makeEnvironment(renderer, dark) {
  const room = new THREE.Scene();
  const wall = new THREE.MeshBasicMaterial({ side: THREE.BackSide, vertexColors: true });
  room.add(new THREE.Mesh(shell(dark), wall));
  for (const { size, at, light } of LAMPS) {
    const [width, height] = size;
    const lamp = new THREE.Mesh(
      new THREE.PlaneGeometry(width, height),
      new THREE.MeshBasicMaterial({
        color: new THREE.Color(light, light, light),
        side: THREE.DoubleSide,
      }),
    );
    const [x, y, z] = at;
    lamp.position.set(x, y, z);
    lamp.lookAt(0, 0, 0);
    room.add(lamp);
  }
  const filter = new THREE.PMREMGenerator(renderer);
  const { texture } = filter.fromScene(room, 0.03, 0.1, 100, { size: SIZE });
  filter.dispose();
  room.traverse((part) => {
    if (!(part instanceof THREE.Mesh)) return;
    part.geometry.dispose();
    part.material.dispose();
  });
  return texture;
}

/**
 * Walls that are bright above, and below with the light that the floor reflects.
 * @param {boolean} dark
 */
function shell(dark) {
  const geometry = new THREE.SphereGeometry(8, 24, 16);
  const { position } = geometry.attributes;
  const colours = new Float32Array(3 * position.count);
  const [top, level, bottom] = dark ? [0.75, 0.3, 0.1] : [1.15, 0.72, 0.5];
  for (let k = 0; k < position.count; k += 1) {
    const up = position.getY(k) / 8;
    const light = up > 0 ? level + (top - level) * up : level + (bottom - level) * Math.sqrt(-up);
    colours.fill(light, 3 * k, 3 * k + 3);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return geometry;
}
