// Making and finding elements.

import { iconAddress } from "./carried.js";

/**
 * Types of the elements of index.html, by id; those not listed are plain elements.
 * @typedef {object} Elements
 * @property {HTMLButtonElement} pause
 * @property {HTMLButtonElement} step
 * @property {HTMLButtonElement} reset
 * @property {HTMLButtonElement} record
 * @property {HTMLSelectElement} plant
 * @property {HTMLSelectElement} speed
 * @property {HTMLSelectElement} window
 * @property {HTMLInputElement} rewind-at
 * @property {HTMLInputElement} volume
 * @property {HTMLDetailsElement} hand-panel
 * @property {HTMLDetailsElement} recording-panel
 * @property {HTMLDetailsElement} inspect-panel
 * @property {HTMLDetailsElement} contact-panel
 * @property {HTMLDetailsElement} sensor-panel
 * @property {HTMLDialogElement} keys
 * @property {HTMLCanvasElement} view
 */

/** @typedef {Record<string, any>} Attributes values, and listeners as `on…` */
/** @typedef {Node | string | null | undefined} Child */

/**
 * The element with this id.
 * @template {string} K
 * @param {K} id
 * @returns {K extends keyof Elements ? Elements[K] : HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return /** @type {any} */ (element);
}

/**
 * The first element with a tag inside another.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {HTMLElement} element
 * @param {K} tag
 * @returns {HTMLElementTagNameMap[K]}
 */
export function inside(element, tag) {
  const child = element.querySelector(tag);
  if (!child) throw new Error(`${element.id} has no ${tag}`);
  return child;
}

/**
 * A new element: attributes by name, `on…` as listeners, children as nodes or text.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") Object.assign(element, { [name]: value });
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/**
 * A new SVG element.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
export function makeSvg(tag, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/**
 * An icon of icons.svg.
 * @param {string} name
 */
export function icon(name) {
  const svg = makeSvg("svg");
  svg.append(makeSvg("use", { href: iconAddress(name) }));
  return svg;
}

/**
 * Change the icon and the label of a button, if it has them.
 * @param {HTMLElement} button
 * @param {string} name
 * @param {string} word
 */
export function dress(button, name, word) {
  const use = button.querySelector("use");
  const address = iconAddress(name);
  // an icon that is replaced while a finger is on it loses the click
  if (use?.getAttribute("href") !== address) use?.setAttribute("href", address);
  const span = button.querySelector("span");
  if (span) span.textContent = word;
  else button.setAttribute("aria-label", word);
}

/**
 * Mark a button as pressed or not.
 * @param {HTMLElement} button
 * @param {boolean} on
 */
export function press(button, on) {
  button.setAttribute("aria-pressed", String(on));
}

/**
 * Offer a blob as a file.
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/**
 * True if the focused element uses the space bar itself.
 * @param {Event} event
 */
export function usesSpace({ target }) {
  const names = ["BUTTON", "SELECT", "SUMMARY", "INPUT", "A"];
  return target instanceof HTMLElement && names.includes(target.tagName);
}

/**
 * True while the user types text, so that letters are not shortcuts.
 * @param {Event} event
 */
export function typing({ target }) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.tagName === "TEXTAREA") return true;
  return (
    target instanceof HTMLInputElement &&
    !["range", "checkbox", "radio", "button"].includes(target.type)
  );
}
