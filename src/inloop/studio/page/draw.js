// Draws, in a thread of its own: a slow graphics card never keeps the page from its work.

import { Eye } from "./camera.js";
import { Meshes } from "./meshes.js";
import { Stage } from "./stage.js";
import * as THREE from "./three.js";

const meshes = new Meshes(() => postMessage({ arrived: true }));
const stage = new Stage(meshes);
const eye = new Eye();
let renderer = null;
let canvas = null;
let ready = false;
let ratio = 0;

const DO = {
  begin(message) {
    canvas = message.canvas;
    renderer = new THREE.WebGLRenderer({ canvas, antialias: message.smooth, alpha: true });
    stage.castShadows(renderer, message.smooth);
    meshes.fine = message.smooth;
  },
  size({ width, height }) {
    renderer.setSize(width, height, false);
  },
  build({ scene, palette, state }) {
    eye.state = state;
    stage.build(scene, palette, eye);
    ready = true;
  },
  /** Bodies, arrows and the eye of a moment; `ratio` is pixels drawn per pixel of the page. */
  frame(message) {
    if (ready) show(message);
    postMessage({ drawn: true, waiting: meshes.waiting });
  },
  async picture(message) {
    show({ ...message, ratio: 2 });
    const blob = await canvas.convertToBlob({ type: "image/png" });
    postMessage({ picture: await createImageBitmap(blob) });
  },
};

function show(message) {
  if (message.ratio !== ratio) {
    ratio = message.ratio;
    renderer.setPixelRatio(ratio);
  }
  eye.state = message.state;
  eye.apply();
  stage.pose(message.bodies, message.deflection);
  stage.arrows.show(message.arrows, message.full);
  stage.light(eye);
  renderer.render(stage.scene, eye.camera);
}

onmessage = ({ data }) => DO[data.do](data);
