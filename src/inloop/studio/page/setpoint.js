// The goal of the tool, drawn over the picture: the path, and a point that can be dragged.

import { byId, makeSvg } from "./dom.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Tracking} Tracking */

const PERIOD = 40; // between two points sent while it is dragged [ms]
const KEY_STEP = 0.01; // by an arrow key [m]

export class SetPoint {
  /** @type {THREE.Vector3[]} */
  curve = [];
  /** @type {THREE.Vector3 | null} */
  wanted = null;
  /** @type {THREE.Vector3 | null} */
  tool = null;
  /** @type {{ id: number, plane: THREE.Plane, offset: THREE.Vector3 } | null} */
  grip = null;
  /** @type {THREE.Vector3 | null} */
  waiting = null;
  /** @type {number | null} */
  timer = null;

  /**
   * `aim` is called with the goal of the tool.
   * @param {import("./view.js").View} view
   * @param {(point: THREE.Vector3) => void} aim
   */
  constructor(view, aim) {
    this.view = view;
    this.aim = aim;
    this.element = byId("setpoint");
    this.path = makeSvg("polyline", { class: "path" });
    this.gap = makeSvg("line", { class: "gap" });
    this.marker = makeSvg("g", { class: "marker", tabindex: 0, role: "slider" });
    this.marker.setAttribute("aria-label", "Set-point of the tool: drag it, or use the arrow keys");
    for (const r of [16, 7]) this.marker.append(makeSvg("circle", { r }));
    this.element.replaceChildren(this.path, this.gap, this.marker);
    this.marker.addEventListener("pointerdown", (event) => this.down(event));
    this.marker.addEventListener("pointermove", (event) => this.move(event));
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
      this.marker.addEventListener(end, (event) => this.up(event));
    this.marker.addEventListener("keydown", (event) => this.key(event));
    view.afterFrame.push(() => this.draw());
    this.clear();
  }

  clear() {
    this.curve = [];
    this.wanted = this.tool = this.grip = null;
    this.draw();
  }

  /**
   * Set the path; empty for a pose or a point.
   * @param {number[][]} points
   */
  setPath(points) {
    this.curve = points.map(([x, y, z]) => new THREE.Vector3(x, y, z));
    this.draw();
  }

  /** @param {Tracking} message */
  show({ tool, wanted }) {
    this.tool = tool && new THREE.Vector3(...tool);
    if (!this.grip) this.wanted = wanted && new THREE.Vector3(...wanted);
    this.draw();
  }

  /**
   * Pixels at which a point of the world appears; null behind the eye, or in it.
   * @param {THREE.Vector3} point
   * @returns {[number, number] | null}
   */
  seen(point) {
    const { width, height, eye } = this.view;
    const p = point.clone().project(eye.camera);
    return p.z <= 1 ? [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height] : null;
  }

  draw() {
    const { wanted, tool } = this;
    const places = this.curve.map((point) => this.seen(point)).filter((place) => place !== null);
    this.path.setAttribute("points", places.map(([x, y]) => `${x},${y}`).join(" "));
    const at = wanted && this.seen(wanted);
    const from = tool && this.seen(tool);
    this.marker.toggleAttribute("hidden", !at);
    this.gap.toggleAttribute("hidden", !(at && from));
    if (at) this.marker.setAttribute("transform", `translate(${at[0]} ${at[1]})`);
    if (!at || !from) return;
    const ends = { x1: from[0], y1: from[1], x2: at[0], y2: at[1] };
    for (const [name, value] of Object.entries(ends)) this.gap.setAttribute(name, String(value));
  }

  /**
   * Intersection of a pointer's ray with a plane.
   * @param {PointerEvent} event
   * @param {THREE.Plane} plane
   */
  meet(event, plane) {
    const box = this.view.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.view.eye.camera);
    return ray.ray.intersectPlane(plane, new THREE.Vector3());
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0 || !this.wanted) return;
    event.preventDefault();
    this.marker.setPointerCapture(event.pointerId);
    // it moves in the plane through it and parallel to the picture
    const normal = this.view.eye.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, this.wanted);
    const met = this.meet(event, plane) ?? this.wanted;
    this.grip = { id: event.pointerId, plane, offset: this.wanted.clone().sub(met) };
    this.marker.classList.add("gripped");
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.grip?.id !== event.pointerId) return;
    const met = this.meet(event, this.grip.plane);
    if (met) this.take(met.add(this.grip.offset));
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (this.grip?.id !== event.pointerId) return;
    this.grip = null;
    this.marker.classList.remove("gripped");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.wanted) return;
    const { camera } = this.view.eye;
    const [right, up] = [new THREE.Vector3(), new THREE.Vector3()];
    camera.matrixWorld.extractBasis(right, up, new THREE.Vector3());
    /** @type {Record<string, THREE.Vector3>} */
    const moves = {
      ArrowLeft: right.multiplyScalar(-1),
      ArrowRight: right.clone().multiplyScalar(-1),
      ArrowUp: up,
      ArrowDown: up.clone().multiplyScalar(-1),
    };
    const way = moves[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    this.take(this.wanted.clone().addScaledVector(way, KEY_STEP));
  }

  /**
   * Show the point there, and send it now or at the end of the period.
   * @param {THREE.Vector3} point
   */
  take(point) {
    this.wanted = point;
    this.draw();
    this.waiting = point;
    this.timer ??= setTimeout(() => this.flush(), 0);
  }

  flush() {
    this.timer = null;
    if (!this.waiting) return;
    this.aim(this.waiting);
    this.waiting = null;
    this.timer = setTimeout(() => this.flush(), PERIOD);
  }
}
