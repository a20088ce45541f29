// Keyboard shortcuts of the page, and the sheet that lists them.

import { byId, make, typing, usesSpace } from "./dom.js";
import { keyName } from "./handpanel.js";

export class Shortcuts {
  /**
   * Keys that move levers, and the names of these.
   * @type {() => Array<{ name: string, more: string[], less: string[] }>}
   */
  levers = () => [];

  /** @param {import("./hand.js").Hand} hand */
  constructor(hand) {
    this.hand = hand;
    /** @type {Map<string, { what: string, run: () => void }>} */
    this.table = new Map();
    window.addEventListener("keydown", (event) => this.press(event));
    byId("help").onclick = () => this.sheet();
    this.add("?", "Show this sheet", () => this.sheet());
  }

  /**
   * Add a key, as given by `event.key`, with its action.
   * @param {string} key
   * @param {string} what
   * @param {() => void} run
   */
  add(key, what, run) {
    this.table.set(key, { what, run });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event) || byId("keys").open)
      return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const entry = this.table.get(key);
    if (!entry) return;
    // a focused button or list keeps its own keys
    if ([" ", "Home"].includes(key) && usesSpace(event)) return;
    if (event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    entry.run();
  }

  sheet() {
    const dialog = byId("keys");
    const { device } = this.hand;
    /** @type {Record<string, string>} */
    const names = { " ": "Space" };
    /** @param {string} key */
    const taken = (key) => device?.keys && (names[key] ?? `Key${key.toUpperCase()}`) in device.keys;
    /**
     * @param {string[]} keys
     * @param {string} what
     */
    const row = (keys, what) =>
      make(
        "div",
        {},
        make("dt", {}, ...keys.map((key) => make("kbd", {}, key))),
        make("dd", {}, what),
      );
    const driven = Object.keys(device?.keys ?? {}).map(keyName);
    dialog.replaceChildren(
      make("h2", { id: "keys-title" }, "Keys"),
      make(
        "dl",
        {},
        ...[...this.table]
          .filter(([key]) => !taken(key))
          .map(([key, { what }]) => row([names[key] ?? key.toUpperCase()], what)),
        row(["←", "↑", "→", "↓"], "Turn or slide the view (when it has the focus)"),
        row(["+", "−"], "Zoom"),
        ...this.levers().map(({ name, more, less }) => row([...more, ...less].map(keyName), name)),
        ...(driven.length ? [row(driven, `Drive ${device?.input}`)] : []),
      ),
      make(
        "p",
        { className: "quiet" },
        "Drag any body with the mouse or a finger, with Shift to push it; the wheel then changes the spring. Elsewhere a drag turns the view, with Shift or two fingers it slides; the wheel or two fingers zoom. Drag across a plot to zoom, double-click to follow again.",
      ),
      make("form", { method: "dialog" }, make("button", { className: "main" }, "Close")),
    );
    if (!dialog.open) dialog.showModal();
  }
}
