// Springs and lines between points of two bodies, redrawn with every pose.

import { surface } from "./materials.js";
import { shaded } from "./shapes.js";
import { skin } from "./solids.js";
import * as THREE from "./three.js";

const COILS = 9;
const PER_COIL = 10;
const AROUND = 4; // corners of the section of a wire
const [RADIUS, WIRE] = [0.014, 0.0026]; // of a coil and of its wire, relative to the size of the scene
const END = 0.1; // straight part at either end, relative to the length

/** One connector of the scene. */
export class ConnectorObject {
  /**
   * @param {import("./messages.js").Connector} connector
   * @param {Map<string, THREE.Object3D>} nodes
   * @param {number} size
   * @param {string} colour
   * @param {import("./quality.js").Style} style
   */
  constructor(connector, nodes, size, colour, style) {
    this.ends = [connector.from, connector.to].map(({ body, p }) => ({
      node: body ? nodes.get(body) : null,
      local: new THREE.Vector3(...p),
    }));
    this.spring = connector.look === "spring";
    this.path = Array.from(
      { length: this.spring ? COILS * PER_COIL + 3 : 2 },
      () => new THREE.Vector3(),
    );
    this.radius = RADIUS * size;
    this.wire = WIRE * size;
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal"]) {
      const values = new Float32Array(3 * AROUND * this.path.length);
      geometry.setAttribute(name, new THREE.BufferAttribute(values, 3));
    }
    geometry.setIndex(skin(this.path.length, AROUND));
    this.object = shaded(
      new THREE.Mesh(geometry, surface(style, "metal", colour)),
      style === "full",
    );
    this.object.frustumCulled = false;
    this.along = new THREE.Vector3();
    this.side = new THREE.Vector3();
    this.up = new THREE.Vector3();
  }

  update() {
    const { path } = this;
    this.place(this.ends[0], path[0]);
    this.place(this.ends[1], path[path.length - 1]);
    this.along.subVectors(path[path.length - 1], path[0]);
    const [x, y] = Math.abs(this.along.y) > 0.9 * this.along.length() ? [1, 0] : [0, 1];
    this.side.set(x, y, 0).cross(this.along).normalize();
    this.up.crossVectors(this.along, this.side).normalize();
    if (this.spring) this.coil();
    this.wrap();
  }

  /**
   * @param {{ node: THREE.Object3D | null | undefined, local: THREE.Vector3 }} end
   * @param {THREE.Vector3} into
   */
  place({ node, local }, into) {
    into.copy(local);
    if (node) into.applyMatrix4(node.matrixWorld);
  }

  /** A helix with straight ends; seen from the side it looks like the spring symbol of drawings. */
  coil() {
    const { path, along, side, up } = this;
    const turns = COILS * PER_COIL;
    for (let i = 0; i <= turns; i += 1) {
      const angle = (2 * Math.PI * i) / PER_COIL;
      path[i + 1]
        .copy(path[0])
        .addScaledVector(along, END + ((1 - 2 * END) * i) / turns)
        .addScaledVector(side, this.radius * Math.cos(angle))
        .addScaledVector(up, this.radius * Math.sin(angle));
    }
  }

  /** The wire about its path: a ring about each point, transported without twist. */
  wrap() {
    const { path, wire, side } = this;
    const { position, normal } = this.object.geometry.attributes;
    ACROSS.copy(side);
    path.forEach((p, k) => {
      ALONG.subVectors(
        path[Math.min(k + 1, path.length - 1)],
        path[Math.max(k - 1, 0)],
      ).normalize();
      ACROSS.addScaledVector(ALONG, -ACROSS.dot(ALONG)).normalize();
      UPWARD.crossVectors(ALONG, ACROSS);
      for (let i = 0; i < AROUND; i += 1) {
        const [c, s] = RING[i];
        OUT.copy(ACROSS).multiplyScalar(c).addScaledVector(UPWARD, s);
        OUT.toArray(normal.array, 3 * (k * AROUND + i));
        OUT.multiplyScalar(wire)
          .add(p)
          .toArray(position.array, 3 * (k * AROUND + i));
      }
    });
    position.needsUpdate = true;
    normal.needsUpdate = true;
  }
}

const [ALONG, ACROSS, UPWARD, OUT] = Array.from({ length: 4 }, () => new THREE.Vector3());
const RING = Array.from({ length: AROUND }, (_, i) => {
  const angle = (2 * Math.PI * i) / AROUND;
  return [Math.cos(angle), Math.sin(angle)];
});
