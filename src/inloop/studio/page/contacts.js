// Contacts: which of them touch, the gaps of the others, and their forces.

import { byId, make } from "./dom.js";
import { withPrefix } from "./numbers.js";

/** @typedef {import("./messages.js").TouchingPair} TouchingPair */
/** @typedef {Array<number | null>} Reading gap [m], normal force and friction [N] */

const QUANTITIES = ["gap", "normal", "friction"];
const FEW = 6; // contacts shown without opening the panel

/** @param {number | null} force [N] */
const forceText = (force) => (force === null ? "–" : withPrefix(force, "N"));

class Row {
  /** @param {TouchingPair} contact */
  constructor({ name, between, shapes, law, friction }) {
    this.state = make("i", { className: "dot", role: "img" });
    this.cells = QUANTITIES.map((word) => make("output", { "aria-label": word }, "–"));
    this.element = make(
      "li",
      {
        className: "element",
        title: [
          `${shapes[0]} and ${shapes[1]}`,
          `normal force: ${law}`,
          `friction: ${friction || "none"}`,
        ].join("\n"),
      },
      make(
        "header",
        {},
        this.state,
        make("span", { className: "name" }, name.replaceAll("_", " ")),
        make("span", { className: "about" }, between.join(" – ")),
      ),
      make("div", { className: "touches" }, ...this.cells),
    );
    this.touches = false;
    this.rubs = friction !== "";
  }

  /** @param {Reading} reading */
  show([gap, force, friction]) {
    this.touches = gap !== null && gap <= 0;
    const word = gap === null ? "not in this mode" : this.touches ? "touching" : "open";
    this.element.className = `element ${gap === null ? "absent" : word}`;
    this.state.setAttribute("aria-label", word);
    this.state.title = word;
    this.cells[0].textContent = gap === null ? "–" : withPrefix(gap, "m");
    // no force without contact
    this.cells[1].textContent = this.touches ? forceText(force) : "–";
    this.cells[2].textContent = this.touches && this.rubs ? forceText(friction) : "–";
  }
}

export class Contacts {
  constructor() {
    /** @type {Row[]} */
    this.rows = [];
  }

  /** @param {TouchingPair[]} contacts */
  setPlant(contacts) {
    const panel = byId("contact-panel");
    panel.hidden = !contacts.length;
    panel.open = contacts.length <= FEW;
    byId("contact-note").textContent = "";
    this.rows = contacts.map((contact) => new Row(contact));
    const heads = QUANTITIES.map((word) => make("span", {}, word));
    byId("contacts").replaceChildren(
      make("div", { className: "touches heads", "aria-hidden": true }, ...heads),
      make("ul", { "aria-label": "Contacts" }, ...this.rows.map(({ element }) => element)),
    );
  }

  /** @param {Reading[]} readings */
  show(readings) {
    readings.forEach((reading, k) => {
      this.rows[k]?.show(reading);
    });
    const touching = this.rows.filter(({ touches }) => touches).length;
    byId("contact-note").textContent = `${touching} of ${this.rows.length} touch`;
  }
}
