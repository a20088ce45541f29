// How many times larger than they are the displacements of flexible links are shown.

import { byId } from "./dom.js";

const FACTORS = [1, 2, 5, 10, 20, 50];

export class Deflection {
  constructor(view) {
    this.view = view;
    this.slider = byId("deflection").querySelector("input");
    this.slider.max = FACTORS.length - 1;
    this.slider.oninput = () => this.show(Number(this.slider.value));
  }

  /** Another mechanism: as it is, and no slider where nothing bends. */
  setScene(scene) {
    byId("deflection").hidden = !scene.flexible.length;
    this.slider.value = 0;
    this.show(0);
  }

  show(index) {
    const factor = FACTORS[index];
    this.slider.style.setProperty("--fill", `${(100 * index) / (FACTORS.length - 1)}%`);
    this.slider.setAttribute("aria-valuetext", `${factor} times`);
    byId("deflection").querySelector("output").textContent = `×${factor}`;
    this.view.showDeflection(factor);
  }
}
