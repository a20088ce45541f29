// Forces at contacts as arrows; all of them share one scale, which follows what is usual of late.

import * as THREE from "./three.js";
import { roundDown, roundUp } from "./numbers.js";

const MOST = 256;
const LONGEST = 0.2; // of the scene's size
const MEMORY = 150; // frames over which forces are remembered
const USUAL = 0.85; // part of them that is within the scale: a blow is not usual, and is cut off
const HEAD = 4.2; // in widths of the shaft
const Y = new THREE.Vector3(0, 1, 0);

export class Arrows {
  constructor(size, colour) {
    this.size = size;
    this.width = 0.0055 * size;
    const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.92 });
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
    this.largest = 0; // force at full length [N]
    this.recent = [];
    this.from = new THREE.Vector3();
    this.force = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.scale = new THREE.Vector3();
    this.matrix = new THREE.Matrix4();
  }

  /** Force that the legend's arrow stands for [N], and its length [m]; null if none was seen. */
  get legend() {
    if (!this.largest) return null;
    const force = roundDown(this.largest / 2);
    return { force, length: force * this.perNewton };
  }

  get perNewton() {
    return (LONGEST * this.size) / this.largest;
  }

  /** Show arrows of 6 numbers each: from, vector [N], in the world. */
  show(numbers) {
    const count = Math.min(numbers.length / 6, MOST);
    this.remember(numbers, count);
    let shown = 0;
    for (let i = 0; i < count; i += 1) if (this.place(numbers, 6 * i, shown)) shown += 1;
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = shown;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** Steps of 1, 2, 5, and smaller ones only when much smaller: a scale that creeps is no scale. */
  remember(numbers, count) {
    let most = 0;
    for (let i = 0; i < count; i += 1) {
      const force = Math.hypot(numbers[6 * i + 3], numbers[6 * i + 4], numbers[6 * i + 5]);
      if (force < Infinity) most = Math.max(most, force);
    }
    if (most > 0) this.recent.push(most);
    if (this.recent.length > MEMORY) this.recent.shift();
    if (!this.recent.length) return;
    const usual = [...this.recent].sort((a, b) => a - b)[Math.floor(USUAL * this.recent.length)];
    if (usual > this.largest || usual < 0.2 * this.largest) this.largest = roundUp(usual);
  }

  place(numbers, at, index) {
    const { from, force, turn, scale, matrix, width } = this;
    from.fromArray(numbers, at);
    force.fromArray(numbers, at + 3);
    const length = Math.min(force.length() * this.perNewton, 1.5 * LONGEST * this.size);
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
