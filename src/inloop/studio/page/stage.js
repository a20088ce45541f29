// Bodies, ground, springs and arrows as three.js objects, brought to a pose.

import { Arrows } from "./arrows.js";
import { BentLink, exaggerate } from "./bending.js";
import { ConnectorObject } from "./connectors.js";
import { Boxes } from "./meshes.js";
import { dispose, visualObject } from "./shapes.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Scene} Scene */
/** @typedef {import("./camera.js").Eye} Eye */
/** @typedef {import("./theme.js").Palette} Palette */
/** @typedef {import("./shapes.js").MeshSource} MeshSource */

/** @type {Record<"xy" | "xz" | "yz", "x" | "y" | "z">} the axis that leaves a plane */
const ACROSS = { xy: "z", xz: "y", yz: "x" };

export class Stage {
  /** @type {Scene | null} */
  description = null;
  /** @type {THREE.Group} */
  ground = new THREE.Group();
  /** @type {Arrows | null} */
  arrows = null;
  /** @type {boolean} */
  shadows = false;

  /**
   * `meshes` gives the objects of packed meshes; without it they are boxes.
   * @param {MeshSource} [meshes]
   */
  constructor(meshes = new Boxes()) {
    this.meshes = meshes;
    this.scene = new THREE.Scene();
    this.lamp = new THREE.DirectionalLight(0xffffff, 1.6);
    this.root = new THREE.Group();
    this.sky = new THREE.AmbientLight(0xffffff, 1.75);
    this.scene.add(this.sky, this.lamp, this.lamp.target, this.root);
    /** @type {Map<string, THREE.Group>} */
    this.nodes = new Map();
    /** @type {ConnectorObject[]} */
    this.connectors = [];
    /** @type {BentLink[]} */
    this.bent = [];
  }

  /**
   * Soft shadows, if there is a graphics card for them.
   * @param {THREE.WebGLRenderer} renderer
   * @param {boolean} on
   */
  castShadows(renderer, on) {
    this.shadows = on;
    renderer.shadowMap.enabled = on;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    this.lamp.castShadow = on;
    if (on) [this.lamp.intensity, this.sky.intensity] = [2.4, 1.1];
    this.lamp.shadow.mapSize.set(2048, 2048);
    Object.assign(this.lamp.shadow, { radius: 4, normalBias: 0.02 });
  }

  /**
   * Build what a scene of the server describes.
   * @param {Scene} scene
   * @param {Palette} palette
   * @param {Eye} eye
   */
  build(scene, palette, eye) {
    dispose(this.root);
    this.root.clear();
    this.nodes.clear();
    this.description = scene;
    this.ground = new THREE.Group();
    this.meshes.keep(scene);
    /**
     * @param {import("./messages.js").Look} visual
     * @param {string} colour
     */
    const show = (visual, colour) => visualObject(visual, colour, palette, this.meshes);
    for (const visual of scene.ground) this.ground.add(show(visual, palette.ground));
    const paper = grid(scene, palette, eye);
    this.root.add(this.ground, paper, this.meshes.instances);
    if (this.shadows && !eye.flat) this.root.add(shade(paper, eye));
    scene.bodies.forEach((body, index) => {
      const node = new THREE.Group();
      const colour = palette.bodies[index % palette.bodies.length];
      for (const visual of body.shapes) node.add(show(visual, colour));
      this.nodes.set(body.name, node);
      this.root.add(node);
    });
    const nodes = [...this.nodes.values()];
    this.bent = scene.flexible.map(
      (link, i) =>
        new BentLink(link, nodes, this.ground, palette.bodies[i % palette.bodies.length]),
    );
    this.connectors = scene.connectors.map(
      (ends) => new ConnectorObject(ends, this.nodes, eye.size, palette.connector),
    );
    for (const connector of this.connectors) this.root.add(connector.object);
    this.arrows = new Arrows(eye.size, palette.force);
    this.root.add(this.arrows.object);
  }

