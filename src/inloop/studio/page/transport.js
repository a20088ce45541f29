// Pause, step, speed, reset, menu of mechanisms, and what the loop says of itself.

import { byId, dress, make } from "./dom.js";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const WORDS = { running: "running", paused: "paused", ended: "ended", lost: "lost", replaying: "replay" };

export class Transport {
  constructor(connection, notices) {
    this.connection = connection;
    this.notices = notices;
    this.state = null;
    this.can = null;
    byId("pause").onclick = () => this.toggle();
    byId("step").onclick = () => this.connection.say("step", { count: 1 });
    byId("reset").onclick = () => this.connection.say("reset");
    byId("speed").onchange = (event) => this.connection.say("speed", { factor: Number(event.target.value) });
    byId("plant").onchange = (event) => {
      this.connection.say("choose", { name: event.target.value });
      this.notices.alarm("choosing", { level: "info", text: `Building ${event.target.selectedOptions[0].textContent} …`, fix: "The first time a mechanism is compiled; after that it starts at once." });
    };
  }

  /** A plant that is greeted. */
  setPlant({ plant, menu, can }) {
    this.can = can;
    this.notices.alarm("choosing", null);
    const known = menu.some(({ name }) => name === plant.name);
    const entries = known ? menu : [plant, ...menu];
    byId("plant").replaceChildren(...entries.map(({ name, title }) =>
      make("option", { value: name, selected: name === plant.name }, title || name)));
    byId("title").textContent = plant.title;
    byId("look-at").textContent = plant.look_at ?? "";
    document.title = `${plant.title} · inloop studio`;
    for (const what of ["step", "reset", "speed", "record"]) byId(what).disabled = !this.allowed(what);
    byId("pause").disabled = !this.allowed("pause");
    byId("plant").disabled = !this.allowed("choose");
  }

  allowed(what) {
    return this.can === null || this.can.includes(what);
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
    byId("time").textContent = `${state.t.toFixed(3)} s`;
    this.chip(WORDS[state.state] ?? state.state, state.notice?.level ?? (state.state === "running" ? "good" : state.state === "paused" ? "info" : "error"));
    this.showSpeed(state.speed);
    const fresh = { ended: { name: "Start again", run: () => this.connection.say("reset") } }[state.state];
    this.notices.alarm("state", state.notice, fresh ?? null);
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
      select.replaceChildren(...values.map((s) => make("option", { value: s }, s < 1 ? `1/${Math.round(1 / s)}` : `${s}×`)));
    }
    select.value = String(speed);
  }
}
