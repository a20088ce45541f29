// The note that a plant plays.

import { byId, make } from "./dom.js";

const NAMES = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"];
const SHOWN = 4000; // duration [ms]

/** Name of a MIDI note: 60 is C4. */
const noteName = (/** @type {number} */ note) => `${NAMES[note % 12]}${Math.floor(note / 12) - 1}`;

export class NoteDisplay {
  constructor() {
    /** @type {number | undefined} */
    this.fading = undefined;
  }

  clear() {
    byId("note").hidden = true;
  }

  /**
   * Show its name and velocity; it fades when it ends.
   * @param {import("./messages.js").PlayedNote} played
   */
  show({ note, velocity, on }) {
    const place = byId("note");
    place.classList.toggle("ended", !on);
    if (!on) return;
    const bar = make("i");
    bar.style.width = `${(100 * velocity) / 127}%`;
    place.replaceChildren(
      make("strong", {}, noteName(note)),
      make("span", {}, `velocity ${velocity}`),
      make("div", { className: "bar" }, bar),
    );
    place.hidden = false;
    place.classList.remove("struck");
    void place.offsetWidth; // restart the animation
    place.classList.add("struck");
    clearTimeout(this.fading);
    this.fading = setTimeout(() => this.clear(), SHOWN);
  }
}
