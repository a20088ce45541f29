// The thread of an embedded plant: a session, its clock, and the messages of the page.

import { PlantSession } from "./plantsession.js";

const EVERY = 4; // period of the clock [ms]; browsers allow no less

/** @type {PlantSession | null} */
let session = null;

const clock = () => performance.now() / 1000;

/** @param {string | ArrayBuffer} words */
function send(words) {
  if (typeof words === "string") postMessage(words);
  else postMessage(words, { transfer: [words] });
}

/** @param {MessageEvent} message */
self.onmessage = async ({ data }) => {
  if (session && data === "go") {
    session.greet();
    setInterval(() => session?.tick(), EVERY);
  } else if (session) session.hear(data);
  else {
    const { wasm, facts } = data;
    session = new PlantSession(await WebAssembly.compile(wasm), facts, send, clock);
    postMessage("ready");
  }
};
