// Mouse and fingers on the picture drag the driven body, hold others, or move the eye.

import * as THREE from "./three.js";

/**
 * A drag: where it began, and the position of the canvas.
 * @typedef {object} Grip
 * @property {number} id
 * @property {THREE.Vector3} origin
 * @property {THREE.Vector3} axis
 * @property {number} at
 * @property {DOMRect} box
 * @property {number} value
 */

/**
 * A body that was pressed, and may become clicked or held.
 * @typedef {object} Press
 * @property {number} id
 * @property {import("./picking.js").Picked} picked
 * @property {PointerEvent} event
 * @property {DOMRect} box of the canvas
 * @property {number} timer
 */

/** @type {Record<string, number>} */
const REACH = { mouse: 14, pen: 20, touch: 34 }; // around the place to grab [px]
/** @type {Record<string, number>} */
const NEAR = { mouse: 4, pen: 6, touch: 16 }; // around bodies that can be held [px]
const STILL = 4; // a press that moves less is a click [px]
const LONG = 180; // a longer press takes hold [ms]
const FIRMER = 0.0025; // change of the logarithm of firmness per pixel of the wheel

export class Pointer {
  /**
   * @param {import("./view.js").View} view
   * @param {import("./hand.js").Hand} hand
   * @param {import("./picking.js").Picking} picking
   * @param {import("./touch.js").Touch} touch
   */
  constructor(view, hand, picking, touch) {
    this.view = view;
    this.hand = hand;
    this.picking = picking;
    this.touch = touch;
    /** @type {Press | null} */
    this.press = null;
    /** @type {Map<number, PointerEvent>} */
    this.fingers = new Map();
    /** @type {Grip | null} */
    this.grip = null;
    this.ray = new THREE.Raycaster();
    const { canvas } = view;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    // drags are reported between frames if the browser supports it
    const raw = "onpointerrawupdate" in canvas;
    const drag = (/** @type {Event} */ event) => this.drag(/** @type {PointerEvent} */ (event));
    canvas.addEventListener(raw ? "pointerrawupdate" : "pointermove", drag);
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
      canvas.addEventListener(end, (event) => this.up(event));
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (touch.grasp) touch.change(Math.exp(-FIRMER * event.deltaY));
        else view.eye.zoom(Math.exp(0.0012 * event.deltaY));
      },
      { passive: false },
    );
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /**
   * Ray of a pointer in the world.
   * @param {MouseEvent} event
   */
  cast(event) {
    // during a drag the canvas does not move; querying its position lays out the page
    const box = this.grip?.box ?? this.view.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.ray.setFromCamera(new THREE.Vector2(x, y), this.view.eye.camera);
    return this.ray.ray;
  }

  /** Point where the hand can grip, in the world; null if nothing is driven. */
  handle() {
    const { device } = this.hand;
    if (!device) return null;
    const point = new THREE.Vector3(...device.point);
    return this.view.nodes.get(device.body)?.localToWorld(point) ?? point;
  }

  /**
   * Pixels of the canvas at which a point of the world appears.
   * @param {THREE.Vector3} point
   */
  seen(point) {
    const { width, height, eye } = this.view;
    const p = point.clone().project(eye.camera);
    return [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
  }

  /** @param {PointerEvent} event */
  hits(event) {
    const handle = this.handle();
    if (!handle) return false;
    const box = this.view.canvas.getBoundingClientRect();
    const [x, y] = this.seen(handle);
    const reach = REACH[event.pointerType] ?? REACH.mouse;
    if (Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y) < reach) return true;
    const node = this.view.nodes.get(this.hand.device?.body ?? "");
    this.cast(event);
    return node
      ? this.ray.intersectObject(node, true).some((hit) => hit.object instanceof THREE.Mesh)
      : false;
  }

  /**
   * How far along the device's axis a ray passes it, in lengths of the axis.
   * @param {THREE.Ray} ray
   * @param {THREE.Vector3} origin
   * @param {THREE.Vector3} axis
   */
  along(ray, origin, axis) {
    // closest points of the lines origin + s axis and ray.origin + r direction
    const d = ray.direction;
    const w = origin.clone().sub(ray.origin);
    const [aa, ad, aw, dw] = [axis.dot(axis), axis.dot(d), axis.dot(w), d.dot(w)];
    const det = aa - ad * ad;
    return det > 1e-9 * aa ? (ad * dw - aw) / det : 0;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const { canvas } = this.view;
    canvas.focus({ preventScroll: true, focusVisible: false });
    canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, event);
    if (event.button !== 0 || this.grip || this.press || this.fingers.size > 1) return;
    if (!this.hits(event)) return this.pressBody(event);
    const [origin, { device }] = [this.handle(), this.hand];
    if (!origin || !device) return;
    const axis = new THREE.Vector3(...device.axis);
    const at = this.along(this.cast(event), origin, axis);
    const box = canvas.getBoundingClientRect();
    this.grip = {
      id: event.pointerId,
      origin,
      axis,
      at,
      box,
      value: this.hand.value,
    };
    canvas.classList.add("gripping");
    this.hand.move("pointer", this.hand.value, event.timeStamp);
  }

  /**
   * A press on a body that is not driven: it is held once the pointer moves, or after a while.
   * @param {PointerEvent} event
   */
  pressBody(event) {
    const picked = this.near(event);
    if (!picked) return;
    const box = this.view.canvas.getBoundingClientRect();
    const timer = setTimeout(() => this.takeHold(event), LONG);
    this.press = { id: event.pointerId, picked, event, box, timer };
  }

  /**
   * The body at a pointer, if it can be held.
   * @param {PointerEvent} event
   */
  near({ clientX, clientY, pointerType }) {
    // a riding viewer looks around instead
    if (!this.touch.ready || this.view.eye.ride) return null;
    return this.picking.pick(clientX, clientY, NEAR[pointerType] ?? NEAR.mouse);
  }

  /** @param {PointerEvent} event */
  takeHold(event) {
    const { press, touch } = this;
    if (!press || touch.grasp) return;
    clearTimeout(press.timer);
    this.view.canvas.classList.add("holding");
    touch.begin(press.picked, event.shiftKey, event.timeStamp);
  }

  /** @param {PointerEvent} event */
  pull(event) {
    const { press, touch } = this;
    if (!press || event.pointerId !== press.id) return;
    const { clientX, clientY } = press.event;
    if (!touch.grasp && Math.hypot(event.clientX - clientX, event.clientY - clientY) < STILL)
      return;
    this.takeHold(event);
    touch.move(this.picking.ray(event.clientX, event.clientY, press.box), event.timeStamp);
  }

  /** @param {PointerEvent} event */
  endPress(event) {
    const { press, touch } = this;
    if (press?.id !== event.pointerId) return;
    clearTimeout(press.timer);
    this.press = null;
    this.view.canvas.classList.remove("holding");
    if (event.ctrlKey || event.metaKey) touch.pin();
    else touch.end();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    this.pull(event);
    const { grip, hand } = this;
    if (!grip || event.pointerId !== grip.id || !hand.device) return;
    const { low, high } = hand.device;
    const moved = this.along(this.cast(event), grip.origin, grip.axis) - grip.at;
    hand.move("pointer", grip.value + moved * (high - low), event.timeStamp);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const old = this.fingers.get(event.pointerId);
    if (!old) {
      this.view.canvas.classList.toggle("grabbable", this.hits(event) || !!this.near(event));
      return;
    }
    if (this.grip?.id === event.pointerId || this.press?.id === event.pointerId) return;
    this.fingers.set(event.pointerId, event);
    const [dx, dy] = [event.clientX - old.clientX, event.clientY - old.clientY];
    const { eye, height } = this.view;
    const other = [...this.fingers.values()].find(
      (f) =>
        f.pointerId !== event.pointerId &&
        f.pointerId !== this.grip?.id &&
        f.pointerId !== this.press?.id,
    );
    if (other) {
      /** @param {PointerEvent} f */
      const gap = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY);
      eye.zoom(gap(old) / Math.max(gap(event), 1));
      eye.pan(dx / 2, dy / 2, height);
    } else if (event.buttons & 2 || event.shiftKey) eye.pan(dx, dy, height);
    else eye.orbit(dx, dy, height);
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.fingers.delete(event.pointerId);
    this.endPress(event);
    if (this.grip?.id !== event.pointerId) return;
    this.grip = null;
    this.view.canvas.classList.remove("gripping");
    this.hand.letGo("pointer");
  }

  /**
   * Move the eye by keyboard, when the picture has the focus.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const { eye, height } = this.view;
    const step = event.shiftKey ? 60 : 20;
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowLeft: [step, 0],
      ArrowRight: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    };
    if (event.code in (this.hand.device?.keys ?? {})) return;
    if (moves[event.key]) eye.orbit(...moves[event.key], height);
    else if (event.key === "+" || event.key === "=") eye.zoom(1 / 1.15);
    else if (event.key === "-") eye.zoom(1.15);
    else return;
    event.preventDefault();
  }
}
