// For a riding viewer: a choice of cameras, instruments, levers; all declared by the exhibit.

import { byId, make, press } from "./dom.js";
import { makeGauge, together } from "./gauges.js";
import { Ghost } from "./ghost.js";
import { keyName } from "./handpanel.js";
import { LeverPad } from "./leverpads.js";
import { Levers } from "./levers.js";
import { Ride } from "./ride.js";
import { Surprise } from "./surprise.js";

const FREE = "Free";
const [VIEW_BUTTON, RESET_BUTTON] = [8, 9]; // "select" and "start"; on wheels "share" and "options"
/** Status texts of the box that appears. */
const STANDS = { off: "", waiting: "", ahead: "Obstacle!", passed: "Passed", hit: "Hit" };
const PERIOD = { quick: 30, slow: 250 }; // between two updates of the instruments [ms]

export class CockpitView {
  /** @type {import("./messages.js").Cockpit | null} */
  declared = null;
  /** @type {Array<{ show: (values: number[]) => void, element: HTMLElement, at: number[] }>} */
  gauges = [];
  /** @type {LeverPad[]} */
  pads = [];
  live = true; // not a recording, which can be rewound
  chosen = 0; // index of the camera; the number of cameras stands for the free one
  plant = "";
  /** @type {import("./sound.js").Sound | null} */
  sound = null;
  surprise = new Surprise(null, -1, 0);
  /** @type {import("./blindtest.js").BlindTest | null} */
  blind = null;
  seed = crypto.getRandomValues(new Uint32Array(1))[0];
  shown = -Infinity; // when instruments were last updated [ms]

  /**
   * @param {import("./view.js").View} view
   * @param {import("./inputs.js").Inputs} inputs
   */
  constructor(view, inputs) {
    this.view = view;
    this.ride = new Ride(view);
    this.ghost = new Ghost();
    view.ghostAt = (t) => this.ghost.at(t);
    byId("ghost").onclick = () => {
      this.ghost.on = !this.ghost.on;
      press(byId("ghost"), this.ghost.on);
      view.changed = true;
    };
    view.boxAt = (t) => this.surprise.at(t);
    byId("surprise").onclick = () => {
      if (this.surprise.stand === "off") this.surprise.arm();
      else this.surprise.disarm();
      view.changed = true;
    };
    const calls = new Map([
      [VIEW_BUTTON, () => this.next()],
      [RESET_BUTTON, () => byId("reset").click()],
    ]);
    this.levers = new Levers(inputs, (signals) => this.size(signals), calls);
    view.afterFrame.push(() => this.show());
  }

  /**
   * @param {string} name of the plant
   * @param {import("./messages.js").Cockpit | null} cockpit
   * @param {import("./messages.js").Input[]} inputs
   * @param {boolean} live whether it runs and can be driven; otherwise it is a recording
   */
  setPlant(name, cockpit, inputs, live) {
    this.live = live;
    const same = this.plant === name && cockpit?.cameras.length === this.declared?.cameras.length;
    this.plant = name;
    if (!same) this.ghost.clear();
    this.declared = cockpit;
    this.levers.setPlant(live ? (cockpit?.levers ?? []) : [], inputs);
    this.pads = this.levers.states.map((state) => new LeverPad(state));
    this.gauges = (cockpit?.gauges ?? []).map((gauge) =>
      Object.assign(makeGauge(gauge), { at: this.columns(gauge.signals) }),
    );
    this.setSurprise(cockpit, live);
    this.lay();
    this.hint();
    if (!same) this.chosen = 0;
    this.choose(this.chosen);
    for (const pad of this.pads) pad.show();
  }

  /**
   * Set up the obstacle that may appear, and the blind test that uses it.
   * @param {import("./messages.js").Cockpit | null} cockpit
   * @param {boolean} live
   */
  setSurprise(cockpit, live) {
    const scenery = live ? (cockpit?.scenery ?? null) : null;
    const bodies = this.view.scene?.bodies ?? [];
    const body = bodies.findIndex(({ name }) => name === scenery?.outline.body);
    this.surprise = new Surprise(scenery, body, this.seed);
    this.blind?.setPlant(cockpit?.blind ?? null, cockpit?.signals ?? [], this.surprise, this.seed);
    byId("surprise").hidden = !this.surprise.declared;
  }

