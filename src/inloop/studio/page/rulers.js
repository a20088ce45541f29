// Scales below the picture: for lengths, and for the arrows of forces.

import { byId, inside } from "./dom.js";
import { roundDown, withPrefix } from "./numbers.js";

const WIDEST = 110; // [px]

export class Rulers {
  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.view = view;
    /** @type {Record<string, string>} */
    this.shown = {};
    view.afterFrame.push(() => this.update());
  }

  update() {
    const { eye, height, forces } = this.view;
    const perPixel = eye.perPixel(height);
    const length = roundDown(WIDEST * perPixel);
    this.show("length-scale", length / perPixel, withPrefix(length, "m"));
    const legend = this.view.forcesShown ? forces.legend : null;
    if (legend)
      this.show(
        "force-scale",
        (legend.length * eye.size) / perPixel,
        withPrefix(legend.force, "N"),
      );
    else this.show("force-scale", 0, "");
  }

  /**
   * @param {"length-scale" | "force-scale"} id
   * @param {number} pixels
   * @param {string} words
   */
  show(id, pixels, words) {
    const key = `${pixels.toFixed(1)} ${words}`;
    if (this.shown[id] === key) return;
    this.shown[id] = key;
    const ruler = byId(id);
    ruler.hidden = !words;
    inside(ruler, "i").style.width = `${pixels}px`;
    inside(ruler, "span").textContent = words;
  }
}
