// The ground of the picture: a floor below a spatial mechanism, squared paper behind a planar one.

import { ContactShadow } from "./contactshadow.js";
import * as THREE from "./three.js";

/** @typedef {import("./camera.js").Eye} Eye */
/** @typedef {import("./quality.js").Style} Style */
/** @typedef {import("./theme.js").Palette} Palette */

const PIXELS = 512; // of the contact shadow
const SHADE = { light: 0.42, dark: 0.75 }; // its opacity
const CAST = { light: 0.2, dark: 0.55 }; // opacity of shadows cast by the lamp
const GAP = 0.03; // from the mechanism to the paper, of its size

export class Backdrop {
  object = new THREE.Group();
  /** @type {ContactShadow | null} */
  shade = null;
  plane = new THREE.Plane(); // of the floor or the paper
  dark = 0; // opacity of shadows on it

  /**
   * @param {import("./messages.js").Scene} scene
   * @param {Palette} palette
   * @param {Eye} eye
   * @param {Style} style
   */
  build(scene, palette, eye, style) {
    this.shade?.dispose();
    this.object = new THREE.Group();
    const { turn, center } = place(scene, eye);
    const lines = grid(eye, palette);
    lines.renderOrder = -2;
    const holder = new THREE.Group();
    holder.add(lines);
    if (style === "full") {
      const cast = new THREE.ShadowMaterial({ opacity: CAST[themeOf(palette)], depthWrite: false });
      const wide = 4 * eye.size;
      const shadow = new THREE.Mesh(new THREE.PlaneGeometry(wide, wide), cast);
      shadow.receiveShadow = true;
      shadow.renderOrder = -1;
      holder.add(shadow);
    }
    holder.position.copy(center);
    holder.quaternion.copy(turn);
    this.object.add(holder);
    this.dark = CAST[themeOf(palette)];
    this.plane.setFromNormalAndCoplanarPoint(
      new THREE.Vector3(0, 0, 1).applyQuaternion(turn),
      center,
    );
    this.shade = null;
    if (style === "simple") return;
    this.shade = new ContactShadow(PIXELS);
    this.darken(eye, turn, center, SHADE[themeOf(palette)]);
    this.object.add(this.shade.plane);
  }

  /**
   * Place the contact shadow on the plane.
   * @param {Eye} eye
   * @param {THREE.Quaternion} turn
   * @param {THREE.Vector3} center
   * @param {number} opacity
   */
  darken({ flat, size, box }, turn, center, opacity) {
    const axes = [0, 1, 2].map((k) => new THREE.Vector3().setComponent(k, 1).applyQuaternion(turn));
    const extent = box.getSize(new THREE.Vector3());
    const [width, height, deep] = axes.map((axis) => {
      const { x, y, z } = axis;
      return Math.abs(x) * extent.x + Math.abs(y) * extent.y + Math.abs(z) * extent.z;
    });
    const middle = box.getCenter(new THREE.Vector3());
    const across = axes[2];
    middle.addScaledVector(across, center.clone().sub(middle).dot(across));
    const how = flat
      ? { range: 2 * (deep + GAP * size), blur: 0.02 * size, shift: [0.012 * size, -0.015 * size] }
      : { range: Math.max(0.3 * deep, 0.08 * size), blur: 0.05 * size, shift: [0, 0] };
    const around = 3 * how.blur;
    this.shade?.place(
      middle,
      turn,
      { ...how, width: width + around, height: height + around },
      opacity,
    );
  }
}

/** @param {Palette} palette */
export function themeOf({ stage }) {
  const { r, g, b } = new THREE.Color(stage);
  return r + g + b > 1.2 ? "light" : "dark";
}

/**
 * Center and orientation of the floor or the paper, z towards the mechanism.
 * @param {import("./messages.js").Scene} scene
 * @param {Eye} eye
 */
function place(scene, eye) {
  const turn = new THREE.Quaternion();
  const center = eye.box.getCenter(new THREE.Vector3());
  if (eye.flat) {
    const [right, up, towards] = eye.axes();
    turn.setFromRotationMatrix(new THREE.Matrix4().makeBasis(right, up, towards));
    const extent = Math.abs(eye.box.getSize(new THREE.Vector3()).dot(towards));
    center.addScaledVector(towards, -extent / 2 - GAP * eye.size);
  } else {
    if (scene.up === "y") turn.setFromAxisAngle(new THREE.Vector3(1, 0, 0), -Math.PI / 2);
    center[scene.up] = eye.box.min[scene.up];
  }
  return { turn, center };
}

/**
 * Lines of a floor or of squared paper in x, y, about the center.
 * @param {Eye} eye
 * @param {Palette} palette
 */
function grid(eye, palette) {
  const cell = 10 ** Math.floor(Math.log10(eye.size / 4));
  const cells = 2 * Math.ceil(((eye.flat ? 4 : 1.6) * eye.size) / cell / 2);
  const lines = new THREE.GridHelper(cells * cell, cells, palette.axis, palette.grid);
  Object.assign(lines.material, {
    transparent: true,
    opacity: eye.flat ? 0.55 : 0.7,
    depthWrite: false,
    toneMapped: false,
  });
  lines.rotation.x = Math.PI / 2; // the helper lies in x, z
  return lines;
}
