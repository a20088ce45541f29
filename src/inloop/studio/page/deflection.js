// The factor by which displacements of flexible links are exaggerated.

import { byId, inside } from "./dom.js";

const FACTORS = [1, 2, 5, 10, 20, 50];

export class Deflection {
  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.view = view;
    this.slider = inside(byId("deflection"), "input");
    this.slider.max = String(FACTORS.length - 1);
    this.slider.oninput = () => this.show(Number(this.slider.value));
  }

  /**
   * A new mechanism: no exaggeration, and no slider if there are no flexible links.
   * @param {import("./messages.js").Scene} scene
   */
  setScene(scene) {
    byId("deflection").hidden = !scene.flexible.length;
    this.slider.value = "0";
    this.show(0);
  }

  /** @param {number} index */
  show(index) {
    const factor = FACTORS[index];
    this.slider.style.setProperty("--fill", `${(100 * index) / (FACTORS.length - 1)}%`);
    this.slider.setAttribute("aria-valuetext", `${factor} times`);
    inside(byId("deflection"), "output").textContent = `×${factor}`;
    this.view.showDeflection(factor);
  }
}
