// Data embedded in a page that is a single file, in place of a studio: addresses of its modules, its
// meshes, and the plant. The page's first script stores it in the window; pages of a studio have none.

/**
 * @typedef {object} Carried
 * @property {Record<string, string>} addresses of scripts for threads, by name of their module
 * @property {Record<string, ArrayBuffer>} meshes packed, and pictures, by name
 * @property {ArrayBuffer} wasm the plant
 * @property {import("./plantfacts.js").PlantFacts} facts about it
 */

/** @type {Carried | null} */
export const carried = /** @type {any} */ (globalThis).inloopCarried ?? null;

/**
 * Address of a module of the page.
 * @param {string} name
 */
export function address(name) {
  return carried?.addresses[name] ?? `/static/${name}`;
}

/**
 * A thread that runs a module of the page; the embedded form of a module is a plain script.
 * @param {string} name
 */
export function startWorker(name) {
  return carried ? new Worker(address(name)) : new Worker(address(name), { type: "module" });
}

/**
 * Address of an icon.
 * @param {string} name
 */
export function iconAddress(name) {
  return carried ? `#icon-${name}` : `/static/icons.svg#${name}`;
}
