// Pads over the picture: positions of levers, which a pointer or a finger can drag.

import { make } from "./dom.js";
import { keyName } from "./handpanel.js";
import { clamp } from "./numbers.js";

/** @typedef {import("./leverstate.js").LeverState} LeverState */

/** One pad, or the button of a toggle. */
export class LeverPad {
  /** @param {LeverState} state */
  constructor(state) {
    this.state = state;
    const { name, more, less, way } = state.lever;
    const keys = [...more, ...less].map(keyName).join(" ");
    const title = keys ? `${name}: ${keys}` : name;
    this.mark = make("i");
    this.element =
      way === "ramp"
        ? make("div", { className: `pad ${this.across ? "across" : "upright"}`, title }, this.mark)
        : make("div", { className: "switch", title, role: "group", "aria-label": name });
    if (way === "ramp") this.listen();
    else this.addButtons();
    this.element.append(make("span", {}, name));
  }

  get across() {
    return this.state.lever.high_at !== "up";
  }

  addButtons() {
    const { state } = this;
    const { way, name } = state.lever;
    /**
     * @param {string} word
     * @param {string} what
     * @param {number} step
     */
    const button = (word, what, step) =>
      make("button", { "aria-label": what, onclick: () => state.click(step) }, word);
    if (way === "toggle") this.element.append(button(name[0], name, 1));
    else this.element.append(button("−", `${name} down`, -1), button("+", `${name} up`, 1));
  }

  listen() {
    const { element, state } = this;
    /** @param {PointerEvent} event */
    const lead = (event) => {
      const box = element.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width;
      const y = (event.clientY - box.top) / box.height;
      const at = this.across ? (state.lever.high_at === "left" ? 1 - x : x) : 1 - y;
      state.held = this.stick(clamp(at, 0, 1));
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      lead(event);
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) lead(event);
    });
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
      element.addEventListener(end, () => {
        state.held = null;
      });
  }

  /**
   * From a fraction of the pad to -1 (low), 0 (rest), 1 (high).
   * @param {number} at
   */
  stick(at) {
    const { low, high, rest } = this.state.lever;
    const zero = (rest - low) / (high - low);
    return at >= zero ? (at - zero) / (1 - zero || 1) : (at - zero) / zero;
  }

  show() {
    const { state, element, mark } = this;
    const { low, high, rest, way } = state.lever;
    if (way !== "ramp") {
      element.classList.toggle("on", !state.atRest);
      return;
    }
    const zero = (rest - low) / (high - low);
    const [from, to] = [Math.min(zero, state.fraction), Math.max(zero, state.fraction)];
    const [start, end] = [`${100 * from}%`, `${100 * (1 - to)}%`];
    if (!this.across) Object.assign(mark.style, { bottom: start, top: end });
    else if (state.lever.high_at === "left") Object.assign(mark.style, { right: start, left: end });
    else Object.assign(mark.style, { left: start, right: end });
  }
}
