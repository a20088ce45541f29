// Pause, step, speed, reset, menu of mechanisms, and the status of the loop.

import { byId, dress, inside, make, press } from "./dom.js";

/** @typedef {import("./messages.js").State} State */
/** @typedef {import("./messages.js").Option} Option */
/** @typedef {Record<string, boolean | number | string>} Values */

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const FAILED = ["DIVERGED", "LOOP_OPEN", "CHATTERING", "OUT_OF_BOUNDS", "CONTROLLER_FAILED"];
const LATE =
  "Steps that were late in the last few seconds. Close other programs, slow down time, or start with a lower rate.";
/** @type {Partial<Record<State["state"], string>>} */
const LEVELS = { running: "good", paused: "info", starting: "info" };

export class Transport {
  /** @type {import("./messages.js").Plant | null} */
  plant = null;
  /** @type {{ name: string, values: Values } | undefined} */
  options;
  /** @type {number | null} */
  speed = null;

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./notices.js").Notices} notices
   */
  constructor(connection, notices) {
    this.connection = connection;
    this.notices = notices;
    /** @type {State["state"] | null} */
    this.state = null;
    /** @type {string[]} */
    this.can = [];
    this.allow();
    byId("pause").onclick = () => this.toggle();
    byId("step").onclick = () => this.connection.say({ do: "step", count: 1 });
    byId("reset").onclick = () => this.connection.say({ do: "reset" });
    byId("speed").onchange = () =>
      this.connection.say({ do: "speed", factor: Number(byId("speed").value) });
    byId("plant").onchange = () => this.choose(byId("plant").value, {});
  }

  /**
   * Start a mechanism of the menu, with its options.
   * @param {string} name
   * @param {Values} options
   */
  choose(name, options) {
    this.options = { name, values: options };
    this.connection.say({ do: "choose", name, options });
  }

  /**
   * Set up the controls for a plant.
   * @param {import("./messages.js").Hello} hello
   */
  setPlant({ plant, menu, can }) {
    this.can = can;
    this.plant = plant;
    this.offerOptions(plant.name, menu.find(({ name }) => name === plant.name)?.options ?? []);
    const known = menu.some(({ name }) => name === plant.name);
    const entries = known ? menu : [plant, ...menu];
    byId("plant").replaceChildren(
      ...entries.map(({ name, title }) =>
        make("option", { value: name, selected: name === plant.name }, title || name),
      ),
    );
    // a single plant needs no menu
    byId("plant").parentElement?.toggleAttribute("hidden", plant.own && !menu.length);
    document.body.dataset.plant = plant.name;
    byId("title").textContent = plant.title;
    byId("look-at").textContent = plant.look_at;
    showRemarks(plant.remarks);
    document.title = `${plant.title} · inloop studio`;
    this.allow();
  }

  /** Disable controls that have no effect here. */
  allow() {
    const controls = /** @type {const} */ (["pause", "step", "reset", "speed", "record"]);
    for (const what of controls) byId(what).disabled = !this.allowed(what);
    byId("plant").disabled = !this.allowed("choose");
  }

  /**
   * Offer options that apply when the model is built.
   * @param {string} plant
   * @param {Option[]} options
   */
  offerOptions(plant, options) {
    byId("option-panel").hidden = !options.length || !this.allowed("choose");
    const chosen = this.options?.name === plant ? this.options.values : {};
    const fields = options.map(({ name, default: usual, doc, range, allowed }) => {
      const value = chosen[name] ?? usual;
      const field =
        typeof usual === "boolean"
          ? make("input", { type: "checkbox", checked: value })
          : make("input", { type: "text", inputMode: "decimal", value: String(value) });
      return {
        name,
        field,
        usual,
        label: make(
          "label",
          { className: "option", title: `${doc} (${allowed})` },
          make("span", {}, name.replaceAll("_", " ")),
          make("span", { className: "quiet range" }, range ? `${range[0]} … ${range[1]}` : ""),
          field,
        ),
      };
    });
    const build = () =>
      this.choose(
        plant,
        Object.fromEntries(
          fields.map(({ name, field, usual }) => [
            name,
            typeof usual === "boolean" ? field.checked : Number(field.value.replace(",", ".")),
          ]),
        ),
      );
    byId("options").replaceChildren(
      ...fields.map(({ label }) => label),
      make("button", { onclick: build }, "Rebuild"),
    );
  }

  /** @param {import("./messages.js").Request["do"]} what */
  allowed(what) {
    return this.can.includes(what);
  }

  toggle() {
    this.connection.say({ do: this.state === "paused" ? "go" : "pause" });
  }

  /** @param {number} steps */
  faster(steps) {
    const now = SPEEDS.findIndex((s) => s >= (this.speed ?? 1) * 0.999);
    const next = SPEEDS[Math.min(Math.max(now + steps, 0), SPEEDS.length - 1)];
    this.connection.say({ do: "speed", factor: next });
  }

  /** @param {State} state */
  show(state) {
    this.state = state.state;
    this.speed = state.speed;
    const paused = state.state === "paused";
    dress(byId("pause"), paused ? "go" : "pause", paused ? "Go" : "Pause");
    press(byId("pause"), paused);
    byId("time").title = `step ${state.step}`;
    byId("time").textContent = state.t === null ? "?" : `${state.t.toFixed(3)} s`;
    const replay = state.source !== "live";
    const late = state.late ? `, ${state.late} late` : "";
    this.chip(
      `${replay ? "replay, " : ""}${state.state}${late}`,
      state.notice?.level ?? (late ? "warn" : (LEVELS[state.state] ?? "error")),
      state.late ? LATE : "",
    );
    this.showSpeed(state.speed ?? 1);
    this.notices.alarm("state", state.notice, this.remedy(state));
  }

  /**
   * The action offered with a notice.
   * @param {State} state
   */
  remedy({ state, status, latched }) {
    if (["ended", "lost"].includes(state) && this.allowed("restart"))
      return { name: "Start again", run: () => this.connection.say({ do: "restart" }) };
    if (FAILED.includes(status))
      return { name: "Reset", run: () => this.connection.say({ do: "reset" }) };
    if (latched && this.allowed("go"))
      return { name: "Use inputs", run: () => this.connection.say({ do: "go" }) };
    return null;
  }

  /**
   * @param {string} word
   * @param {string} level
   * @param {string} [title]
   */
  chip(word, level, title = "") {
    const chip = byId("chip");
    if (chip.textContent !== word) chip.textContent = word;
    chip.className = `chip ${level}`;
    chip.title = title;
  }

  /** @param {number} speed */
  showSpeed(speed) {
    const select = byId("speed");
    if (document.activeElement === select && select.options.length) return;
    const values = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
    if (select.options.length !== values.length) {
      select.replaceChildren(
        ...values.map((s) =>
          make("option", { value: s }, s < 1 ? `1/${Math.round(1 / s)}` : `${s}×`),
        ),
      );
    }
    select.value = String(speed);
  }
}

/**
 * Show what was left out of the file, or added to it.
 * @param {string[]} remarks
 */
function showRemarks(remarks) {
  const panel = byId("remarks");
  panel.hidden = !remarks.length;
  inside(panel, "summary").textContent = `${remarks.length} notes on the file`;
  inside(panel, "ul").replaceChildren(...remarks.map((text) => make("li", {}, text)));
}
