// The picture of the mechanism: poses of bodies and of the eye over time; draw.js draws it.

import { Eye } from "./camera.js";
import { carried, startWorker } from "./carried.js";
import { ForceScale } from "./forces.js";
import { Motion } from "./motion.js";
import { Quality, withoutGraphicsCard } from "./quality.js";
import { Resolution } from "./resolution.js";
import { Stage } from "./stage.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Scene} Scene */
/** @typedef {import("./theme.js").Palette} Palette */
/** @typedef {import("./motion.js").Moment} Moment */

const STILL = 250; // without a graphics card, pictures are antialiased only after this time at rest [ms]
const SLOW = 30; // between two pictures without a graphics card [ms]
const [TIMED, TIMED_RIDE] = [8, 3]; // one in so many pictures is timed
const LEAST_MIRROR = 0.5; // at lower resolutions there is no mirror
const MEASURE = 300; // between two checks for bodies out of view [ms]
const NONE = new Float32Array(0);

export class View {
  /** @type {Scene | null} */
  scene = null;
  /** @type {Float32Array | null} */
  bodies = null;
  /** @type {Float32Array} */
  arrows = NONE;
  /** @type {Moment | null} */
  shown = null;
  /** @type {number} */
  measured = -Infinity;
  /** @type {boolean} */
  still = false;
  /** @type {number} */
  width = 1;
  /** @type {number} */
  height = 1;
  /** @type {(picture: ImageBitmap) => void} */
  taken = () => {};
  /** @type {import("./messages.js").Scenery | null} */
  scenery = null; // around a riding viewer
  fallen = 0; // cones
  t = 0; // simulated time shown [s]
  /** @type {Float32Array} */
  readings = NONE; // values of the instruments at the time shown
  /**
   * Move the eye along with the body that carries it; false: it is not carried.
   * @type {(now: number) => boolean}
   */
  carry = () => false;
  /**
   * Poses of an earlier run at a simulated time.
   * @type {(t: number) => Float32Array | null}
   */
  ghostAt = () => null;
  /**
   * A box that has appeared, at a simulated time.
   * @type {(t: number) => import("./surprise.js").Box | null}
   */
  boxAt = () => null;
  /** Whether the eye must not move, because the user holds a body. */
  steady = () => false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Palette} palette
   */
  constructor(canvas, palette) {
    this.canvas = canvas;
    this.palette = palette;
    this.slow = withoutGraphicsCard();
    this.quality = new Quality(this.slow, () => this.build());
    this.resolution = new Resolution(this.slow, devicePixelRatio);
    /** @type {number[]} */
    this.costs = []; // of the last timed pictures [ms]
    this.eye = new Eye();
    this.motion = new Motion();
    this.stage = new Stage(); // never drawn: for geometry queries
    this.forces = new ForceScale();
    /** @type {number | null} */
    this.moment = null; // the stamp shown while rewinding; null: now
    this.forcesShown = true;
    this.deflection = 1;
    this.rendered = 0;
    this.moved = -Infinity; // when the last picture was requested [ms]
    this.changed = true; // since the last picture
    this.drawing = false; // one picture at a time: if drawing is slow, frames are skipped
    this.builds = 0; // scenes sent to the drawing thread
    /** @type {number | null} */
    this.waiting = null; // meshes missing in the last picture of this scene
    this.calls = 0; // draw calls of the last picture
    /** @type {Array<() => void>} */
    this.afterFrame = [];
    this.worker = this.startDrawing();
    this.frame = /** @type {HTMLElement} */ (canvas.parentElement);
    new ResizeObserver(() => this.resize()).observe(this.frame);
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  get nodes() {
    return this.stage.nodes;
  }

  /** Start the thread that draws. */
  startDrawing() {
    const canvas = this.canvas.transferControlToOffscreen();
    const worker = startWorker("draw.js");
    const meshes = carried?.meshes ?? null;
    worker.postMessage({ do: "begin", canvas, smooth: !this.slow, meshes }, [canvas]);
    worker.onmessage = ({ data }) => {
      if (data.picture) return this.taken(data.picture);
      if (data.restored) return this.build(); // the graphics driver was restarted
      if (data.arrived) {
        this.changed = true; // a mesh was loaded
        return;
      }
      // ignore a picture requested before the scene was built
      if (data.builds === this.builds) this.waiting = data.waiting;
      this.calls = data.calls;
      this.fallen = data.fallen;
      if (data.cost !== null) this.took(data.cost);
      this.drawing = false;
      this.rendered += 1;
    };
    return worker;
  }

  /** @param {number} cost */
  took(cost) {
    this.costs = [...this.costs.slice(-99), cost];
    this.quality.took(cost);
    if (this.scenery) this.resolution.took(cost);
  }

  /**
   * A new mechanism, or the same again: then a view chosen by the user stays.
   * @param {Scene} scene
   * @param {boolean} same
   */
  setScene(scene, same = false) {
    this.scene = scene;
    this.motion.clear();
    this.forces = new ForceScale();
    if (!same || !this.eye.touched || scene.planar !== this.eye.plane) {
      this.eye.touched = false;
      this.eye.setScene(scene);
    }
    this.measured = -Infinity;
    this.bodies = null;
    this.shown = null;
    this.build();
  }

  /**
   * The same mechanism with other dimensions: the eye stays where it is.
   * @param {Scene} scene
   */
  changeScene(scene) {
    this.scene = scene;
    this.build();
  }

  /**
   * Colors depend on the theme: a change rebuilds the scene.
   * @param {Palette} palette
   */
  setPalette(palette) {
    this.palette = palette;
    this.build();
  }

  build() {
    const { scene, palette, eye } = this;
    if (!scene) return;
    this.stage.build(scene, palette, eye);
    if (this.bodies) this.stage.pose(this.bodies, this.deflection);
    this.builds += 1;
    this.waiting = null;
    const { style } = this.quality;
    eye.wide = this.scenery !== null;
    const { scenery } = this;
    this.worker.postMessage({ do: "build", scene, palette, style, scenery, state: eye.state });
    this.changed = true;
  }

  /** Whether the picture shows the scene with all its meshes, as it is now. */
  get settled() {
    return this.waiting === 0 && !this.changed && !this.drawing && !this.eye.goal;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (!width || !height) return;
    Object.assign(this, { width, height }); // querying the canvas each time would lay out the page
    this.worker.postMessage({ do: "size", width, height });
    this.eye.setAspect(width / height);
    this.eye.changed = true;
  }

  /** @param {number} now */
  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    if (!this.scene) return;
    if (!this.steady()) this.eye.ease();
    const moment =
      this.moment === null ? this.motion.at(now / 1000) : this.motion.around(this.moment);
    const moved = moment !== null && this.pose(moment);
    const carried = this.carry(now);
    if (moved) {
      this.changed = true;
      if (!carried) this.measure(now);
    }
    this.changed ||= this.eye.changed;
    if (!this.bodies || this.drawing || now - this.moved < (this.slow ? SLOW : 0)) return;
    const smooth = this.slow && !this.still && now - this.moved > STILL;
    if (!this.changed && !smooth) return;
    if (this.changed) this.moved = now;
    this.still = !this.changed;
    this.changed = false;
    this.draw();
    for (const call of this.afterFrame) call();
  }

  /** Request a picture of the current state. */
  draw() {
    this.drawing = true;
    this.eye.apply();
    this.worker.postMessage({ do: "frame", ...this.message });
  }

  get message() {
    const { bodies, forces, eye, deflection } = this;
    const fine = this.slow ? (this.still ? 2 : 1) : Math.min(devicePixelRatio, 2);
    const ratio = this.scenery && !this.still ? this.resolution.ratio : fine;
    return {
      bodies: bodies ?? NONE,
      deflection,
      arrows: this.forcesShown ? this.arrows : NONE,
      full: forces.full,
      state: eye.state,
      t: this.t,
      ghost: this.ghostAt(this.t),
      box: this.boxAt(this.t),
      mirror: this.resolution.ratio >= LEAST_MIRROR || this.still,
      back: this.moment !== null,
      ratio,
      timed: !this.still && this.rendered % (this.scenery ? TIMED_RIDE : TIMED) === 0,
    };
  }

  /**
   * Move bodies to a time; false if they are there already.
   * @param {Moment} moment
   */
  pose({ before, after, fraction }) {
    const { shown } = this;
    if (shown?.before === before && shown.after === after && shown.fraction === fraction)
      return false;
    this.shown = { before, after, fraction };
    this.bodies = between(before.bodies, after.bodies, fraction);
    this.arrows = after.arrows;
    this.readings = after.readings;
    const t = before.t + fraction * (after.t - before.t);
    if (t < this.t && this.moment === null) this.eye.startAnew();
    this.t = t;
    this.stage.pose(this.bodies, this.deflection);
    this.forces.see(after.arrows);
    return true;
  }

  /**
   * Widen the view if bodies have moved out of it, unless the user has chosen it.
   * @param {number} now
   */
  measure(now) {
    if (this.steady() || now - this.measured < MEASURE) return;
    const first = this.measured === -Infinity;
    this.measured = now;
    if (this.eye.include(this.stage.corners, first) && first) this.build(); // the floor lies below everything
  }

  /**
   * Marks over the mechanism.
   * @param {import("./overlays.js").Overlay} overlay
   */
  showOverlays(overlay) {
    this.worker.postMessage({ do: "overlays", overlay });
    this.changed = true;
  }

  /** @param {boolean} on */
  showForces(on) {
    this.forcesShown = on;
    this.changed = true;
  }

  /**
   * Exaggerate displacements of flexible links by a factor.
   * @param {number} factor
   */
  showDeflection(factor) {
    this.deflection = factor;
    if (this.bodies) this.stage.pose(this.bodies, factor);
    this.changed = true;
  }

  /** The picture as PNG, on the theme's background. */
  async picture() {
    this.eye.apply();
    const image = await new Promise((resolve) => {
      this.taken = resolve;
      this.worker.postMessage({ do: "picture", ...this.message });
    });
    const copy = new OffscreenCanvas(image.width, image.height);
    const ink = /** @type {OffscreenCanvasRenderingContext2D} */ (copy.getContext("2d"));
    ink.fillStyle = this.palette.stage;
    ink.fillRect(0, 0, copy.width, copy.height);
    ink.drawImage(image, 0, 0);
    return copy.convertToBlob({ type: "image/png" });
  }
}

/**
 * Poses between two: linear interpolation of positions, spherical of rotations.
 * @param {Float32Array} before
 * @param {Float32Array} after
 * @param {number} fraction
 */
export function between(before, after, fraction) {
  const bodies = before.slice();
  if (fraction === 0 || before === after) return bodies;
  for (let at = 0; at + 7 <= bodies.length; at += 7) {
    POINT.fromArray(before, at).lerp(END.fromArray(after, at), fraction).toArray(bodies, at);
    TURN.fromArray(before, at + 3)
      .slerp(END_TURN.fromArray(after, at + 3), fraction)
      .toArray(bodies, at + 3);
  }
  return bodies;
}

const [POINT, END] = [new THREE.Vector3(), new THREE.Vector3()];
const [TURN, END_TURN] = [new THREE.Quaternion(), new THREE.Quaternion()];