  /**
   * Bring bodies to poses: position and quaternion, 7 numbers each; nodes of flexible links
   * `deflection` times as far from straight.
   * @param {Float32Array} actual
   * @param {number} deflection
   */
  pose(actual, deflection) {
    const { description: scene } = this;
    if (!scene) return;
    const whole = actual.length >= 7 * scene.bodies.length;
    const bodies =
      deflection !== 1 && scene.flexible.length && whole
        ? exaggerate(actual, scene, deflection)
        : actual;
    let at = 0;
    for (const node of this.nodes.values()) {
      if (at + 7 > bodies.length) break;
      node.position.fromArray(bodies, at);
      node.quaternion.fromArray(bodies, at + 3);
      node.updateMatrixWorld(true);
      at += 7;
    }
    this.meshes.follow();
    for (const link of this.bent) link.update(deflection);
    for (const connector of this.connectors) connector.update();
  }

  /**
   * Light from above the shoulder of whoever looks.
   * @param {Eye} eye
   */
  light({ camera, target, size, up, flat }) {
    const away = camera.position.distanceTo(target);
    this.lamp.target.position.copy(target);
    this.lamp.position
      .set(-0.35 * away, 0.55 * away, 0)
      .applyQuaternion(camera.quaternion)
      .add(camera.position);
    if (!this.shadows || flat) return;
    this.lamp.position.addScaledVector(up, 0.8 * away); // shadows are short
    const seen = this.lamp.shadow.camera;
    const reach = 0.8 * size;
    const far = 2 * this.lamp.position.distanceTo(target);
    Object.assign(seen, { left: -reach, right: reach, top: reach, bottom: -reach, far });
    seen.updateProjectionMatrix();
  }

  /** The box around all bodies. */
  get box() {
    const box = new THREE.Box3();
    for (const node of this.nodes.values()) box.expandByObject(node);
    return box;
  }
}

/**
 * What shadows fall on: the floor, seen only where it is dark.
 * @param {THREE.Object3D} paper
 * @param {Eye} eye
 */
function shade(paper, { size }) {
  const geometry = new THREE.PlaneGeometry(4 * size, 4 * size).rotateX(-Math.PI / 2);
  const floor = new THREE.Mesh(geometry, new THREE.ShadowMaterial({ opacity: 0.25 }));
  floor.receiveShadow = true;
  floor.position.copy(paper.position);
  floor.rotation.copy(paper.rotation);
  return floor;
}

/**
 * A floor in space, squared paper behind planar mechanisms.
 * @param {Scene} scene
 * @param {Palette} palette
 * @param {Eye} eye
 */
function grid(scene, palette, eye) {
  const cell = 10 ** Math.floor(Math.log10(eye.size / 4));
  const cells = 2 * Math.ceil(((eye.flat ? 4 : 1.6) * eye.size) / cell / 2);
  const lines = new THREE.GridHelper(cells * cell, cells, palette.axis, palette.grid);
  Object.assign(lines.material, {
    transparent: true,
    opacity: eye.flat ? 0.55 : 0.7,
    depthWrite: false,
  });
  const center = eye.box.getCenter(new THREE.Vector3());
  /** @param {number} x */
  const snap = (x) => Math.round(x / cell) * cell;
  lines.position.set(snap(center.x), snap(center.y), snap(center.z));
  // the helper lies in x, z
  /** @type {"x" | "y" | "z"} */
  const level = eye.flat ? ACROSS[scene.planar ?? "xz"] : scene.up;
  if (!eye.flat) lines.position[level] = eye.box.min[level];
  else if (scene.planar === "xz") lines.position.y = eye.box.max.y + 0.1 * eye.size;
  else lines.position[level] = eye.box.min[level] - 0.1 * eye.size;
  if (level === "z") lines.rotation.x = Math.PI / 2;
  if (level === "x") lines.rotation.z = Math.PI / 2;
  return lines;
}
