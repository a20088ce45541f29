// A link to a studio: one WebSocket.

/**
 * Events of a link.
 * @typedef {object} LinkEvents
 * @property {() => void} open
 * @property {(data: string | ArrayBuffer) => void} data
 * @property {(code: number) => void} closed with the WebSocket close code
 */

/**
 * A two-way link for JSON texts and binary frames, to the process that runs the plant.
 * @typedef {object} Link
 * @property {boolean} ready
 * @property {(data: string | ArrayBuffer) => void} send
 * @property {() => void} close
 */

/** @typedef {(events: LinkEvents) => Link} Dial opens a link */

/**
 * @param {string} address
 * @returns {Dial}
 */
export function dialSocket(address) {
  return ({ open, data, closed }) => {
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = open;
    socket.onmessage = (message) => data(message.data);
    socket.onclose = ({ code }) => closed(code);
    return {
      get ready() {
        return socket.readyState === WebSocket.OPEN;
      },
      send: (words) => socket.send(words),
      close: () => socket.close(),
    };
  };
}
