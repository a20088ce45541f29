// The panel of controllers: the active one, its gains, its goal and its tracking error.

import { byId, make, makeSvg, press } from "./dom.js";
import { unitName, withPrefix } from "./numbers.js";
import { Row } from "./parameters.js";
import { SetPoint } from "./setpoint.js";

/** @typedef {import("./messages.js").Controllers} Message */
/** @typedef {import("./messages.js").Knob} Knob */
/** @typedef {import("./messages.js").OfferedController} Offered */
/** @typedef {import("./messages.js").Tracking} Tracking */

const SHOWN = 200; // errors in the curve: ten seconds
const [WIDE, HIGH] = [200, 40]; // of the curve
/** @type {Record<string, string>} */
const WORDS = { none: "", starting: "starting …", running: "at work", ended: "has ended" };

export class ControllerPanel {
  /** @type {Message | null} */
  message = null;
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
        onclick: () => connection.say({ do: "control", name: this.message?.active ?? "none" }),
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
   * @param {Message} message
   */
  setPlant(message) {
    this.built = "";
    this.errors = [];
    this.setPoint.clear();
    this.show(message);
  }

  /** @param {Message} message */
  show(message) {
    this.message = message;
    byId("controller-panel").hidden = !message.offered.length;
    const offer = message.offered.find(({ name }) => name === message.active) ?? null;
    const which = JSON.stringify([message.offered.map(({ name }) => name), message.active]);
    if (which !== this.built) this.build(message, offer);
    this.built = which;
    this.choice.value = message.active;
    byId("controller-note").textContent = WORDS[message.state];
    this.said.textContent = message.said || (offer?.doc ?? "");
    this.said.classList.toggle("bad", message.state === "ended");
    this.again.hidden = message.state !== "ended";
    for (const [name, row] of this.rows)
      if (name in message.values) row.receive(message.values[name]);
    for (const button of this.ways.querySelectorAll("button"))
      press(button, button.dataset.path === (message.path || null));
    this.setPoint.setPath(offer?.paths[message.path] ?? []);
    if (message.state !== "running" || !offer?.goals.length) this.lose();
  }

  /**
   * Build the rows and buttons of the active controller.
   * @param {Message} message
   * @param {Offered | null} offer
   */
  build(message, offer) {
    const names = message.offered.map(({ name, doc }) =>
      make("option", { value: name, title: doc }, name.replaceAll("_", " ")),
    );
    this.choice.replaceChildren(make("option", { value: "none" }, "none"), ...names);
    this.rows.clear();
    const rows = (/** @type {Knob[]} */ knobs) => knobs.map((knob) => this.row(knob).element);
    this.gains.replaceChildren(...rows(offer?.sliders ?? []));
    this.goals.replaceChildren(...rows(offer?.goals ?? []));
    const guided = Boolean(offer?.goals.length);
    this.pose.hidden = this.ways.hidden = this.tracking.hidden = !guided;
    const paths = Object.keys(offer?.paths ?? {});
    const follow = (/** @type {string} */ path) => this.connection.say({ do: "follow", path });
    this.ways.replaceChildren(
      this.way("Hold", "", () => this.connection.say({ do: "hold" })),
      this.way("Pose", "pose", () => follow("pose")),
      ...(paths.length ? [this.way("Point", "point", () => this.stay())] : []),
      ...paths.map((path) => this.way(path, path, () => follow(path))),
    );
  }

  /**
   * A button that chooses a goal.
   * @param {string} word
   * @param {string} path
   * @param {() => void} onclick
   */
  way(word, path, onclick) {
    const button = make("button", { onclick }, word);
    button.dataset.path = path;
    return button;
  }

  /** Hold the set-point where it is now; it can be dragged from there. */
  stay() {
    const { wanted } = this.setPoint;
    if (wanted) this.connection.say({ do: "aim", x: wanted.x, y: wanted.y, z: wanted.z });
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
    if (this.message?.state !== "running" || message.error === null) return;
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

  /** No controller is active any more. */
  lose() {
    this.errors = [];
    this.reading.textContent = this.most.textContent = "–";
    this.curve.setAttribute("points", "");
    this.setPoint.wanted = this.setPoint.tool = null;
    this.setPoint.draw();
  }
}
