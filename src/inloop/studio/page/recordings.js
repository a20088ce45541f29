// Recording on the server: start, stop, replay, download; and rewinding of the last minutes.

import { byId, dress, icon, make, press } from "./dom.js";
import { figure } from "./numbers.js";
import { clockTime } from "./timeline.js";

/** @typedef {import("./messages.js").Recording} Recording */
/** @typedef {import("./messages.js").File} File */

/** Label of the button, and whether it looks pressed. */
const PHASES = {
  off: { word: "Record", on: false },
  starting: { word: "Starting …", on: true },
  on: { word: "Stop", on: true },
  ending: { word: "Writing …", on: false },
};

export class Recordings {
  /** @type {File[]} */
  files = [];

  /** @type {string[]} */
  can = [];

  /** @type {string} */
  source = "";

  /** @type {Recording | null} */
  now = null;

  /** @type {string} */
  listed = "";

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    byId("record").onclick = () => this.toggle();
  }

  get active() {
    return this.now !== null && PHASES[this.now.phase].on;
  }

  /** Request recording to start or stop, and show at once that it was requested. */
  toggle() {
    if (!this.connection.ready) return;
    const on = !this.active;
    this.connection.say({ do: "record", on });
    this.dressButton(on ? "starting" : "ending");
  }

  /**
   * The source shown by the server: "live", or the name of a file.
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
  show(recording, can) {
    const before = this.now;
    this.now = recording;
    // a plant that cannot be replayed has no files
    const nowhere = can.includes("subscribe") && !can.includes("replay");
    byId("record").hidden = nowhere;
    byId("recordings").hidden = nowhere;
    byId("recording-panel").hidden = nowhere && !byId("videos").children.length;
    this.dressButton(recording.phase);
    this.showCurrent(recording);
    if (this.active && before?.phase !== recording.phase) byId("recording-panel").open = true;
    const listed = JSON.stringify([recording.files, can, recording.phase]);
    if (listed === this.listed) return; // do not replace rows that are being pressed
    this.listed = listed;
    this.files = recording.files;
    this.can = can;
    this.build();
  }

  /** @param {Recording["phase"]} phase */
  dressButton(phase) {
    const button = byId("record");
    press(button, PHASES[phase].on);
    dress(button, "record", PHASES[phase].word);
  }

  /**
   * Show file, size and duration of the current recording, or why it has ended early.
   * @param {Recording} recording
   */
  showCurrent({ phase, file, bytes, seconds, problem, files }) {
    const count = files.length ? `${files.length}` : "";
    byId("recording-note").textContent = PHASES[phase].on ? "recording" : count;
    const place = byId("recording-now");
    place.hidden = !file;
    place.className = problem ? "recording-now problem" : "recording-now";
    if (!file) return;
    const words = problem
      ? [make("span", {}, `Stopped early: ${problem}. The data so far is in ${file}.`)]
      : [
          make("strong", {}, clockTime(seconds)),
          make("span", {}, `${figure(bytes / 1e6, 3)} MB`),
          make("span", { className: "quiet" }, file),
          this.source === file || phase !== "on" || !bytes
            ? null
            : make(
                "button",
                {
                  className: "quiet-button",
                  onclick: () => this.connection.say({ do: "replay", file }),
                },
                "Look at it",
              ),
        ];
    place.replaceChildren(...words.filter((word) => word !== null));
  }

  build() {
    const rows = this.files.map((file) => this.row(file));
    const empty = make(
      "p",
      { className: "empty" },
      "Press “Record” to record every step of the loop.",
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

/** Rewinding: the poses of the last minutes, moved through by hand or at half speed. */
export class Rewind {
  /** @type {[number, number]} */
  span = [0, 0];

  /** @type {number | undefined} */
  timer;

  /**
   * @param {import("./view.js").View} view
   * @param {(t: number | null) => void} pointAt
   */
  constructor(view, pointAt) {
    this.view = view;
    this.pointAt = pointAt;
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

  /** Start five seconds ago, or at the slider's position, and play slowly. */
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
    if (moment) this.pointAt(moment.before.t);
    byId("rewind-t").textContent = moment ? `${moment.before.t.toFixed(3)} s` : "";
    byId("rewind-at").style.setProperty(
      "--fill",
      `${(100 * (stamp - first)) / Math.max(last - first, 1e-9)}%`,
    );
    clearTimeout(this.timer);
    if (playing && stamp < last)
      this.timer = setTimeout(() => this.look(Math.min(stamp + 0.01, last), true), 20);
  }

  /**
   * Go to the frame before or after the one shown.
   * @param {number} by
   */
  step(by) {
    const { frames } = this.view.motion;
    const stamp = this.view.moment ?? 0;
    const around = this.view.motion.around(stamp);
    if (!around) return;
    const at = frames.indexOf(around.before);
    const next = frames[Math.min(Math.max(at + by, 0), frames.length - 1)];
    this.look(next.stamp, false);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.on) this.pointAt(null);
    this.view.moment = null;
    this.show(false);
  }

  /** @param {boolean} on */
  show(on) {
    byId("rewind").classList.toggle("on", on);
    for (const id of ["rewind-at", "rewind-t", "rewind-live"]) byId(id).hidden = !on;
  }
}
