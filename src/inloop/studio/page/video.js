// A video of the picture, with the sound of the piano, recorded and kept in the page until it is saved.
//
// The picture is drawn in another thread, on a transparent canvas. Each new picture is copied over the
// background of the theme, in a second canvas, which the browser records.

import { byId, dress, icon, make, press } from "./dom.js";
import { figure } from "./numbers.js";
import { clockTime } from "./timeline.js";

const KINDS = [
  ["video/webm;codecs=vp9,opus", "webm"],
  ["video/webm;codecs=vp8,opus", "webm"],
  ["video/webm", "webm"],
  ["video/mp4", "mp4"],
];
const RATE = 30; // pictures per second
const QUALITY = 8e6; // [bit/s]
const LARGEST = 1e9; // bytes, all in the memory of the browser
const PIECE = 1000; // duration of the parts delivered by the browser [ms]

export class Video {
  /** @type {MediaRecorder | null} */
  recorder = null;

  /** @type {number} */
  bytes = 0;

  /**
   * @param {import("./view.js").View} view
   * @param {import("./sound.js").Sound} sound
   * @param {import("./notices.js").Notices} notices
   */
  constructor(view, sound, notices) {
    this.view = view;
    this.sound = sound;
    this.notices = notices;
    this.picture = document.createElement("canvas");
    byId("video").onclick = () => this.toggle();
  }

  get on() {
    return this.recorder !== null;
  }

  toggle() {
    if (this.recorder) this.recorder.stop();
    else this.start();
  }

  start() {
    const [type, ending] = KINDS.find(([kind]) => MediaRecorder.isTypeSupported(kind)) ?? [];
    try {
      if (!type || !ending) throw new Error("it supports no video format");
      this.record(type, ending);
    } catch (error) {
      const words = /** @type {Error} */ (error).message;
      const text = `this browser cannot record a video: ${words}`;
      this.notices.toast({ level: "error", text, fix: "Try another browser." });
    }
    this.show();
  }

  /**
   * @param {string} type
   * @param {string} ending
   */
  record(type, ending) {
    this.draw();
    const stream = this.picture.captureStream(RATE);
    const { track } = this.sound;
    if (track) stream.addTrack(track);
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: QUALITY });
    /** @type {Blob[]} */
    const parts = [];
    const begin = performance.now();
    this.bytes = 0;
    recorder.ondataavailable = ({ data }) => {
      parts.push(data);
      this.bytes += data.size;
      byId("video").title = `Stop the video: ${clockTime((performance.now() - begin) / 1000)}`;
      if (this.bytes > LARGEST && recorder.state === "recording") this.full(recorder);
    };
    recorder.onstop = () => {
      for (const each of stream.getVideoTracks()) each.stop();
      this.recorder = null;
      const name = `${byId("plant").value.replace(/[^\w.-]+/g, "_")}_${stampOf(new Date())}.${ending}`;
      this.offer(new Blob(parts, { type: type.split(";")[0] }), name);
      this.show();
    };
    recorder.start(PIECE);
    this.recorder = recorder;
    requestAnimationFrame(() => this.tick());
  }

  /** @param {MediaRecorder} recorder */
  full(recorder) {
    recorder.stop();
    const text = `the video stopped at ${figure(LARGEST / 1e9)} GB`;
    this.notices.toast({ level: "warn", text, fix: "Save it, and start another one." });
  }

  tick() {
    if (!this.recorder) return;
    this.draw();
    requestAnimationFrame(() => this.tick());
  }

  /** Draw the newest picture, with its simulated time. */
  draw() {
    const { canvas, palette, shown } = this.view;
    const { picture } = this;
    if (!this.recorder) {
      // encoders need even sizes that do not change
      picture.width = Math.max(canvas.clientWidth & ~1, 2);
      picture.height = Math.max(canvas.clientHeight & ~1, 2);
    }
    const ink = /** @type {CanvasRenderingContext2D} */ (
      picture.getContext("2d", { alpha: false })
    );
    ink.fillStyle = palette.stage;
    ink.fillRect(0, 0, picture.width, picture.height);
    ink.drawImage(canvas, 0, 0, picture.width, picture.height);
    ink.fillStyle = palette.muted;
    ink.font = "14px system-ui, sans-serif";
    if (shown) ink.fillText(`${shown.before.t.toFixed(2)} s`, 12, picture.height - 12);
  }

  /**
   * Offer a link to save it, as long as the page is open.
   * @param {Blob} blob
   * @param {string} name
   */
  offer(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = make(
      "a",
      {
        className: "icon tiny",
        href: address,
        download: name,
        title: "Save",
        "aria-label": `Save ${name}`,
      },
      icon("down"),
    );
    const drop = () => {
      URL.revokeObjectURL(address);
      row.remove();
    };
    const row = make(
      "li",
      {},
      make("span", { className: "name" }, name),
      make("span", { className: "quiet" }, `${figure(blob.size / 1e6, 3)} MB`),
      link,
      make(
        "button",
        { className: "icon tiny", title: "Forget", "aria-label": `Forget ${name}`, onclick: drop },
        icon("close"),
      ),
    );
    byId("videos").append(row);
    byId("recording-panel").hidden = false;
    byId("recording-panel").open = true;
    link.click();
  }

  show() {
    press(byId("video"), this.on);
    dress(byId("video"), "video", this.on ? "Stop the video" : "Record a video");
    if (!this.on) byId("video").title = "Record a video (O)";
  }
}

/**
 * A date for the name of a file.
 * @param {Date} date
 */
const stampOf = (date) => date.toISOString().slice(0, 19).replaceAll(":", "-").replace("T", "_");
