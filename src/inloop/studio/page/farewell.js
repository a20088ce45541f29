// What a page says when its studio is gone: what is known, and no more.

/** @typedef {import("./messages.js").Told} Told */
/** @typedef {import("./connection.js").Ending} Ending */

/**
 * @param {Ending} ending how the link was lost
 * @param {{ own: boolean } | null} plant
 * @param {string} [host] of the studio
 * @returns {Told}
 */
export function farewell(ending, plant, host = location.hostname) {
  if (ending === "turned away")
    return {
      level: "error",
      text: "The studio has turned this page away.",
      fix: "Close other pages, or open the address that the studio prints. Trying again …",
    };
  if (ending === "ended")
    return {
      level: "error",
      text: "The studio has been ended.",
      fix: `${fate(plant)} Start it again with “inloop studio”.`,
    };
  // nothing lies between a page and a studio on one machine
  if (/^(localhost|127\..*|\[?::1\]?)$/.test(host))
    return {
      level: "error",
      text: "The studio has ended without a word: it was killed, or hangs.",
      fix: `${fate(plant)} Trying again …`,
    };
  return {
    level: "error",
    text: "There is no connection to the studio.",
    fix: `If the network is cut, the plant goes on. If the studio has ended: ${fate(plant)} Trying again …`,
  };
}

/** @param {{ own: boolean } | null} plant */
function fate(plant) {
  if (!plant) return "";
  return plant.own
    ? "The plant that it had started ends with it."
    : "The plant was started by another program, and goes on.";
}
