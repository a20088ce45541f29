// Styles of drawing: "full" with an environment and shadows, or "simple", which a CPU draws 30 times
// per second. The user's choice is kept; by default, the speed of the machine decides.

import { byId } from "./dom.js";

/** @typedef {"full" | "simple"} Style */

const KEY = "inloop.style";
const MOST = 33; // longest acceptable time of a picture [ms]
const SLOW_ONES = 4; // after so many slow pictures in a row, the style changes

/** True if the CPU draws, because the page has no access to a graphics card. */
export function withoutGraphicsCard() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl?.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** The current style, and the button that changes it. */
export class Quality {
  /**
   * @param {boolean} slow whether the CPU draws
   * @param {(style: Style) => void} changed
   */
  constructor(slow, changed) {
    const kept = localStorage.getItem(KEY);
    this.chosen = kept === "full" || kept === "simple";
    /** @type {Style} */
    this.style = kept === "full" || kept === "simple" ? kept : slow ? "simple" : "full";
    this.changed = changed;
    this.late = 0;
    byId("style").onclick = () => {
      this.chosen = true;
      this.set(this.style === "full" ? "simple" : "full");
      localStorage.setItem(KEY, this.style);
    };
    this.show();
  }

  /** @param {Style} style */
  set(style) {
    this.style = style;
    this.late = 0;
    this.show();
    this.changed(style);
  }

  /**
   * Time of a picture [ms]; several slow ones change to the simple style unless the user has chosen.
   * @param {number} cost
   */
  took(cost) {
    this.late = cost > MOST ? this.late + 1 : 0;
    if (this.late >= SLOW_ONES && !this.chosen && this.style === "full") this.set("simple");
  }

  show() {
    const full = this.style === "full";
    const button = byId("style");
    button.setAttribute("aria-pressed", String(full));
    button.setAttribute("aria-label", `Style: ${this.style}`);
    const word = button.querySelector("span");
    if (word) word.textContent = full ? "Full" : "Simple";
  }
}
