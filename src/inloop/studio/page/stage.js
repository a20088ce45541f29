// Bodies, ground, springs and arrows as three.js objects, moved to a pose.

import { Arrows } from "./arrows.js";
import { Backdrop, themeOf } from "./backdrop.js";
import { BentLink, exaggerate } from "./bending.js";
import { cornersOf } from "./camera.js";
import { ConnectorObject } from "./connectors.js";
import { makeEnvironment } from "./environment.js";
import { renderWithShadow } from "./flatshadow.js";
import { shineFrom } from "./materials.js";
import { Boxes } from "./meshes.js";
import { Mirror } from "./mirror.js";
import { bodyObject, dispose } from "./shapes.js";
import { Surroundings } from "./surroundings.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Scene} Scene */
/** @typedef {import("./camera.js").Eye} Eye */
/** @typedef {import("./theme.js").Palette} Palette */
/** @typedef {import("./quality.js").Style} Style */
/** @typedef {import("./shapes.js").MeshSource} MeshSource */
/** @typedef {{ t: number, back: boolean, box: import("./surprise.js").Box | null }} At simulated time [s], if it is looked back at, and what has appeared */

const LAMP = 1.85; // brightness of the lamp, in the full style
const ENVIRONMENT = 0.56; // brightness of the environment, in the full style
const MAP = 2048; // pixels of the shadow map

const GHOST = new THREE.MeshBasicMaterial({
  color: "#7fd0ff",
  transparent: true,
  opacity: 0.3,
  depthWrite: false,
  fog: false,
});

export class Stage {
  /** @type {Scene | null} */
  description = null;
  /** @type {THREE.Group} */
  ground = new THREE.Group();
  /** @type {Arrows | null} */
  arrows = null;
  /** @type {Style} */
  style = "simple";
  /** @type {THREE.WebGLRenderer | null} */
  renderer = null;
  /** @type {Surroundings | null} */
  surroundings = null;
  /** @type {import("./messages.js").Scenery | null} */
  scenery = null; // their description
  /** @type {Mirror | null} */
  mirror = null;
  /** @type {{ light?: THREE.Texture, dark?: THREE.Texture }} */
  rooms = {}; // environments, each created once

  /**
   * `meshes` provides the objects of packed meshes; by default they are boxes.
   * @param {MeshSource} [meshes]
   */
  constructor(meshes = new Boxes()) {
    this.meshes = meshes;
    this.scene = new THREE.Scene();
    this.backdrop = new Backdrop();
    this.lamp = new THREE.DirectionalLight(0xffffff, LAMP);
    this.lamp.shadow.mapSize.set(MAP, MAP);
    this.lamp.shadow.radius = 5;
    this.root = new THREE.Group();
    this.scene.add(this.lamp, this.lamp.target, this.root);
    /** @type {Map<string, THREE.Group>} */
    this.nodes = new Map();
    /** @type {ConnectorObject[]} */
    this.connectors = [];
    /** @type {BentLink[]} */
    this.bent = [];
  }

  /**
   * Draw with a renderer, in a style: with or without soft shadows and environment light.
   * @param {THREE.WebGLRenderer} renderer
   * @param {Style} style
   */
  drawWith(renderer, style) {
    this.renderer = renderer;
    this.style = style;
    const full = style === "full";
    renderer.shadowMap.enabled = full;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    renderer.toneMapping = full ? THREE.NeutralToneMapping : THREE.NoToneMapping;
    this.lamp.castShadow = full;
    this.meshes.style = style;
  }

  /**
   * Build the objects of a scene from the server.
   * @param {Scene} scene
   * @param {Palette} palette
   * @param {Eye} eye
   */
  build(scene, palette, eye) {
    dispose(this.root);
    this.root.clear();
    this.nodes.clear();
    this.description = scene;
    this.meshes.size = eye.size;
    this.meshes.keep(scene);
    /**
     * @param {import("./messages.js").Look[]} visuals
     * @param {string} colour
     */
    const show = (visuals, colour) =>
      bodyObject(visuals, colour, palette, this.meshes, { style: this.style, size: eye.size });
    this.ground = show(scene.ground, palette.ground);
    this.root.add(this.ground, this.meshes.instances);
    scene.bodies.forEach((body, index) => {
      const node = show(body.shapes, palette.bodies[index % palette.bodies.length]);
      this.nodes.set(body.name, node);
      this.root.add(node);
    });
    const nodes = [...this.nodes.values()];
    this.bent = scene.flexible.map(
      (link, i) =>
        new BentLink(
          link,
          nodes,
          this.ground,
          palette.bodies[i % palette.bodies.length],
          this.style,
        ),
    );
    this.connectors = scene.connectors.map(
      (ends) => new ConnectorObject(ends, this.nodes, eye.size, palette.connector, this.style),
    );
    for (const connector of this.connectors) this.root.add(connector.object);
    this.arrows = new Arrows(eye.size, palette.force);
    this.root.add(this.arrows.object);
    if (this.renderer) this.illuminate(scene, palette, eye, this.renderer);
  }