  /** Show which keys control which lever. */
  hint() {
    const led = this.levers.states.filter(({ lever }) => lever.way === "ramp" && lever.more.length);
    if (!led.length) return;
    const words = led.map(({ lever: { name, more, less } }) => {
      const keys = [more[0], less[0]].flatMap((key) => (key ? [keyName(key)] : [])).join(" ");
      return `${name} ${keys}`;
    });
    byId("hand-hint").textContent = [...words, "camera C"].join(" · ");
  }

  /** Lay out cameras, gauges and pads. */
  lay() {
    const { gauges, pads, declared } = this;
    byId("cockpit").hidden = !declared;
    document.body.classList.toggle("riding", !!declared?.cameras.length);
    const names = declared?.cameras.length ? [...declared.cameras.map((c) => c.name), FREE] : [];
    byId("cameras").replaceChildren(
      ...names.map((word, k) => make("button", { onclick: () => this.choose(k) }, word)),
    );
    byId("cameras").hidden = !names.length;
    const across = pads.filter((pad) => pad.across && pad.state.lever.way === "ramp");
    const upright = pads.filter((pad) => !pad.across && pad.state.lever.way === "ramp");
    const switches = pads.filter((pad) => pad.state.lever.way !== "ramp");
    const bars = gauges.filter(({ element }) => element.classList.contains("bar-gauge"));
    const round = gauges.filter((gauge) => !bars.includes(gauge));
    /** @param {Array<{ element: HTMLElement }>} list */
    const elements = (list) => list.map(({ element }) => element);
    byId("cockpit-left").replaceChildren(...elements(across), ...elements(switches));
    byId("cockpit-middle").replaceChildren(...elements(round), ...elements(bars));
    byId("cockpit-right").replaceChildren(...elements(upright));
  }

  /**
   * Choose a camera by its number.
   * @param {number} number
   */
  choose(number) {
    const cameras = this.declared?.cameras ?? [];
    this.chosen = Math.min(number, cameras.length);
    this.ride.take(cameras[this.chosen] ?? null, cameras[0]?.body ?? null);
    [...byId("cameras").children].forEach((button, k) => {
      press(/** @type {HTMLElement} */ (button), k === this.chosen);
    });
    this.view.changed = true;
  }

  /** The next camera. */
  next() {
    const count = this.declared?.cameras.length ?? 0;
    if (count) this.choose((this.chosen + 1) % (count + 1));
  }

  /**
   * Called for each frame of poses; those of a running plant are kept for the ghost.
   * @param {import("./frames.js").Poses} frame
   */
  see(frame) {
    if (!this.declared || !this.live) return;
    this.ghost.add(frame);
    this.surprise.see(frame);
    this.blind?.see(frame);
  }

  /** @param {string[]} signals */
  columns(signals) {
    return signals.map((name) => this.declared?.signals.indexOf(name) ?? -1);
  }

  /**
   * Root of the sum of squares of signals, at the time shown.
   * @param {string[]} signals
   */
  size(signals) {
    const { readings } = this.view;
    const values = this.columns(signals).map((k) => readings[k] ?? 0);
    return together(
      values.map((value) => (Number.isFinite(value) ? value : 0)),
      "size",
    );
  }

  show() {
    const now = performance.now();
    const { readings, slow } = this.view;
    if (!this.declared || now - this.shown < (slow ? PERIOD.slow : PERIOD.quick)) return;
    this.shown = now;
    this.score();
    byId("ghost").hidden = !this.ghost.earlier.length;
    this.sound?.follow((signals) => this.columns(signals).map((k) => readings[k] ?? 0));
    for (const gauge of this.gauges) gauge.show(gauge.at.map((k) => readings[k] ?? Number.NaN));
    for (const pad of this.pads) pad.show();
  }

  /** Show the number of cones knocked over, and the status of the box. */
  score() {
    const { fallen } = this.view;
    const { stand, hits } = this.surprise;
    press(byId("surprise"), stand !== "off");
    const words = [
      fallen ? `${fallen} cone${fallen > 1 ? "s" : ""} down` : "",
      STANDS[stand],
      hits ? `${hits} hit so far` : "",
    ].filter(Boolean);
    byId("score").textContent = words.join(" · ");
    byId("score").classList.toggle("alert", stand === "ahead" || stand === "hit");
  }
}
