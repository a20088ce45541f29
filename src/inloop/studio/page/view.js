// The picture of the mechanism: scene, poses between frames, rendering when something changed.

import * as THREE from "./three.js";
import { Arrows } from "./arrows.js";
import { Eye } from "./camera.js";
import { LinkObject } from "./links.js";
import { Motion } from "./motion.js";
import { dispose, shapeObject } from "./shapes.js";

export class View {
  constructor(canvas, palette) {
    this.canvas = canvas;
    this.palette = palette;
    this.slow = withoutGraphicsCard();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.slow, alpha: true });
    this.eye = new Eye();
    this.motion = new Motion();
    this.stage = new THREE.Scene();
    this.lights();
    this.root = new THREE.Group();
    this.stage.add(this.root);
    this.nodes = new Map();
    this.links = [];
    this.moment = null; // a stamp to look back at; null: now
    this.forcesShown = true;
    this.rendered = 0;
    this.moved = -Infinity; // when the last picture was made [ms]
    this.afterFrame = [];
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Light from above the shoulder of whoever looks, wherever the eye is. */
  lights() {
    this.lamp = new THREE.DirectionalLight(0xffffff, 1.6);
    this.stage.add(new THREE.AmbientLight(0xffffff, 1.75), this.lamp, this.lamp.target);
  }

  /** Build what a scene describes. */
  setScene(scene) {
    this.scene = scene;
    this.motion.clear();
    this.eye.touched = false;
    this.eye.setScene(scene);
    this.measured = -Infinity;
    this.build();
  }

  /** What moves out of view widens the view, unless a person has chosen it. */
  measure(now) {
    if (now - this.measured < MEASURE) return;
    const first = this.measured === -Infinity;
    this.measured = now;
    const box = new THREE.Box3();
    for (const node of this.nodes.values()) box.expandByObject(node);
    if (box.isEmpty()) return;
    // parts that are held by contacts stay near where they are; the others may swing
    const held = first && this.shown.after.arrows.length > 0;
    if (held) this.eye.frame(box.expandByObject(this.ground));
    if (!held && !this.eye.include(box, first)) return;
    if (first) this.build(); // the floor lies below all of it
  }

  /** The same mechanism with other measures: the eye stays where it is. */
  changeScene(scene) {
    this.scene = scene;
    this.build();
  }

  /** Colours come from the theme, so that a change of theme builds anew. */
  setPalette(palette) {
    this.palette = palette;
    if (this.scene) this.build();
  }

  build() {
    dispose(this.root);
    this.root.clear();
    this.nodes.clear();
    const { scene, palette } = this;
    this.ground = new THREE.Group();
    for (const shape of scene.ground) this.ground.add(shapeObject(shape, palette.ground, palette));
    this.root.add(this.ground, this.grid());
    scene.bodies.forEach((body, index) => {
      const node = new THREE.Group();
      const colour = palette.bodies[index % palette.bodies.length];
      for (const shape of body.shapes) node.add(shapeObject(shape, colour, palette));
      node.name = body.name;
      this.nodes.set(body.name, node);
      this.root.add(node);
    });
    this.links = scene.links.map((link) => new LinkObject(link, this.nodes, this.eye.size, palette.link));
    for (const link of this.links) this.root.add(link.object);
    const largest = this.arrows?.scene === scene ? this.arrows.largest : 0;
    this.arrows = new Arrows(this.eye.size, palette.force);
    Object.assign(this.arrows, { scene, largest });
    this.root.add(this.arrows.object);
    this.shown = null;
  }

  /** A floor in space, squared paper behind planar mechanisms. */
  grid() {
    const { eye, scene, palette } = this;
    const cell = 10 ** Math.floor(Math.log10(eye.size / 4));
    const cells = 2 * Math.ceil(((eye.flat ? 4 : 1.6) * eye.size) / cell / 2);
    const grid = new THREE.GridHelper(cells * cell, cells, palette.axis, palette.grid);
    grid.material.transparent = true;
    grid.material.opacity = eye.flat ? 0.55 : 0.7;
    grid.material.depthWrite = false;
    const center = eye.box.getCenter(new THREE.Vector3());
    const snap = (x) => Math.round(x / cell) * cell;
    grid.position.set(snap(center.x), snap(center.y), snap(center.z));
    // the helper lies in x, z
    const level = eye.flat ? { xy: "z", xz: "y", yz: "x" }[scene.planar] : scene.up;
    const back = { xy: "min", xz: "max", yz: "min" }[scene.planar];
    grid.position[level] = eye.flat ? eye.box[back][level] + (back === "max" ? 1 : -1) * 0.1 * eye.size : eye.box.min[level];
    if (level === "z") grid.rotation.x = Math.PI / 2;
    if (level === "x") grid.rotation.z = Math.PI / 2;
    return grid;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    Object.assign(this, { width, height }); // asking the canvas each time would lay out the page
    this.setQuality(this.slow ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.eye.setAspect(width / height);
    this.eye.changed = true;
  }

  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    if (!this.scene || (this.slow && now - this.moved < SLOW)) return;
    this.eye.ease();
    const moment = this.moment === null ? this.motion.at(now / 1000) : this.motion.around(this.moment);
    const moved = moment !== null && this.pose(moment);
    if (moved) this.measure(now);
    if (!moved && !this.eye.changed && this.shown !== null) return this.rest(now);
    this.moved = now;
    if (this.slow) this.setQuality(1);
    this.render();
    for (const call of this.afterFrame) call();
  }

  /** Without a graphics card pictures are smooth only while nothing moves. */
  rest(now) {
    if (!this.slow || this.quality > 1 || now - this.moved < STILL) return;
    this.setQuality(2);
    this.render();
  }

  setQuality(pixelRatio) {
    if (this.quality === pixelRatio) return;
    this.quality = pixelRatio;
    this.renderer.setPixelRatio(pixelRatio);
  }

  render() {
    this.eye.apply();
    const { camera, target } = this.eye;
    this.lamp.target.position.copy(target);
    this.lamp.position.set(-0.35, 0.55, 0).applyQuaternion(camera.quaternion).multiplyScalar(camera.position.distanceTo(target)).add(camera.position);
    this.renderer.render(this.stage, this.eye.camera);
    this.rendered += 1;
    this.shown ??= {};
  }

  /** Bring bodies to a moment; false if they are there already. */
  pose({ before, after, fraction }) {
    const shown = this.shown;
    if (shown?.before === before && shown.after === after && shown.fraction === fraction) return false;
    this.shown = { before, after, fraction };
    let at = 0;
    for (const node of this.nodes.values()) {
      if (at + 7 > before.bodies.length) break;
      node.position.fromArray(before.bodies, at);
      node.quaternion.fromArray(before.bodies, at + 3);
      if (fraction > 0) {
        node.position.lerp(POINT.fromArray(after.bodies, at), fraction);
        node.quaternion.slerp(TURN.fromArray(after.bodies, at + 3), fraction);
      }
      node.updateMatrixWorld(true);
      at += 7;
    }
    for (const link of this.links) link.update();
    this.arrows.show(this.forcesShown ? after.arrows : NONE);
    return true;
  }

  showForces(on) {
    this.forcesShown = on;
    this.shown = null;
  }

  /** The picture as PNG, on the theme's ground. */
  async picture() {
    this.setQuality(2);
    this.render();
    const { canvas } = this;
    const copy = document.createElement("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const ink = copy.getContext("2d");
    ink.fillStyle = this.palette.stage;
    ink.fillRect(0, 0, copy.width, copy.height);
    ink.drawImage(canvas, 0, 0);
    return new Promise((resolve) => copy.toBlob(resolve, "image/png"));
  }
}

const POINT = new THREE.Vector3();
const TURN = new THREE.Quaternion();
const NONE = new Float32Array(0);
const STILL = 250; // [ms]
const SLOW = 30; // between two pictures without a graphics card, to leave time for what matters [ms]
const MEASURE = 300; // [ms]

/** True if the processor draws, so that smoothing would cost more frames than it is worth. */
function withoutGraphicsCard() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl?.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
