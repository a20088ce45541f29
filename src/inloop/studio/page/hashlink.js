// A link with parameters, after the # of the address.

import { readLink, writeLink } from "./linktext.js";

/** @typedef {import("./linktext.js").Parameter} Parameter */

/** Keeps the address consistent with the parameters of the plant. */
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

  /** Set the parameters given in the address. */
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
