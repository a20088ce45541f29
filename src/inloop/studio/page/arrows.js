// Forces at contacts as arrows; all of them share one scale.

import { LONGEST } from "./forces.js";
import * as THREE from "./three.js";

const MOST = 256;
const HEAD = 4.2; // in widths of the shaft
const Y = new THREE.Vector3(0, 1, 0);

export class Arrows {
  perNewton = 0; // [m]
  longest = 0; // [m]
  width = 0; // of shafts [m]

  /**
   * @param {number} size
   * @param {string} colour
   */
  constructor(size, colour) {
    this.size = size;
    const material = new THREE.MeshBasicMaterial({
      color: colour,
      depthTest: false,
      transparent: true,
      opacity: 0.92,
    });
    const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 10).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(0.36, 1, 14).translate(0, -0.5, 0);
    this.shafts = new THREE.InstancedMesh(shaft, material, MOST);
    this.heads = new THREE.InstancedMesh(head, material, MOST);
    this.object = new THREE.Group();
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      mesh.count = 0;
      this.object.add(mesh);
    }
    this.from = new THREE.Vector3();
    this.force = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.scale = new THREE.Vector3();
    this.matrix = new THREE.Matrix4();
  }

  /**
   * Show arrows of 6 numbers each: from, vector [N], in the world; `full` has full length.
   * @param {Float32Array} numbers
   * @param {number} full
   * @param {number} near distance of what a riding viewer looks at [m]
   */
  show(numbers, full, near = this.size) {
    const count = full > 0 ? Math.min(numbers.length / 6, MOST) : 0;
    const size = Math.min(near, this.size);
    this.perNewton = (LONGEST * size) / full;
    this.longest = 1.5 * LONGEST * size;
    this.width = 0.0055 * size;
    let shown = 0;
    for (let i = 0; i < count; i += 1) if (this.place(numbers, 6 * i, shown)) shown += 1;
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = shown;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /**
   * @param {Float32Array} numbers
   * @param {number} at
   * @param {number} index
   */
  place(numbers, at, index) {
    const { from, force, turn, scale, matrix, width } = this;
    from.fromArray(numbers, at);
    force.fromArray(numbers, at + 3);
    const length = Math.min(force.length() * this.perNewton, this.longest);
    if (!(length > 0.25 * width)) return false;
    turn.setFromUnitVectors(Y, force.normalize());
    const head = Math.min(HEAD * width, 0.5 * length);
    scale.set(width, length - 0.9 * head, width);
    this.shafts.setMatrixAt(index, matrix.compose(from, turn, scale));
    from.addScaledVector(force, length);
    scale.set(head, head, head);
    this.heads.setMatrixAt(index, matrix.compose(from, turn, scale));
    return true;
  }
}
