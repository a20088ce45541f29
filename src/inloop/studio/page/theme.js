// Dark or light: the system's preference, or the user's choice, which is kept.

import { byId } from "./dom.js";

/** @typedef {ReturnType<typeof palette>} Palette */

const KEY = "inloop.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** Colors of the style sheet, for drawing by script. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  /**
   * @param {string} name
   * @param {number} count
   */
  const list = (name, count) => Array.from({ length: count }, (_, i) => colour(`${name}-${i + 1}`));
  return {
    ink: colour("ink"),
    muted: colour("muted"),
    grid: colour("grid"),
    axis: colour("axis"),
    stage: colour("stage"),
    ground: colour("ground"),
    connector: colour("connector"),
    force: colour("force"),
    bodies: list("body", 6),
    series: list("series", 8),
  };
}

/**
 * Follow the theme; `changed(palette)` is called with each change.
 * @param {(colours: Palette) => void} changed
 */
export function startTheme(changed) {
  const apply = () => {
    const chosen = localStorage.getItem(KEY);
    const dark = chosen ? chosen === "dark" : system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  };
  const toggle = () => {
    const dark = document.documentElement.dataset.theme === "dark";
    localStorage.setItem(KEY, dark ? "light" : "dark");
    apply();
    changed(palette());
  };
  system.addEventListener("change", () => {
    apply();
    changed(palette());
  });
  byId("theme").onclick = toggle;
  apply();
}
