// A link that carries parameters, behind # of the address.

import { readLink, writeLink } from "./linktext.js";

/** @typedef {import("./linktext.js").Parameter} Parameter */

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
    this.declared = declared.map(({ name, value }) => ({ name, value }));
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
