// The text of a link that carries parameters: those that are not as the page begins with.

/** @typedef {Pick<import("./messages.js").Parameter, "name" | "value">} Parameter with the value that the page begins with */

const MOST = 200; // parameters that a link may name

/**
 * Values that a link names, of parameters that are there.
 * @param {string} hash as `location.hash`
 * @param {Parameter[]} declared
 * @returns {Map<string, number>}
 */
export function readLink(hash, declared) {
  const known = new Set(declared.map(({ name }) => name));
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const value = Number(text);
    if (found.size < MOST && known.has(name) && text.trim() && Number.isFinite(value))
      found.set(name, value);
  }
  return found;
}

/**
 * What belongs behind the # for these values; "" if all are as the page begins with.
 * @param {Record<string, number>} values
 * @param {Parameter[]} declared
 */
export function writeLink(values, declared) {
  const changed = declared.filter(({ name, value }) => (values[name] ?? value) !== value);
  return new URLSearchParams(changed.map(({ name }) => [name, String(values[name])])).toString();
}
