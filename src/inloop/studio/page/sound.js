// Sound of a piano: strings struck with the speed of the plant's hammer.

import { address } from "./carried.js";
import { byId, dress, press } from "./dom.js";
import { Voices } from "./voices.js";

const KEPT = "inloop.sound";
const FASTEST = 9; // hammer [m/s]: a faster one has diverged
const BEAT = 1 / 60; // period with which the studio reports notes [s]

export class Sound {
  /** @type {AudioContext | null} */
  context = null;

  /** @type {Promise<void> | null} */
  opening = null;

  /** @type {GainNode | null} */
  gain = null;

  /** @type {AudioWorkletNode | null} */
  strings = null;

  /** @type {Voices | null} */
  voices = null;

  /** @type {import("./messages.js").Voice[]} */
  declared = [];

  /** @type {MediaStreamAudioDestinationNode | null} */
  recorded = null;

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./notices.js").Notices} notices
   */
  constructor(connection, notices) {
    this.connection = connection;
    this.notices = notices;
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    this.on = kept.on === true;
    this.volume = Number.isFinite(kept.volume) ? Math.min(Math.max(kept.volume, 0), 1) : 0.7;
    byId("volume").value = String(this.volume);
    byId("volume").oninput = () => this.setVolume(Number(byId("volume").value));
    byId("sound").onclick = () => this.switch(!this.on);
    // browsers allow sound only after a user action on the page
    for (const gesture of ["pointerdown", "keydown"])
      window.addEventListener(gesture, () => this.wake(), { capture: true });
    this.show();
  }

  /**
   * A new plant: show the controls if it makes a sound.
   * @param {boolean} plays notes
   * @param {import("./messages.js").Voice[]} voices
   */
  setPlant(plays, voices) {
    this.playing = plays || voices.length > 0;
    byId("sound-panel").hidden = !this.playing;
    this.declared = voices;
    this.voices?.close();
    this.voices = null;
    this.raise();
    this.show();
  }

  /** @param {boolean} on */
  switch(on) {
    this.on = on;
    this.keep();
    if (on) this.wake();
    else this.context?.suspend();
    this.show();
  }

  /** @param {number} volume */
  setVolume(volume) {
    this.volume = volume;
    // perceived loudness: half of the range sounds about half as loud
    if (this.gain) this.gain.gain.value = volume ** 2;
    this.keep();
  }

  keep() {
    localStorage.setItem(KEPT, JSON.stringify({ on: this.on, volume: this.volume }));
  }

  /** Start sound, after a user action. */
  async wake() {
    if (!this.on || !this.playing) return;
    try {
      this.opening ??= this.open();
      await this.opening;
      if (this.context?.state === "suspended") await this.context.resume();
    } catch (error) {
      this.on = false;
      this.opening = null;
      this.notices.toast({
        level: "error",
        text: `there is no sound: ${/** @type {Error} */ (error).message}`,
        fix: "Does this machine have a sound card that the browser may use?",
      });
    }
    this.show();
  }

  /** Start voices of the plant, if sound is on. */
  raise() {
    if (!this.context || !this.gain || this.voices || !this.declared.length) return;
    this.voices = new Voices(this.context, this.gain, this.declared);
  }

  /**
   * Update voices from signals.
   * @param {(signals: string[]) => number[]} values
   */
  follow(values) {
    if (this.on) this.voices?.follow(values);
  }

  /** Connect strings and volume to two outputs: the loudspeaker, and a video. */
  async open() {
    const context = new AudioContext({ latencyHint: "interactive" });
    await context.audioWorklet.addModule(address("stringprocessor.js"));
    const strings = new AudioWorkletNode(context, "strings", {
      numberOfInputs: 0,
      outputChannelCount: [1],
    });
    this.gain = new GainNode(context, { gain: this.volume ** 2 });
    this.recorded = new MediaStreamAudioDestinationNode(context);
    strings.connect(this.gain);
    this.gain.connect(context.destination);
    this.gain.connect(this.recorded);
    this.strings = strings;
    this.context = context;
    this.raise();
  }

  /**
   * A note begins or ends.
   * @param {import("./messages.js").PlayedNote} played
   */
  play({ on, note, speed }) {
    if (!this.on) return;
    if (!on) this.strings?.port.postMessage({ note, damp: true });
    else if (speed !== null && speed > 0)
      this.strings?.port.postMessage({ note, speed: Math.min(speed, FASTEST) });
    this.show();
  }

  /** Approximate delay from the strike to the ear [s]; null without sound. */
  get latency() {
    if (this.context?.state !== "running") return null;
    const way = (this.connection.roundTrip ?? 0) / 2000 + BEAT / 2;
    return way + this.context.baseLatency + (this.context.outputLatency || 0);
  }

  /** Sound track for a video; null without sound. */
  get track() {
    return (this.latency !== null && this.recorded?.stream.getAudioTracks()[0]) || null;
  }

  show() {
    press(byId("sound"), this.on);
    dress(byId("sound"), this.on ? "sound" : "silent", this.on ? "Sound off" : "Sound on");
    byId("volume").hidden = !this.on;
    const { latency } = this;
    const late = latency === null ? "" : `${Math.round(1000 * latency)} ms`;
    byId("sound-hint").textContent = this.on ? late || "Click anywhere to hear it" : "";
    byId("sound-hint").title = late ? `The blow is heard after about ${late}` : "";
  }
}
