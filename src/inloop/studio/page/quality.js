// How much light is worth: "full" with an environment and shadows, or "simple", which a processor
// draws 30 times a second. A person's choice is kept; without one, what the machine can do decides.

import { byId } from "./dom.js";

/** @typedef {"full" | "simple"} Style */

const KEY = "inloop.style";
const MOST = 33; // that a picture may take [ms]
const SLOW_ONES = 4; // so many in a row are too many

/** True if the processor draws, because there is no graphics card that a page may use. */
export function withoutGraphicsCard() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl?.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** The style that is drawn in, and the button that changes it. */
export class Quality {
  /**
   * @param {boolean} slow whether the processor draws
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
    this.tell();
  }

  /** @param {Style} style */
  set(style) {
    this.style = style;
    this.late = 0;
    this.tell();
    this.changed(style);
  }

  /**
   * What a picture has taken [ms]; if many take too long and nobody has chosen, simple ones follow.
   * @param {number} cost
   */
  took(cost) {
    this.late = cost > MOST ? this.late + 1 : 0;
    if (this.late >= SLOW_ONES && !this.chosen && this.style === "full") this.set("simple");
  }

  tell() {
    const full = this.style === "full";
    const button = byId("style");
    button.setAttribute("aria-pressed", String(full));
    button.setAttribute("aria-label", `Style: ${this.style}`);
    const word = button.querySelector("span");
    if (word) word.textContent = full ? "Full" : "Simple";
  }
}
