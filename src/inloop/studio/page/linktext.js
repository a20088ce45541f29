// The text of a link with parameters: those that differ from the page's initial values.

/** @typedef {Pick<import("./messages.js").Parameter, "name" | "value">} Parameter with the value that the page begins with */

const MOST = 200; // largest number of parameters in a link

/**
 * Values given by a link, of existing parameters.
 * @param {string} hash as `location.hash`
 * @param {Parameter[]} declared
 * @returns {Map<string, number>}
 */
export function readLink(hash, declared) {
  const known = new Set(declared.map(({ name }) => name));
  /** @type {Map<string, number>} */
  const values = new Map();
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const value = Number(text);
    if (values.size < MOST && known.has(name) && text.trim() && Number.isFinite(value))
      values.set(name, value);
  }
  return values;
}

/**
 * The text after the # for these values; "" if all are initial values.
 * @param {Record<string, number>} values
 * @param {Parameter[]} declared
 */
export function writeLink(values, declared) {
  const changed = declared.filter(({ name, value }) => (values[name] ?? value) !== value);
  return new URLSearchParams(changed.map(({ name }) => [name, String(values[name])])).toString();
}
