// A stiff string that a hammer strikes: its modes, the felt between the two, and the damper.
//
// A string of mass M, length L and tension T has the modes sin(nπx/L) with
//   f_n = n c / (2 L) √(1 + B n²),  c = √(T L / M),  B = π² ε,   losses σ_n = b1 + b3 ω_n²,
// and the hammer pushes all of them through its felt, F = K ξᵖ, ξ the compression:
//   q̈_n + 2 σ_n q̇_n + ω_n² q_n = (2 / M) sin(nπα) F,   m v̇ = -F.
// The audible signal is the force at the bridge, T Σ (nπ/L) (-1)ⁿ q_n, through a first-order low-pass
// that models the soundboard. Faster hammers compress the felt more, which makes it stiffer: they sound brighter.
//
// Data of C4 from A. Chaigne, A. Askenfelt, "Numerical simulations of piano strings", J. Acoust.
// Soc. Am. 95 (1994), doi:10.1121/1.408459. Other notes have the same wire and hammer, with L ∝ 1/f.

const C4 = {
  length: 0.62, // [m]
  mass: 3.93e-3, // [kg]
  stiffness: 3.82e-5, // ε [1]
  b1: 0.5, // [1/s]
  b3: 6.25e-9, // [s]
};
const HAMMER = {
  mass: 2.97e-3, // [kg]
  exponent: 2.5,
  stiffness: 4.5e9, // [N/m^p]
  at: 0.12, // of the length
};
const MIDDLE_C = 60;
const DAMPER = 30; // σ of all modes while the damper lies on the string [1/s]
const BOARD = 3000; // cutoff of the soundboard's low-pass [Hz]
const HIGHEST = 12000; // mode [Hz]
const MOST_MODES = 80;
const FINE = 4; // steps per sample while hammer and string touch
const GONE = 1e-3; // a hammer this far below the string does not return [m]
const LEVEL = 0.036; // of full scale, per newton at the bridge
const SILENT = 1e-5; // [N] at the bridge

/** Fundamental of a MIDI note in equal temperament [Hz]. */
const frequencyOf = (/** @type {number} */ note) => 440 * 2 ** ((note - 69) / 12);

/** Inharmonicity B of a note's string. */
const inharmonicityOf = (/** @type {number} */ note) =>
  Math.PI ** 2 * C4.stiffness * (frequencyOf(note) / frequencyOf(MIDDLE_C)) ** 2;

export class StruckString {
  /** @type {{ at: number, speed: number } | null} */
  hammer = null;

  /** @type {boolean} */
  damped = false;

  /**
   * @param {number} note
   * @param {number} rate samples per second [Hz]
   */
  constructor(note, rate) {
    const first = frequencyOf(note);
    const scale = frequencyOf(MIDDLE_C) / first;
    const B = inharmonicityOf(note);
    const highest = Math.min(HIGHEST, 0.45 * rate);
    this.rate = rate;
    this.mass = scale * C4.mass;
    const length = scale * C4.length;
    // the tension tunes the string
    const tension = (this.mass / length) * ((2 * length * first) ** 2 / (1 + B));
    const f = (/** @type {number} */ n) => n * first * Math.sqrt((1 + B * n * n) / (1 + B));
    let count = 1;
    while (count < MOST_MODES && f(count + 1) < highest) count += 1;
    const modes = Array.from({ length: count }, (_, k) => k + 1);
    this.omega = Float64Array.from(modes, (n) => 2 * Math.PI * f(n));
    this.shape = Float64Array.from(modes, (n) => Math.sin(n * Math.PI * HAMMER.at));
    this.heard = Float64Array.from(modes, (n) => {
      const board = LEVEL / Math.hypot(1, f(n) / BOARD);
      return (board * tension * n * Math.PI * (-1) ** n) / length;
    });
    this.q = new Float64Array(count);
    this.v = new Float64Array(count);
    this.setDamper(false);
  }

  /**
   * Lower the damper onto the string, or lift it.
   * @param {boolean} on
   */
  setDamper(on) {
    this.damped = on;
    this.sample = this.freeMotion(1 / this.rate);
    this.fine = this.freeMotion(1 / (FINE * this.rate));
  }

  /**
   * The exact free motion of all modes over a time h, as entries of 2 by 2 matrices.
   * @param {number} h [s]
   */
  freeMotion(h) {
    const count = this.omega.length;
    const table = {
      qq: new Float64Array(count),
      qv: new Float64Array(count),
      vq: new Float64Array(count),
      vv: new Float64Array(count),
    };
    this.omega.forEach((omega, k) => {
      const sigma = C4.b1 + C4.b3 * omega ** 2 + (this.damped ? DAMPER : 0);
      const rate = Math.sqrt(omega ** 2 - sigma ** 2);
      const [decay, cosine, sine] = [Math.exp(-sigma * h), Math.cos(rate * h), Math.sin(rate * h)];
      table.qq[k] = decay * (cosine + (sigma / rate) * sine);
      table.qv[k] = (decay * sine) / rate;
      table.vq[k] = (-decay * sine * omega ** 2) / rate;
      table.vv[k] = decay * (cosine - (sigma / rate) * sine);
    });
    return table;
  }

  /**
   * A hammer strikes the string, which may still be sounding.
   * @param {number} speed [m/s]
   */
  strike(speed) {
    this.hammer = { at: this.displacement, speed };
  }

  /** Displacement of the string at the striking point [m]. */
  get displacement() {
    let sum = 0;
    for (let k = 0; k < this.q.length; k += 1) sum += this.shape[k] * this.q[k];
    return sum;
  }

  /** Whether the string is audible. */
  get sounds() {
    if (this.hammer) return true;
    let most = 0;
    for (let k = 0; k < this.q.length; k += 1)
      most = Math.max(
        most,
        Math.abs(this.heard[k]) * (Math.abs(this.q[k]) + Math.abs(this.v[k]) / this.omega[k]),
      );
    return most > LEVEL * SILENT;
  }

  /**
   * Add the next samples to the buffer.
   * @param {Float32Array} samples
   */
  render(samples) {
    for (let i = 0; i < samples.length; i += 1) {
      const { hammer } = this;
      if (hammer) for (let part = 0; part < FINE; part += 1) this.touch(hammer);
      else this.move(this.sample);
      let sum = 0;
      for (let k = 0; k < this.q.length; k += 1) sum += this.heard[k] * this.q[k];
      samples[i] += sum;
    }
  }

  /**
   * One fine step with a hammer: the felt's push, then free motion.
   * @param {{ at: number, speed: number }} hammer
   */
  touch(hammer) {
    const h = 1 / (FINE * this.rate);
    const compression = hammer.at - this.displacement;
    if (compression > 0) {
      const impulse = h * HAMMER.stiffness * compression ** HAMMER.exponent;
      hammer.speed -= impulse / HAMMER.mass;
      const push = (2 / this.mass) * impulse;
      for (let k = 0; k < this.v.length; k += 1) this.v[k] += push * this.shape[k];
    } else if (compression < -GONE) this.hammer = null;
    hammer.at += h * hammer.speed;
    this.move(this.fine);
  }

  /** @param {ReturnType<StruckString["freeMotion"]>} [table] */
  move(table = this.sample) {
    if (!table) return;
    const { q, v } = this;
    for (let k = 0; k < q.length; k += 1) {
      const before = q[k];
      q[k] = table.qq[k] * before + table.qv[k] * v[k];
      v[k] = table.vq[k] * before + table.vv[k] * v[k];
    }
  }
}
