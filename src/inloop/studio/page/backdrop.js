// What a mechanism stands on, or hangs before: a floor in space, squared paper behind a plane.

import { ContactShadow } from "./contactshadow.js";
import * as THREE from "./three.js";

/** @typedef {import("./camera.js").Eye} Eye */
/** @typedef {import("./quality.js").Style} Style */
/** @typedef {import("./theme.js").Palette} Palette */

const PIXELS = { full: 512, simple: 128 }; // of the shade where bodies touch
const SHADE = { light: 0.42, dark: 0.75 }; // how dark it is
const CAST = { light: 0.2, dark: 0.55 }; // how dark shadows of the lamp are
const GAP = 0.05; // from the mechanism to the paper, of its size

export class Backdrop {
  object = new THREE.Group();
  /** @type {ContactShadow | null} */
  shade = null;

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
    const size = eye.flat ? 2.6 * Math.max(eye.size, eye.high) : 3.4 * eye.size;
    const board = new THREE.Mesh(new THREE.CircleGeometry(size / 2, 64), paint(palette, eye.flat));
    board.renderOrder = -3;
    const lines = grid(eye, palette);
    lines.renderOrder = -2;
    const holder = new THREE.Group();
    holder.add(board, lines);
    if (style === "full") {
      const cast = new THREE.ShadowMaterial({ opacity: CAST[themeOf(palette)], depthWrite: false });
      const shadow = new THREE.Mesh(new THREE.PlaneGeometry(size, size), cast);
      shadow.receiveShadow = true;
      shadow.renderOrder = -1;
      holder.add(shadow);
    }
    holder.position.copy(center);
    holder.quaternion.copy(turn);
    this.shade = new ContactShadow(PIXELS[style]);
    this.darken(eye, turn, center, SHADE[themeOf(palette)]);
    this.object.add(holder, this.shade.plane);
  }

  /**
   * Where and how bodies shade the plane.
   * @param {Eye} eye
   * @param {THREE.Quaternion} turn
   * @param {THREE.Vector3} center
   * @param {number} opacity
   */
  darken({ flat, size, box }, turn, center, opacity) {
    const across = new THREE.Vector3(0, 0, 1).applyQuaternion(turn);
    const extent = box.getSize(new THREE.Vector3());
    const deep = Math.abs(extent.dot(across)) + GAP * size;
    const wide = 1.25 * size;
    const middle = box.getCenter(new THREE.Vector3());
    middle.addScaledVector(across, center.clone().sub(middle).dot(across));
    const how = flat
      ? { range: 2 * deep, blur: 0.02 * size, shift: [0.014 * size, -0.018 * size] }
      : { range: Math.max(0.3 * deep, 0.08 * size), blur: 0.05 * size, shift: [0, 0] };
    this.shade?.place(middle, turn, { ...how, width: wide, height: wide }, opacity);
  }
}

/** @param {Palette} palette */
export function themeOf({ stage }) {
  const { r, g, b } = new THREE.Color(stage);
  return r + g + b > 1.2 ? "light" : "dark";
}

/**
 * Where the floor or the paper is: its center, and how it is turned, z towards the mechanism.
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
 * A spot of light that fades into the stage.
 * @param {Palette} palette
 * @param {boolean} flat
 */
function paint(palette, flat) {
  const dark = themeOf(palette) === "dark";
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    toneMapped: false,
    uniforms: {
      color: { value: new THREE.Color(dark ? 0x3a434b : 0xffffff).convertLinearToSRGB() },
      strength: { value: (dark ? 0.75 : 0.95) * (flat ? 0.6 : 1) },
    },
    vertexShader: `varying vec2 at;
      void main() { at = 2.0 * uv - 1.0; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `varying vec2 at; uniform vec3 color; uniform float strength;
      void main() {
        float fade = max(0.0, 1.0 - dot(at, at));
        gl_FragColor = vec4(color, strength * fade * fade);
      }`,
  });
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
