// A link to the embedded plant: a worker that sends the messages of a studio.

import { startWorker } from "./carried.js";

const BROKEN = 1011; // close code of a link whose other end has failed

/**
 * @param {import("./carried.js").Carried} carried
 * @returns {import("./socketlink.js").Dial}
 */
export function dialWorker({ wasm, facts }) {
  return ({ open, data, closed }) => {
    const worker = startWorker("plantworker.js");
    let ready = false;
    const end = () => {
      ready = false;
      worker.terminate();
      closed(BROKEN);
    };
    worker.onmessage = (message) => {
      if (message.data === "ready") {
        ready = true;
        open();
        worker.postMessage("go");
      } else data(message.data);
    };
    worker.onerror = end;
    worker.postMessage({ wasm, facts });
    return {
      get ready() {
        return ready;
      },
      send: (words) => worker.postMessage(words),
      close: end,
    };
  };
}
