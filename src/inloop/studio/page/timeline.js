// Timeline of a recording: the displayed time, the events, and navigation.

import { byId, icon, make } from "./dom.js";

/** @typedef {import("./messages.js").Timeline} Recorded */
/** @typedef {import("./messages.js").TimelineMark} Mark */

/** @type {Record<Mark["what"], string>} */
const WORDS = {
  reset: "reset",
  late: "a step came too late",
  safe: "safe values instead of the inputs",
  failed: "a step failed",
  mode: "another mode",
  event: "an event",
  parameters: "parameters were changed",
  lost: "records are missing",
  damaged: "a part of the file is damaged",
};
const JUMP = 1; // with the arrow keys on the bar [s]

/**
 * A time as on a clock: "3.250 s", "12:05.3", "1:02:03".
 * @param {number} seconds
 */
export function clockTime(seconds) {
  if (seconds < 60) return `${seconds.toFixed(3)} s`;
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return hours
    ? `${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${minutes}:${two(whole % 60)}.${Math.floor(10 * (seconds - whole))}`;
}

export class TimelineBar {
  /** @type {Recorded | null} */
  recorded = null;

  /** @type {import("./messages.js").ShownPlace | null} */
  place = null;

  /** @type {string[]} */
  can = [];

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {(t: number | null) => void} pointAt
   */
  constructor(connection, pointAt) {
    this.connection = connection;
    this.pointAt = pointAt;
    this.bar = make("input", {
      type: "range",
      min: 0,
      step: "any",
      "aria-label": "Place in the recording",
    });
    this.bar.oninput = () => this.seek(Number(this.bar.value));
    this.bar.addEventListener("keydown", (event) => this.key(event));
    this.marks = make("div", { className: "marks", "aria-hidden": "true" });
    this.note = make("span", { className: "quiet" });
    this.time = make("output", { "aria-label": "Place" });
    const back = make(
      "button",
      {
        className: "icon",
        "aria-label": "One record back",
        title: "One record back (,)",
        onclick: () => this.back(),
      },
      icon("step-back"),
    );
    this.live = make("button", { onclick: () => connection.say({ do: "live" }) }, "Live");
    byId("timeline").append(
      back,
      make("div", { className: "track" }, this.bar, this.marks),
      this.time,
      this.note,
      this.live,
    );
  }

  get on() {
    return this.recorded !== null;
  }

  /**
   * A new source: no recording until the server announces one.
   * @param {string[]} can
   */
  clear(can) {
    this.can = can;
    this.recorded = null;
    this.place = null;
    this.show();
  }

  /** @param {Recorded} recorded */
  setRecording(recorded) {
    this.recorded = recorded;
    this.show();
  }

  /** @param {import("./messages.js").ShownPlace} place */
  setPlace(place) {
    this.place = place;
    if (!this.recorded) return;
    this.pointAt(place.t);
    this.showPlace();
  }

  /** @param {number} at */
  seek(at) {
    if (this.on) this.connection.say({ do: "seek", at });
  }

  /** Go one record back; this pauses a playing recording. */
  back(count = 1) {
    if (this.on) this.connection.say({ do: "step_back", count });
  }

  /**
   * Arrow keys on the bar move by seconds, with Shift by tens of them.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const step = { ArrowLeft: -JUMP, ArrowRight: JUMP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.seek((this.place?.at ?? 0) + step * (event.shiftKey ? 10 : 1));
  }

  show() {
    byId("timeline").hidden = !this.on;
    byId("rewind").hidden = this.on;
    if (!this.recorded) {
      this.pointAt(null);
      return;
    }
    const { length, marks, scanned, grows, complete } = this.recorded;
    this.bar.max = String(Math.max(length, 1e-9));
    this.live.hidden = !this.can.includes("live");
    this.marks.replaceChildren(...marks.map((mark) => this.tick(mark, length)));
    const notes = [
      grows ? "being written" : complete ? "" : "the end of the file is missing",
      scanned < 1 ? `looking for events, ${Math.floor(100 * scanned)} %` : "",
    ];
    this.note.textContent = notes.filter(Boolean).join("; ");
    this.showPlace();
  }

  /**
   * @param {Mark} mark
   * @param {number} length
   */
  tick({ what, at, text, count }, length) {
    const times = count > 1 ? ` (${count} times nearby)` : "";
    const words = `${clockTime(at)}: ${WORDS[what]}${text ? `: ${text}` : ""}${times}`;
    const tick = make("button", {
      className: `mark ${what}`,
      title: words,
      tabIndex: -1,
      onclick: () => this.seek(at),
    });
    tick.style.left = `${(100 * at) / Math.max(length, 1e-9)}%`;
    return tick;
  }

  showPlace() {
    if (!this.recorded) return;
    const { length } = this.recorded;
    const at = this.place?.at ?? 0;
    // while the bar is dragged, pending messages do not move it back
    if (!this.bar.matches(":active")) this.bar.value = String(at);
    this.bar.style.setProperty("--fill", `${(100 * at) / Math.max(length, 1e-9)}%`);
    this.time.textContent = `${clockTime(at)} / ${clockTime(length)}`;
    this.time.title = this.place ? `record ${this.place.record}` : "";
  }
}
