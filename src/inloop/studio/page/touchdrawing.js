// Held bodies, drawn over the picture: the stretched spring, the force on the body, and its size as text.

import { make, makeSvg } from "./dom.js";
import { withPrefix } from "./numbers.js";
import * as THREE from "./three.js";
import { POINTER } from "./touch.js";

/** @typedef {import("./touch.js").Touch} Touch */
/** @typedef {import("./messages.js").Hold} Hold */

const COILS = 8;
const WIDTH = 5; // half width of the coils [px]
const HEAD = 9; // of the arrow [px]
const UNKNOWN = 600; // a body without a reported mass after this time cannot be moved [ms]
const LIMITS = [
  "",
  " (as stiff as the step size allows)",
  " (as hard as the step size allows)",
  " (refused)",
];

export class TouchDrawing {
  /**
   * @param {import("./view.js").View} view
   * @param {Touch} touch
   */
  constructor(view, touch) {
    this.view = view;
    this.touch = touch;
    this.drawing = makeSvg("svg", {
      class: "touch-drawing",
      "aria-hidden": "true",
    });
    this.list = make("div", {
      className: "holds",
      "aria-label": "Held bodies",
      hidden: true,
    });
    view.frame.append(this.drawing, this.list);
    this.content = "";
    touch.watchers.push(() => this.update());
    view.afterFrame.push(() => this.update());
  }

  update() {
    const { touch } = this;
    const holds = this.holds();
    this.drawing.replaceChildren(...holds.flatMap((hold) => this.lines(hold)));
    this.words(holds, touch.mine);
  }

  /** Holds reported by the server, with the current position of the pointer. */
  holds() {
    const { holds, grasp, mine } = this.touch;
    if (!grasp || !mine) return holds.filter(({ grip }) => grip !== POINTER || !mine);
    const target = /** @type {[number, number, number]} */ (grasp.target.toArray());
    return holds.map((hold) => (hold.grip === POINTER ? { ...hold, target } : hold));
  }

  /**
   * Pixels of the picture at which a point of the world appears.
   * @param {THREE.Vector3} point
   */
  seen(point) {
    const { width, height, eye } = this.view;
    const p = point.project(eye.camera);
    return new THREE.Vector2(((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height);
  }

  /**
   * Spring, arrow and size of the force of one hold.
   * @param {Hold} hold
   */
  lines(hold) {
    const node = [...this.view.nodes.values()][hold.body];
    if (!node) return [];
    const place = node.localToWorld(new THREE.Vector3(...hold.point));
    const force = new THREE.Vector3(...hold.force);
    const tip = place.clone().addScaledVector(force, this.perNewton(hold));
    const [a, b] = [this.seen(place), this.seen(hold.pushes ? tip : vector(hold.target))];
    const elements = [makeSvg("circle", { cx: a.x, cy: a.y, r: 4, class: "held-point" })];
    if (!hold.pushes) elements.push(makeSvg("path", { d: spring(a, b), class: "held-spring" }));
    if (hold.grip !== POINTER)
      elements.push(makeSvg("circle", { cx: b.x, cy: b.y, r: 6, class: "held-pin" }));
    const end = hold.pushes ? b : a.clone().lerp(b, 0.5);
    if (force.length() > 0 && a.distanceTo(b) > 2 * HEAD)
      elements.push(makeSvg("path", { d: arrow(a, end), class: "held-force" }));
    const text = makeSvg("text", { x: b.x + 10, y: b.y - 10, class: "held-words" });
    text.textContent = withPrefix(force.length(), "N");
    return [...elements, text];
  }

  /**
   * A push is drawn with the length of the equivalent spring.
   * @param {Hold} hold
   */
  perNewton({ force }) {
    const size = Math.hypot(...force);
    return size > 0 ? (0.1 * this.view.eye.size) / size : 0;
  }

  /**
   * Texts: which bodies are held, how firmly, and how to release them.
   * @param {Hold[]} holds
   * @param {boolean} mine
   */
  words(holds, mine) {
    const names = this.view.scene?.bodies.map(({ name }) => name) ?? [];
    const lines = holds.map((hold) => ({
      hold,
      text: this.line(hold, names[hold.body] ?? ""),
    }));
    const content = JSON.stringify([mine, lines.map(({ hold, text }) => [hold.grip, text])]);
    if (content === this.content) return;
    this.content = content;
    this.list.hidden = !holds.length;
    this.list.replaceChildren(
      ...(mine || !holds.length ? [] : [make("p", {}, "Held by another page")]),
      ...lines.map(({ hold, text }) => make("p", {}, text, mine ? this.button(hold) : null)),
    );
  }

  /**
   * @param {Hold} hold
   * @param {string} name
   */
  line({ force, stiffness, pushes, limited, mass, grip }, name) {
    const pull = withPrefix(Math.hypot(...force), "N");
    const { grasp } = this.touch;
    if (mass === 0 && grip === POINTER && grasp && performance.now() - grasp.since > UNKNOWN)
      return `${name} cannot be moved here`;
    const how = pushes ? "pushed" : withPrefix(stiffness, "N/m", 2);
    return `${name}: ${pull}, ${how}${LIMITS[limited] ?? ""}`;
  }

  /** @param {Hold} hold */
  button({ grip }) {
    const { touch } = this;
    const pins = grip === POINTER;
    const act = () => (pins ? touch.pin() : touch.letGo(grip));
    // by another finger, while the first one holds
    return make("button", { onpointerdown: act, type: "button" }, pins ? "Pin" : "Let go");
  }
}

/** @param {[number, number, number]} numbers */
const vector = (numbers) => new THREE.Vector3(...numbers);

/**
 * A spring symbol between two points.
 * @param {THREE.Vector2} a
 * @param {THREE.Vector2} b
 */
function spring(a, b) {
  const along = b.clone().sub(a);
  const side = new THREE.Vector2(-along.y, along.x).normalize().multiplyScalar(WIDTH);
  const points = [a];
  for (let k = 0; k <= 2 * COILS; k += 1) {
    const sign = k === 0 || k === 2 * COILS ? 0 : k % 2 ? 1 : -1;
    const fraction = 0.12 + (0.76 * k) / (2 * COILS);
    points.push(a.clone().addScaledVector(along, fraction).addScaledVector(side, sign));
  }
  points.push(b);
  return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}

/**
 * An arrow from one point to another.
 * @param {THREE.Vector2} a
 * @param {THREE.Vector2} b
 */
function arrow(a, b) {
  const along = b.clone().sub(a).normalize().multiplyScalar(HEAD);
  const side = new THREE.Vector2(-along.y, along.x).multiplyScalar(0.5);
  const base = b.clone().sub(along);
  const corners = [base.clone().add(side), b, base.clone().sub(side)];
  const head = corners.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  return `M${a.x.toFixed(1)} ${a.y.toFixed(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}M${head}`;
}
