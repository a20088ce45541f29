// A link to a studio: one WebSocket.

/**
 * What comes over a link.
 * @typedef {object} LinkEvents
 * @property {() => void} open
 * @property {(data: string | ArrayBuffer) => void} data
 * @property {(code: number) => void} closed with a code of WebSockets
 */

/**
 * Texts of JSON and binary frames both ways, to whoever has the plant.
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
