// A link that carries parameters: behind # of the address are those that are not as declared.

/** @typedef {import("./messages.js").Parameter} Parameter */

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
 * What belongs behind the # for these values; "" if all are as declared.
 * @param {Record<string, number>} values
 * @param {Parameter[]} declared
 */
export function writeLink(values, declared) {
  const changed = declared.filter(({ name, default: usual }) => (values[name] ?? usual) !== usual);
  return new URLSearchParams(changed.map(({ name }) => [name, String(values[name])])).toString();
}

/** Keeps the address and the parameters of the plant the same. */
export class HashLink {
  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    /** @type {Parameter[]} */
    this.declared = [];
    addEventListener("hashchange", () => this.follow());
  }

  /** @param {Parameter[]} declared */
  setPlant(declared) {
    this.declared = declared;
    this.follow();
  }

  /** Let the plant have what the address says. */
  follow() {
    for (const [parameter, value] of readLink(location.hash, this.declared))
      this.connection.say({ do: "set", parameter, value });
  }

  /** @param {Record<string, number>} values */
  show(values) {
    const text = writeLink(values, this.declared);
    if (location.hash.replace(/^#/, "") !== text) history.replaceState(null, "", `#${text}`);
  }
}
