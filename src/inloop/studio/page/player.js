// Plays the motion of a run without a server: the code of a file written by pictures/player.py.

import { Eye } from "./camera.js";
import { byId } from "./dom.js";
import { Meshes } from "./meshes.js";
import { withoutGraphicsCard } from "./quality.js";
import { Stage } from "./stage.js";
import { palette } from "./theme.js";
import * as THREE from "./three.js";
import { between } from "./view.js";

/**
 * The run to play.
 * @typedef {object} Run
 * @property {import("./messages.js").Scene} scene
 * @property {number} interval time between two poses [s], at speed 1
 * @property {number[]} times simulated time of each pose [s]
 * @property {number[]} jumps indices of poses before which records are missing, or time goes back
 * @property {boolean} follow whether the eye follows the mechanism
 */

/** Meshes included in the file. */
class Enclosed extends Meshes {
  /**
   * @param {() => void} arrived
   * @param {Map<string, ArrayBuffer>} blocks
   */
  constructor(arrived, blocks) {
    super(arrived);
    this.blocks = blocks;
  }

  /** @param {string} name */
  async block(name) {
    const block = this.blocks.get(name);
    if (!block) throw new Error("it is not included in the file");
    return block;
  }
}

class Player {
  /**
   * @param {Run} run
   * @param {Float32Array} poses
   * @param {Map<string, ArrayBuffer>} meshes
   */
  constructor(run, poses, meshes) {
    this.run = run;
    this.poses = poses;
    this.width = 7 * run.scene.bodies.length;
    this.place = 0; // index of the pose shown, with the fraction of the way to the next one
    this.speed = 1;
    this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.before = performance.now();
    this.changed = true;
    this.jumps = new Set(run.jumps);
    this.canvas = byId("view");
    this.slider = /** @type {HTMLInputElement} */ (byId("moment"));
    this.eye = new Eye();
    this.stage = new Stage(
      new Enclosed(() => {
        this.changed = true;
      }, meshes),
    );
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.stage.drawWith(this.renderer, withoutGraphicsCard() ? "simple" : "full");
    this.eye.setScene(run.scene);
    this.center = this.middle(this.bodies());
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.build());
    this.listen();
    this.build();
    requestAnimationFrame((now) => this.tick(now));
  }

  get last() {
    return this.run.times.length - 1;
  }

  build() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.stage.build(this.run.scene, palette(), this.eye);
    this.changed = true;
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.eye.setAspect(clientWidth / clientHeight);
    this.changed = true;
  }

  listen() {
    const { canvas, eye, slider } = this;
    slider.max = String(this.last);
    slider.oninput = () => this.show(Number(slider.value));
    byId("pause").onclick = () => this.toggle();
    const speed = byId("speed");
    speed.onchange = () => {
      this.speed = Number(speed.value);
    };
    document.onkeydown = (event) => {
      if (event.target instanceof HTMLSelectElement) return;
      if (event.key === " ") this.toggle();
      else if (event.key === "Home") this.show(0);
      else return;
      event.preventDefault();
    };
    canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
    canvas.onpointermove = (event) => {
      if (!event.buttons) return;
      const slide = event.shiftKey || event.buttons !== 1;
      eye[slide ? "pan" : "orbit"](event.movementX, event.movementY, canvas.clientHeight);
    };
    canvas.onwheel = (event) => {
      event.preventDefault();
      eye.zoom(Math.exp(0.001 * event.deltaY));
    };
    canvas.ondblclick = () => {
      eye.touched = false;
      eye.fit();
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
  }

  toggle() {
    if (!this.playing && this.place >= this.last) this.place = 0;
    this.playing = !this.playing;
    this.changed = true;
  }

  /** @param {number} place */
  show(place) {
    this.place = place;
    this.playing = false;
    this.changed = true;
  }

  /** @param {number} now */
  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    const lapse = Math.min(now - this.before, 250) / 1000;
    this.before = now;
    if (this.playing) {
      this.place += (this.speed * lapse) / this.run.interval;
      if (this.place > this.last) this.place = 0; // repeat
      this.changed = true;
    }
    if (!this.changed && !this.eye.changed) return;
    this.changed = false;
    this.draw();
  }

  draw() {
    const { eye, stage, run, slider } = this;
    // the time of the first picture may precede the start of the clock
    this.place = Math.min(Math.max(this.place || 0, 0), this.last);
    const bodies = this.bodies();
    if (run.follow) {
      const center = this.middle(bodies);
      eye.target.add(center).sub(this.center);
      this.center = center;
    }
    eye.apply();
    stage.pose(bodies, 1);
    stage.render(eye.camera);
    slider.value = String(this.place);
    slider.style.setProperty("--fill", `${(100 * this.place) / Math.max(1, this.last)}%`);
    byId("time").textContent = `${run.times[Math.floor(this.place)].toFixed(2)} s`;
    byId("pause").textContent = this.playing ? "Pause" : "Play";
  }

  /** Poses at the place shown, interpolated only between consecutive poses. */
  bodies() {
    const first = Math.min(Math.floor(this.place), this.last);
    const next = Math.min(first + 1, this.last);
    const [a, b] = [first, next].map((k) =>
      this.poses.subarray(k * this.width, (k + 1) * this.width),
    );
    return between(a, b, this.jumps.has(next) ? 0 : this.place - first);
  }

  /** @param {Float32Array} bodies */
  middle(bodies) {
    const sum = new THREE.Vector3();
    for (let at = 0; at + 7 <= bodies.length; at += 7)
      sum.add(new THREE.Vector3().fromArray(bodies, at));
    return sum.multiplyScalar(7 / Math.max(7, bodies.length));
  }
}

/**
 * @param {Run} run
 * @param {Float32Array} poses
 * @param {Map<string, ArrayBuffer>} meshes
 */
export function play(run, poses, meshes) {
  return new Player(run, poses, meshes);
}
