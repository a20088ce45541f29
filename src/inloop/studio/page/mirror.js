// A rear mirror for a riding viewer: the scene seen backwards, with right and left exchanged.

import * as THREE from "./three.js";

const [WIDE, HIGH] = [320, 100]; // pixels
const FIELD = 16; // from top to bottom [deg]
const SHARE = { wide: 0.26, top: 0.03 }; // of the picture's width and height
const EVERY = 2; // the mirror is redrawn once in so many pictures
const NARROWEST = 420; // narrower pictures have no mirror [px]

export class Mirror {
  camera = new THREE.PerspectiveCamera(FIELD, WIDE / HIGH, 0.3, 3000);
  target = new THREE.WebGLRenderTarget(WIDE, HIGH, { colorSpace: THREE.SRGBColorSpace });
  eye = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  scene = new THREE.Scene();
  drawn = 0;

  constructor() {
    const glass = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.MeshBasicMaterial({ map: this.target.texture, toneMapped: false }),
    );
    // as in a mirror: things on the left appear on the left
    const { uv } = glass.geometry.attributes;
    for (let k = 0; k < uv.count; k += 1) uv.setX(k, 1 - uv.getX(k));
    this.scene.add(glass);
  }

  /**
   * Draw the mirror over a picture.
   * @param {THREE.WebGLRenderer} renderer
   * @param {THREE.Scene} world
   * @param {{ from: number[], turn: number[] }} place position and orientation of the eye that looks back
   */
  draw(renderer, world, { from, turn }) {
    const { x, y } = renderer.getSize(SIZE);
    if (x < NARROWEST) return;
    const clears = renderer.autoClear;
    if (this.drawn % EVERY === 0) {
      this.camera.position.fromArray(from);
      this.camera.quaternion.fromArray(turn);
      this.camera.updateMatrixWorld();
      renderer.setRenderTarget(this.target);
      renderer.autoClear = true;
      renderer.render(world, this.camera);
      renderer.setRenderTarget(null);
    }
    this.drawn += 1;
    const wide = SHARE.wide * x;
    const high = (wide * HIGH) / WIDE;
    renderer.autoClear = false;
    renderer.setViewport((x - wide) / 2, y * (1 - SHARE.top) - high, wide, high);
    renderer.render(this.scene, this.eye);
    renderer.setViewport(0, 0, x, y);
    renderer.autoClear = clears;
  }
}

const SIZE = new THREE.Vector2();
