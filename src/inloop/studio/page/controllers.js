// The panel of controllers: which one works, its gains, where it leads, and how far off it is.

import { byId, make, makeSvg, press } from "./dom.js";
import { unitName, withPrefix } from "./numbers.js";
import { Row } from "./parameters.js";
import { SetPoint } from "./setpoint.js";

/** @typedef {import("./messages.js").Controllers} Told */
/** @typedef {import("./messages.js").Knob} Knob */
/** @typedef {import("./messages.js").OfferedController} Offered */
/** @typedef {import("./messages.js").Tracking} Tracking */

const SHOWN = 200; // errors in the curve: ten seconds
const [WIDE, HIGH] = [200, 40]; // of the curve
/** @type {Record<string, string>} */
const WORDS = { none: "", starting: "starting …", running: "at work", ended: "has ended" };

export class ControllerPanel {
  /** @type {Told | null} */
  told = null;
  /** @type {Map<string, Row>} */
  rows = new Map();
  /** @type {number[]} */
  errors = [];
  /** @type {string} */
  built = "";

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./view.js").View} view
   */
  constructor(connection, view) {
    this.connection = connection;
    this.setPoint = new SetPoint(view, ({ x, y, z }) => connection.say({ do: "aim", x, y, z }));
    this.choice = make("select", {
      id: "controller",
      "aria-label": "Controller",
      onchange: () => connection.say({ do: "control", name: this.choice.value }),
    });
    this.again = make(
      "button",
      {
        id: "controller-again",
        onclick: () => connection.say({ do: "control", name: this.told?.active ?? "none" }),
      },
      "Start again",
    );
    this.said = make("p", { className: "quiet", role: "status" });
    this.ways = make("div", { className: "ways", role: "group", "aria-label": "Where it leads" });
    this.curve = makeSvg("polyline");
    this.spark = makeSvg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none" });
    this.spark.setAttribute("class", "spark");
    this.spark.append(this.curve);
    this.reading = make("output", { id: "tracking-error" }, "–");
    this.most = make("output", {}, "–");
    this.tracking = make(
      "div",
      { className: "tracking" },
      make("div", { className: "line" }, make("span", {}, "Tracking error"), this.reading),
      this.spark,
      make("div", { className: "line quiet" }, make("span", {}, "most in 10 s"), this.most),
    );
    this.gains = make("div", { className: "rows" });
    this.goals = make("div", { className: "rows" });
    this.pose = make("details", {}, make("summary", {}, "Set-points of the joints"), this.goals);
    byId("controllers").replaceChildren(
      this.choice,
      this.said,
      this.again,
      this.ways,
      this.tracking,
      this.gains,
      this.pose,
    );
  }

  /**
   * Another plant.
   * @param {Told} told
   */
  setPlant(told) {
    this.built = "";
    this.errors = [];
    this.setPoint.clear();
    this.show(told);
  }

  /** @param {Told} told */
  show(told) {
    this.told = told;
    byId("controller-panel").hidden = !told.offered.length;
    const offer = told.offered.find(({ name }) => name === told.active) ?? null;
    const which = JSON.stringify([told.offered.map(({ name }) => name), told.active]);
    if (which !== this.built) this.build(told, offer);
    this.built = which;
    this.choice.value = told.active;
    byId("controller-note").textContent = WORDS[told.state];
    this.said.textContent = told.said || (offer?.doc ?? "");
    this.said.classList.toggle("bad", told.state === "ended");
    this.again.hidden = told.state !== "ended";
    for (const [name, row] of this.rows) if (name in told.values) row.told(told.values[name]);
    for (const button of this.ways.querySelectorAll("button"))
      press(button, button.dataset.path === told.path);
    this.setPoint.setPath(offer?.paths[told.path] ?? []);
    if (told.state !== "running" || !offer?.goals.length) this.lose();
  }

  /**
   * Build what belongs to the controller at work.
   * @param {Told} told
   * @param {Offered | null} offer
   */
  build(told, offer) {
    const names = told.offered.map(({ name, doc }) =>
      make("option", { value: name, title: doc }, name.replaceAll("_", " ")),
    );
    this.choice.replaceChildren(make("option", { value: "none" }, "none"), ...names);
    this.rows.clear();
    const rows = (/** @type {Knob[]} */ knobs) => knobs.map((knob) => this.row(knob).element);
    this.gains.replaceChildren(...rows(offer?.sliders ?? []));
    this.goals.replaceChildren(...rows(offer?.goals ?? []));
    const guided = Boolean(offer?.goals.length);
    this.pose.hidden = this.ways.hidden = this.tracking.hidden = !guided;
    this.ways.replaceChildren(
      this.way("Hold", null, { do: "hold" }),
      this.way("Pose", "pose", { do: "follow", path: "pose" }),
      ...Object.keys(offer?.paths ?? {}).map((path) =>
        this.way(path, path, { do: "follow", path }),
      ),
    );
  }

  /**
   * @param {string} word
   * @param {string | null} path
   * @param {import("./messages.js").Request} request
   */
  way(word, path, request) {
    const button = make("button", { onclick: () => this.connection.say(request) }, word);
    if (path) button.dataset.path = path;
    return button;
  }

  /** @param {Knob} knob */
  row(knob) {
    const { name, value } = knob;
    const send = (/** @type {number} */ x) =>
      this.connection.say({ do: "tune", setting: name, value: x });
    const row = new Row(
      { ...knob, name: name.replace(/^goal\./, ""), unit: unitName(knob.unit), default: value },
      send,
      () => send(value),
    );
    this.rows.set(name, row);
    return row;
  }

  /** @param {Tracking} message */
  track(message) {
    if (this.told?.state !== "running" || message.error === null) return;
    this.setPoint.show(message);
    this.errors.push(message.error);
    if (this.errors.length > SHOWN) this.errors.shift();
    const most = Math.max(...this.errors);
    this.reading.textContent = withPrefix(message.error, "m", 3);
    this.most.textContent = withPrefix(most, "m", 3);
    const points = this.errors.map((error, k) => {
      const [x, y] = [(WIDE * k) / (SHOWN - 1), HIGH * (1 - (0.95 * error) / (most || 1))];
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    this.curve.setAttribute("points", points.join(" "));
  }

  /** No controller leads any more. */
  lose() {
    this.errors = [];
    this.reading.textContent = this.most.textContent = "–";
    this.curve.setAttribute("points", "");
    this.setPoint.wanted = this.setPoint.tool = null;
    this.setPoint.draw();
  }
}
