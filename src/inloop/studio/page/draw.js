// Draws, in a thread of its own: a slow graphics card never keeps the page from its work.

import { Eye } from "./camera.js";
import { Meshes } from "./meshes.js";
import { Stage } from "./stage.js";
import * as THREE from "./three.js";

/** @typedef {import("./view.js").View["message"]} Frame */

const meshes = new Meshes(() => postMessage({ arrived: true }));
const stage = new Stage(meshes);
const eye = new Eye();
/** @type {THREE.WebGLRenderer} */
let renderer;
/** @type {OffscreenCanvas} */
let canvas;
let builds = 0;
let ratio = 0;

const DO = {
  /** @param {{ canvas: OffscreenCanvas, smooth: boolean }} message */
  begin(message) {
    canvas = message.canvas;
    renderer = new THREE.WebGLRenderer({ canvas, antialias: message.smooth, alpha: true });
    stage.castShadows(renderer, message.smooth);
    meshes.fine = message.smooth;
  },
  /** @param {{ width: number, height: number }} message */
  size({ width, height }) {
    renderer.setSize(width, height, false);
  },
  /** @param {{ scene: import("./messages.js").Scene, palette: import("./theme.js").Palette, state: import("./camera.js").EyeState }} message */
  build({ scene, palette, state }) {
    eye.state = state;
    stage.build(scene, palette, eye);
    builds += 1;
  },
  /**
   * Bodies, arrows and the eye of a moment; `ratio` is pixels drawn per pixel of the page.
   * @param {Frame} message
   */
  frame(message) {
    if (builds) show(message);
    const { calls } = renderer.info.render;
    postMessage({ drawn: true, waiting: meshes.waiting, builds, calls });
  },
  /** @param {Frame} message */
  async picture(message) {
    show({ ...message, ratio: 2 });
    const blob = await canvas.convertToBlob({ type: "image/png" });
    postMessage({ picture: await createImageBitmap(blob) });
  },
};

/** @param {Frame} message */
function show(message) {
  if (message.ratio !== ratio) {
    ratio = message.ratio;
    renderer.setPixelRatio(ratio);
  }
  eye.state = message.state;
  eye.apply();
  stage.pose(message.bodies, message.deflection);
  stage.arrows?.show(message.arrows, message.full);
  stage.light(eye);
  renderer.render(stage.scene, eye.camera);
}

self.onmessage = ({ data }) => DO[/** @type {keyof typeof DO} */ (data.do)](data);
