// What a page that is one file carries with it in place of a studio: addresses of its modules, its
// meshes, and the plant. Its first script puts that into the window; a page of a studio has none.

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
 * Where a module of the page is.
 * @param {string} name
 */
export function address(name) {
  return carried?.addresses[name] ?? `/static/${name}`;
}

/**
 * A thread that runs a module of the page; what a page carries for it is a plain script.
 * @param {string} name
 */
export function startWorker(name) {
  return carried ? new Worker(address(name)) : new Worker(address(name), { type: "module" });
}

/**
 * Where an icon is.
 * @param {string} name
 */
export function iconAddress(name) {
  return carried ? `#icon-${name}` : `/static/icons.svg#${name}`;
}
