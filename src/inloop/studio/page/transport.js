// Pause, step, speed, reset, menu of mechanisms, and what the loop says of itself.

import { byId, dress, make } from "./dom.js";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const FAILED = ["DIVERGED", "LOOP_OPEN", "CHATTERING", "OUT_OF_BOUNDS"];
const LEVELS = { running: "good", paused: "info", starting: "info" };

export class Transport {
  constructor(connection, notices) {
    this.connection = connection;
    this.notices = notices;
    this.state = null;
    this.can = [];
    this.allow();
    byId("pause").onclick = () => this.toggle();
    byId("step").onclick = () => this.connection.say("step", { count: 1 });
    byId("reset").onclick = () => this.connection.say("reset");
    byId("speed").onchange = (event) =>
      this.connection.say("speed", { factor: Number(event.target.value) });
    byId("plant").onchange = (event) => this.choose(event.target.value, {});
  }

  /** Start a mechanism of the menu, with its options. */
  choose(name, options) {
    this.options = { name, values: options };
    this.connection.say("choose", { name, options });
  }

  /** A plant that is greeted. */
  setPlant({ plant, menu, can }) {
    this.can = can;
    this.plant = plant;
    this.offerOptions(menu.find(({ name }) => name === plant.name)?.options ?? []);
    const known = menu.some(({ name }) => name === plant.name);
    const entries = known ? menu : [plant, ...menu];
    byId("plant").replaceChildren(
      ...entries.map(({ name, title }) =>
        make("option", { value: name, selected: name === plant.name }, title || name),
      ),
    );
    document.body.dataset.plant = plant.name;
    byId("title").textContent = plant.title;
    byId("look-at").textContent = plant.look_at ?? "";
    document.title = `${plant.title} · inloop studio`;
    this.allow();
  }

  /** Controls that do nothing here are out of reach. */
  allow() {
    for (const what of ["pause", "step", "reset", "speed", "record"])
      byId(what).disabled = !this.allowed(what);
    byId("plant").disabled = !this.allowed("choose");
  }

  /** Choices that are made when the model is built. */
  offerOptions(options) {
    byId("option-panel").hidden = !options.length || !this.allowed("choose");
    const chosen = this.options?.name === this.plant.name ? this.options.values : {};
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
        this.plant.name,
        Object.fromEntries(
          fields.map(({ name, field, usual }) => [
            name,
            typeof usual === "boolean" ? field.checked : Number(field.value.replace(",", ".")),
          ]),
        ),
      );
    byId("options").replaceChildren(
      ...fields.map(({ label }) => label),
      make("button", { onclick: build }, "Build anew"),
    );
  }

  allowed(what) {
    return this.can.includes(what);
  }

  toggle() {
    this.connection.say(this.state === "paused" ? "go" : "pause");
  }

  faster(steps) {
    const now = SPEEDS.findIndex((s) => s >= (this.speed ?? 1) * 0.999);
    const next = SPEEDS[Math.min(Math.max(now + steps, 0), SPEEDS.length - 1)];
    this.connection.say("speed", { factor: next });
  }

  show(state) {
    this.state = state.state;
    this.speed = state.speed;
    const paused = state.state === "paused";
    dress(byId("pause"), paused ? "go" : "pause", paused ? "Go" : "Pause");
    byId("pause").setAttribute("aria-pressed", paused);
    byId("time").textContent = state.t === null ? "?" : `${state.t.toFixed(3)} s`;
    const replay = state.source !== undefined && state.source !== "live";
    this.chip(
      replay ? `replay, ${state.state}` : state.state,
      state.notice?.level ?? LEVELS[state.state] ?? "error",
    );
    this.showSpeed(state.speed);
    this.notices.alarm("state", state.notice, this.remedy(state));
  }

  /** What one press can do about it. */
  remedy({ state, status, latched }) {
    if (["ended", "lost"].includes(state) && this.plant && this.allowed("choose")) {
      const { name, values } = this.options ?? { name: this.plant.name, values: {} };
      return { name: "Start again", run: () => this.choose(name, values) };
    }
    if (FAILED.includes(status))
      return { name: "Reset", run: () => this.connection.say("reset") };
    if (latched && this.allowed("go"))
      return { name: "Use inputs", run: () => this.connection.say("go") };
    return null;
  }

  chip(word, level) {
    const chip = byId("chip");
    if (chip.textContent !== word) chip.textContent = word;
    chip.className = `chip ${level}`;
  }

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
