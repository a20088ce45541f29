// Scales under the picture: how long a length is, and how long an arrow for a force.

import { byId } from "./dom.js";
import { roundDown, withPrefix } from "./numbers.js";

const WIDEST = 110; // [px]

export class Rulers {
  constructor(view) {
    this.view = view;
    view.afterFrame.push(() => this.update());
  }

  update() {
    const { eye, canvas, arrows } = this.view;
    const perPixel = eye.perPixel(canvas.clientHeight);
    const length = roundDown(WIDEST * perPixel);
    this.show("length-scale", length / perPixel, withPrefix(length, "m"));
    const legend = this.view.forcesShown ? arrows.legend : null;
    byId("force-scale").hidden = !legend;
    if (legend) this.show("force-scale", legend.length / perPixel, withPrefix(legend.force, "N"));
  }

  show(id, pixels, words) {
    const key = `${pixels.toFixed(1)} ${words}`;
    const ruler = byId(id);
    if (ruler.dataset.shown === key) return;
    ruler.dataset.shown = key;
    ruler.querySelector("i").style.width = `${pixels}px`;
    ruler.querySelector("span").textContent = words;
  }
}
