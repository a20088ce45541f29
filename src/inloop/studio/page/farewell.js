// The notice of a page whose studio is gone.

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
      text: "The studio has refused this page.",
      fix: "Close other pages, or open the address that the studio prints. Trying again …",
    };
  if (ending === "ended")
    return {
      level: "error",
      text: "The studio has been stopped.",
      fix: `${fate(plant)} Start it again with “inloop studio”.`,
    };
  // on the same machine, no network can have failed
  if (/^(localhost|127\..*|\[?::1\]?)$/.test(host))
    return {
      level: "error",
      text: "The studio has stopped unexpectedly: it was killed, or it hangs.",
      fix: `${fate(plant)} Trying again …`,
    };
  return {
    level: "error",
    text: "There is no connection to the studio.",
    fix: `If only the network failed, the plant keeps running. If the studio has stopped: ${fate(plant)} Trying again …`,
  };
}

/** @param {{ own: boolean } | null} plant */
function fate(plant) {
  if (!plant) return "";
  return plant.own
    ? "The plant that it started stops with it."
    : "The plant was started by another program and keeps running.";
}
