// Recording on the server: start, stop, replay, download; and a look back at the last minute.

import { byId, dress, icon, make, press } from "./dom.js";
import { figure } from "./numbers.js";

/** @typedef {import("./messages.js").Recording} Recording */
/** @typedef {import("./messages.js").File} File */

export class Recordings {
  /** @type {File[]} */
  files = [];

  /** @type {string[]} */
  can = [];

  /** @type {string} */
  source = "";

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    this.active = false;
    byId("record").onclick = () => this.toggle();
  }

  toggle() {
    this.connection.say({ do: "record", on: !this.active });
  }

  /**
   * What the server shows: "live", or the name of a file.
   * @param {string} source
   */
  playing(source) {
    if (source === this.source) return;
    this.source = source;
    this.build();
  }

  /**
   * @param {Recording} recording
   * @param {string[]} can
   */
  show({ active, files }, can) {
    this.active = active;
    this.files = files;
    this.can = can;
    const button = byId("record");
    press(button, active);
    dress(button, "record", active ? "Stop" : "Record");
    byId("recording-note").textContent = active
      ? "recording"
      : files.length
        ? `${files.length}`
        : "";
    this.build();
    if (active) byId("recording-panel").open = true;
  }

  build() {
    const rows = this.files.map((file) => this.row(file));
    const empty = make(
      "p",
      { className: "empty" },
      "Press “Record” to keep what the loop does, every step of it.",
    );
    byId("recordings").replaceChildren(
      ...(rows.length ? [make("ul", { className: "files" }, ...rows)] : [empty]),
    );
  }

  /** @param {File} file */
  row({ name, bytes }) {
    const playing = this.source === name;
    const replay = this.can.includes("replay")
      ? make(
          "button",
          {
            className: "icon tiny",
            "aria-label": playing ? "Back to the loop" : `Replay ${name}`,
            title: playing ? "Back to the loop" : "Replay",
            onclick: () =>
              playing
                ? this.connection.say({ do: "live" })
                : this.connection.say({ do: "replay", file: name }),
          },
          icon(playing ? "close" : "go"),
        )
      : null;
    return make(
      "li",
      {},
      make("span", { className: "name" }, name),
      make("span", { className: "quiet" }, `${figure(bytes / 1e6, 3)} MB`),
      replay,
      make(
        "a",
        {
          className: "icon tiny",
          href: `/recording/${encodeURIComponent(name)}`,
          download: name,
          title: "Download",
          "aria-label": `Download ${name}`,
        },
        icon("down"),
      ),
    );
  }
}

/** Looking back: the poses of the last minute, moved through by hand or at half speed. */
export class Rewind {
  /** @type {[number, number]} */
  span = [0, 0];

  /** @type {number | undefined} */
  timer;

  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.view = view;
    byId("rewind-play").onclick = () => this.start();
    byId("rewind-live").onclick = () => this.stop();
    byId("rewind-at").oninput = () => this.look(Number(byId("rewind-at").value), false);
  }

  get on() {
    return this.view.moment !== null;
  }

  toggle() {
    if (this.on) this.stop();
    else this.start();
  }

  /** Begin five seconds ago, or where the slider is, and play slowly. */
  start() {
    const [first, last] = this.view.motion.span;
    if (!last) return;
    if (!this.on) Object.assign(byId("rewind-at"), { min: first, max: last, value: last });
    this.span = [first, last];
    this.show(true);
    this.look(Math.max(last - 5, first), true);
  }

  /**
   * @param {number} stamp
   * @param {boolean} playing
   */
  look(stamp, playing) {
    const [first, last] = this.span;
    this.view.moment = stamp;
    byId("rewind-at").value = String(stamp);
    const moment = this.view.motion.around(stamp);
    byId("rewind-t").textContent = moment ? `${moment.before.t.toFixed(3)} s` : "";
    byId("rewind-at").style.setProperty(
      "--fill",
      `${(100 * (stamp - first)) / Math.max(last - first, 1e-9)}%`,
    );
    clearTimeout(this.timer);
    if (playing && stamp < last)
      this.timer = setTimeout(() => this.look(Math.min(stamp + 0.01, last), true), 20);
  }

  stop() {
    clearTimeout(this.timer);
    this.view.moment = null;
    this.show(false);
  }

  /** @param {boolean} on */
  show(on) {
    byId("rewind").classList.toggle("on", on);
    for (const id of ["rewind-at", "rewind-t", "rewind-live"]) byId(id).hidden = !on;
  }
}
