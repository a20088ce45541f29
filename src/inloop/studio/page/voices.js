// Sounds that follow signals: tones, such as those of an engine, and noise, such as that of tires and wind.

import { sounding } from "./sounding.js";

/** @typedef {import("./messages.js").Voice} Voice */

const SMOOTH = 0.04; // time constant with which sounds follow [s]
const NOISE = 2; // period of the noise [s]

/** Sounds of one plant, in a context of the browser. */
export class Voices {
  /**
   * @param {AudioContext} context
   * @param {AudioNode} out
   * @param {Voice[]} declared
   */
  constructor(context, out, declared) {
    this.context = context;
    const noise = makeNoise(context);
    this.voices = declared.map((voice) => {
      const gain = new GainNode(context, { gain: 0 });
      const filter = new BiquadFilterNode(context, {
        type: voice.kind === "tone" ? "lowpass" : "bandpass",
        frequency: voice.kind === "tone" ? 900 : voice.pitch,
        Q: voice.kind === "tone" ? 0.7 : 1.2,
      });
      /** @type {Array<OscillatorNode | AudioBufferSourceNode>} */
      const sources =
        voice.kind === "tone"
          ? [1, 0.5].map((_) => new OscillatorNode(context, { type: "sawtooth", frequency: 30 }))
          : [new AudioBufferSourceNode(context, { buffer: noise, loop: true })];
      for (const source of sources) {
        source.connect(filter);
        source.start();
      }
      filter.connect(gain);
      gain.connect(out);
      return { voice, gain, filter, sources };
    });
  }

  /**
   * Update sounds from signals.
   * @param {(signals: string[]) => number[]} values of signals
   */
  follow(values) {
    const now = this.context.currentTime;
    for (const { voice, gain, filter, sources } of this.voices) {
      const { frequency, loudness } = sounding(voice, values);
      gain.gain.setTargetAtTime(loudness, now, SMOOTH);
      if (voice.kind !== "tone") continue;
      sources.forEach((source, k) => {
        if (source instanceof OscillatorNode)
          source.frequency.setTargetAtTime(frequency / (k + 1), now, SMOOTH);
      });
      // louder tones are brighter
      filter.frequency.setTargetAtTime(4 * frequency + 1500 * loudness, now, SMOOTH);
    }
  }

  close() {
    for (const { sources, gain } of this.voices) {
      for (const source of sources) source.stop();
      gain.disconnect();
    }
    this.voices = [];
  }
}

/** @param {AudioContext} context */
function makeNoise(context) {
  const length = NOISE * context.sampleRate;
  const buffer = new AudioBuffer({ length, sampleRate: context.sampleRate });
  const samples = buffer.getChannelData(0);
  for (let k = 0; k < length; k += 1) samples[k] = 2 * Math.random() - 1;
  return buffer;
}