  /**
   * Add floor and light.
   * @param {Scene} scene
   * @param {Palette} palette
   * @param {Eye} eye
   * @param {THREE.WebGLRenderer} renderer
   */
  illuminate(scene, palette, eye, renderer) {
    const { style, backdrop } = this;
    const shadows = style === "full";
    this.surroundings = this.scenery && new Surroundings(this.scenery, themeOf(palette), shadows);
    this.scene.fog = this.surroundings?.fog ?? null;
    if (this.surroundings) this.root.add(this.surroundings.object);
    else {
      backdrop.build(scene, palette, eye, style);
      this.root.add(backdrop.object);
    }
    this.scene.environment = null;
    if (style === "full") {
      const theme = themeOf(palette);
      this.rooms[theme] ??= makeEnvironment(renderer, theme === "dark");
      this.scene.environment = this.rooms[theme];
      this.scene.environmentIntensity = ENVIRONMENT;
      // y is up in the environment
      this.scene.environmentRotation.set(eye.up.y ? 0 : Math.PI / 2, 0, 0);
    }
    this.aim(eye);
  }

  /**
   * Move bodies to poses: position and quaternion, 7 numbers each; nodes of flexible links are
   * displaced `deflection` times as far from straight.
   * @param {Float32Array} actual
   * @param {number} deflection
   */
  pose(actual, deflection) {
    const { description: scene } = this;
    if (!scene) return;
    const complete = actual.length >= 7 * scene.bodies.length;
    const bodies =
      deflection !== 1 && scene.flexible.length && complete
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
   * Place the lamp above the left shoulder of a viewer at the eye's initial position.
   * @param {Eye} eye
   */
  aim(eye) {
    const { lamp } = this;
    const [right, up, towards] = eye.flat ? eye.axes() : eye.homeAxes();
    eye.box.getCenter(lamp.target.position);
    const reach = 0.62 * eye.size;
    lamp.position.copy(lamp.target.position);
    lamp.position.addScaledVector(right, (eye.flat ? -0.6 : -1.1) * reach);
    lamp.position.addScaledVector(up, (eye.flat ? 0.85 : 2.4) * reach);
    lamp.position.addScaledVector(towards, (eye.flat ? 2.4 : 0.9) * reach);
    const far = 2 * lamp.position.distanceTo(lamp.target.position);
    const seen = lamp.shadow.camera;
    Object.assign(seen, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0, far });
    seen.updateProjectionMatrix();
    lamp.shadow.normalBias = (3 * reach) / MAP;
    lamp.shadow.bias = -2e-4;
    shineFrom(lamp.position.clone().sub(lamp.target.position), up);
  }

  /**
   * Draw the scene as seen by a camera.
   * @param {THREE.Camera} camera
   * @param {At} moment
   * @param {import("./camera.js").Place | null} behind pose of the eye of a mirror
   */
  render(camera, moment = { t: 0, back: false, box: null }, behind = null) {
    const { renderer, surroundings } = this;
    if (!renderer) return;
    const { scene, backdrop, lamp } = this;
    if (surroundings) {
      surroundings.update(camera, this.nodes, moment);
      this.shineOn(this.nodes.get(surroundings.scenery.outline.body));
      renderer.render(scene, camera);
      if (!behind) return;
      this.mirror ??= new Mirror();
      this.mirror.draw(renderer, scene, behind);
      return;
    }
    if (this.style === "simple") {
      const light = lamp.position.clone().sub(lamp.target.position).normalize();
      renderWithShadow(renderer, scene, camera, { ...backdrop, light });
      return;
    }
    backdrop.shade?.update(renderer, scene);
    renderer.render(scene, camera);
  }

  /**
   * Move the lamp along with a body.
   * @param {THREE.Object3D | undefined} node
   */
  shineOn(node) {
    if (!node) return;
    const { position, target } = this.lamp;
    const way = position.clone().sub(target.position);
    target.position.copy(node.position);
    position.copy(node.position).add(way);
    target.updateMatrixWorld();
  }

  /**
   * Draw bodies a second time, at their poses in an earlier run.
   * @param {THREE.Camera} camera
   * @param {Float32Array} bodies
   */
  haunt(camera, bodies) {
    const { renderer, scene, surroundings, backdrop, arrows } = this;
    if (!renderer) return;
    this.pose(bodies, 1);
    const hidden = [surroundings?.object, backdrop.object, arrows?.object];
    for (const object of hidden) if (object) object.visible = false;
    scene.overrideMaterial = GHOST;
    renderer.autoClear = renderer.shadowMap.autoUpdate = false;
    renderer.render(scene, camera);
    renderer.autoClear = renderer.shadowMap.autoUpdate = true;
    scene.overrideMaterial = null;
    for (const object of hidden) if (object) object.visible = true;
  }

  /** Corners of boxes around bodies. */
  get corners() {
    return [...this.nodes.values()].flatMap((node) => {
      const box = new THREE.Box3().setFromObject(node);
      return box.isEmpty() ? [] : cornersOf(box);
    });
  }
}
