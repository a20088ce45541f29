// Beginning and end of notes of an embedded plant, as NoteMaker of devices/midi/notes.py.

const [SOFTEST, LOUDEST] = [1, 127];

/** @param {number} speed of the hammer at the string [m/s] */
function midiVelocity(speed) {
  if (!(speed > 0)) return SOFTEST;
  return Math.round(Math.min(Math.max(52 + 25 * Math.log2(speed), SOFTEST), LOUDEST));
}

export class NoteMaker {
  /** @param {import("./plantfacts.js").NoteFacts} facts */
  constructor(facts) {
    this.facts = facts;
    /** @type {number | null} */
    this.since = null; // when the note began [s]
    this.speed = 0;
    this.touching = false;
  }

  /** Return to the initial state. */
  forget() {
    this.since = null;
    this.speed = 0;
    this.touching = false;
  }

  /**
   * Process a record; returns the resulting messages.
   * @param {number} t [s]
   * @param {ArrayLike<number>} record
   * @param {number} at where it begins
   * @returns {Array<import("./messages.js").PlayedNote>}
   */
  hear(t, record, at = 0) {
    const { columns, above, least, apart, longest, note } = this.facts;
    const speed = record[at + columns[0]];
    const contact = record[at + columns[1]] > above[0];
    const damped = record[at + columns[2]] > above[1];
    // the speed of a strike is best read from the sample before
    const strike = contact && !this.touching ? this.speed : 0;
    this.touching = contact;
    this.speed = speed;
    const begun = this.since === null ? Infinity : t - this.since;
    if (strike >= least && !(begun >= 0 && begun < apart)) {
      const messages = this.silence(t);
      this.since = t;
      const velocity = midiVelocity(strike);
      return [...messages, { kind: "note", t, on: true, note, velocity, speed: strike }];
    }
    const over = begun >= longest || (damped && begun >= apart);
    return !contact && over ? this.silence(t) : [];
  }

  /**
   * End the note if there is one.
   * @param {number} t
   * @returns {Array<import("./messages.js").PlayedNote>}
   */
  silence(t) {
    if (this.since === null) return [];
    this.since = null;
    return [{ kind: "note", t, on: false, note: this.facts.note, velocity: 0, speed: 0 }];
  }
}
