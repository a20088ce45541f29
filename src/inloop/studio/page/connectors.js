// Springs and lines between points of two bodies, redrawn with every pose.

import * as THREE from "./three.js";

const COILS = 9;
const PER_COIL = 14;

/** One connector of the scene. */
export class ConnectorObject {
  /**
   * @param {import("./messages.js").Connector} connector
   * @param {Map<string, THREE.Object3D>} nodes
   * @param {number} size
   * @param {string} colour
   */
  constructor(connector, nodes, size, colour) {
    this.ends = [connector.from, connector.to].map(({ body, p }) => ({
      node: body ? nodes.get(body) : null,
      local: new THREE.Vector3(...p),
    }));
    this.spring = connector.look === "spring";
    const count = this.spring ? COILS * PER_COIL + 3 : 2;
    this.positions = new Float32Array(3 * count);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
    this.object = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
    this.object.frustumCulled = false;
    this.radius = 0.012 * size;
    this.a = new THREE.Vector3();
    this.b = new THREE.Vector3();
    this.along = new THREE.Vector3();
    this.side = new THREE.Vector3();
    this.up = new THREE.Vector3();
  }

  update() {
    this.place(this.ends[0], this.a);
    this.place(this.ends[1], this.b);
    if (this.spring) this.coil();
    else {
      this.a.toArray(this.positions, 0);
      this.b.toArray(this.positions, 3);
    }
    this.object.geometry.attributes.position.needsUpdate = true;
  }

  /**
   * @param {{ node: THREE.Object3D | null | undefined, local: THREE.Vector3 }} end
   * @param {THREE.Vector3} into
   */
  place({ node, local }, into) {
    into.copy(local);
    if (node) into.applyMatrix4(node.matrixWorld);
  }

  /** A helix with straight ends; seen from the side it is the spring of drawings. */
  coil() {
    const { a, b, along, side, up, positions } = this;
    along.subVectors(b, a);
    const [x, y] = Math.abs(along.y) > 0.9 * along.length() ? [1, 0] : [0, 1];
    side.set(x, y, 0).cross(along).normalize();
    up.crossVectors(along, side).normalize();
    const turns = COILS * PER_COIL;
    a.toArray(positions, 0);
    for (let i = 0; i <= turns; i += 1) {
      const angle = (2 * Math.PI * i) / PER_COIL;
      const fraction = 0.12 + (0.76 * i) / turns;
      const c = this.radius * Math.cos(angle);
      const s = this.radius * Math.sin(angle);
      const at = 3 * (i + 1);
      positions[at] = a.x + fraction * along.x + c * side.x + s * up.x;
      positions[at + 1] = a.y + fraction * along.y + c * side.y + s * up.y;
      positions[at + 2] = a.z + fraction * along.z + c * side.z + s * up.z;
    }
    b.toArray(positions, 3 * (turns + 2));
  }
}
