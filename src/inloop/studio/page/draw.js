// Drawing, in a thread of its own: a slow graphics card never blocks the page.

import { Eye } from "./camera.js";
import { Meshes } from "./meshes.js";
import { Overlays } from "./overlays.js";
import { Stage } from "./stage.js";
import * as THREE from "./three.js";

/** @typedef {import("./view.js").View["message"]} Frame */

const meshes = new Meshes(() => postMessage({ arrived: true }));
const stage = new Stage(meshes);
const eye = new Eye();
const overlays = new Overlays();
/** @type {THREE.WebGLRenderer} */
let renderer;
/** @type {OffscreenCanvas} */
let canvas;
let builds = 0;
let ratio = 0;

const DO = {
  /** @param {{ canvas: OffscreenCanvas, smooth: boolean, meshes: Record<string, ArrayBuffer> | null }} message */
  begin(message) {
    meshes.carried = message.meshes;
    canvas = message.canvas;
    renderer = new THREE.WebGLRenderer({ canvas, antialias: message.smooth, alpha: true });
    renderer.info.autoReset = false; // a picture is drawn in several passes
    canvas.addEventListener("webglcontextrestored", () => {
      stage.rooms = {}; // they were drawn with the context that is gone
      postMessage({ restored: true });
    });
  },
  /** @param {{ width: number, height: number }} message */
  size({ width, height }) {
    renderer.setSize(width, height, false);
  },
  /** @param {{ scene: import("./messages.js").Scene, palette: import("./theme.js").Palette, state: import("./camera.js").EyeState, style: import("./quality.js").Style, scenery: import("./messages.js").Scenery | null }} message */
  build({ scene, palette, state, style, scenery }) {
    eye.state = state;
    stage.scenery = scenery;
    stage.drawWith(renderer, style);
    stage.build(scene, palette, eye);
    overlays.attach(stage.nodes, eye.size);
    builds += 1;
  },
  /** @param {{ overlay: import("./overlays.js").Overlay }} message */
  overlays({ overlay }) {
    overlays.shown = overlay;
    overlays.attach(stage.nodes, eye.size);
  },
  /**
   * Bodies, arrows and the eye at one time; `ratio` is pixels drawn per pixel of the page.
   * @param {Frame} message
   */
  frame(message) {
    const begin = performance.now();
    if (builds) show(message);
    if (message.timed) finish();
    const cost = message.timed ? performance.now() - begin : null;
    const { calls } = renderer.info.render;
    const fallen = stage.surroundings?.cones.fallen ?? 0;
    postMessage({ drawn: true, waiting: meshes.waiting, builds, calls, cost, fallen });
  },
  /** @param {Frame} message */
  async picture(message) {
    postMessage({ picture: await createImageBitmap(await photograph(message)) });
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
  stage.arrows?.show(message.arrows, message.full, eye.ride?.distance);
  renderer.info.reset();
  stage.render(eye.camera, message, message.mirror ? eye.ride?.mirror : null);
  if (message.ghost) stage.haunt(eye.camera, message.ghost);
}

/**
 * The picture as PNG; if the graphics driver stops meanwhile, drawn again after its restart.
 * @param {Frame} message
 * @returns {Promise<Blob>}
 */
async function photograph(message) {
  if (lost()) {
    await new Promise((resolve) =>
      canvas.addEventListener("webglcontextrestored", resolve, { once: true }),
    );
  }
  show({ ...message, ratio: 2 });
  try {
    return await canvas.convertToBlob({ type: "image/png" });
  } catch (error) {
    if (!lost()) throw error;
    return photograph(message);
  }
}

/** Whether the graphics driver has stopped, and what was made with it is gone. */
function lost() {
  return renderer.getContext().isContextLost();
}

/** Wait until the picture is drawn, by reading one of its pixels. */
function finish() {
  const gl = renderer.getContext();
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, PIXEL);
}

const PIXEL = new Uint8Array(4);

self.onmessage = ({ data }) => DO[/** @type {keyof typeof DO} */ (data.do)](data);
