// Panels that a plant adds (device chain: energy, stable range of stiffness) and notes that it plays.

import { byId, make } from "./dom.js";
import { figure } from "./numbers.js";

const NAMES = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"];
const TITLES = { energy: "Energy", device_chain: "Device chain", stability: "Stability" };

/** Name of a MIDI note: 60 is C4. */
export const noteName = (note) => `${NAMES[note % 12]}${Math.floor(note / 12) - 1}`;

export class Extras {
  constructor() {
    this.panels = new Map();
  }

  clear() {
    this.panels.clear();
    byId("extra").replaceChildren();
    byId("note").hidden = true;
  }

  /** A panel: numbers as figures, lists of numbers as lines, ranges as bars. */
  show({ name, data }) {
    let panel = this.panels.get(name);
    if (!panel) {
      const body = make("div", { className: "body free" });
      const title = data.title ?? TITLES[name] ?? name.replaceAll("_", " ");
      byId("extra").append(
        make(
          "details",
          { open: true, id: `panel-${name}` },
          make("summary", {}, make("h2", {}, title)),
          body,
        ),
      );
      panel = body;
      this.panels.set(name, panel);
    }
    panel.replaceChildren(
      ...Object.entries(data)
        .filter(([key]) => key !== "title")
        .map(([key, value]) => entry(key, value))
        .filter(Boolean),
    );
  }

  /** A note: its name and how hard it was struck; it fades when it ends. */
  note({ note, velocity, on = true }) {
    const place = byId("note");
    place.classList.toggle("ended", !on);
    if (!on) return;
    const bar = make("i");
    bar.style.width = `${(100 * velocity) / 127}%`;
    place.replaceChildren(
      make("strong", {}, noteName(note)),
      make("span", {}, `velocity ${velocity}`),
      make("div", { className: "bar" }, bar),
    );
    place.hidden = false;
    place.classList.remove("struck");
    void place.offsetWidth; // start the animation anew
    place.classList.add("struck");
    clearTimeout(this.fading);
    this.fading = setTimeout(() => {
      place.hidden = true;
    }, 4000);
  }
}

function entry(key, value) {
  const label = key.replaceAll("_", " ");
  if (typeof value === "number") return line(label, figure(value, 4));
  if (typeof value === "boolean") return line(label, value ? "yes" : "no");
  if (typeof value === "string") return line(label, value);
  if (Array.isArray(value) && value.length > 1 && value.every(Number.isFinite))
    return spark(label, value);
  if (value && typeof value === "object" && "low" in value && "high" in value)
    return range(label, value);
  if (value && typeof value === "object" && "value" in value)
    return line(value.label ?? label, `${figure(value.value, 4)} ${value.unit ?? ""}`);
  return null;
}

const line = (label, text) =>
  make("div", { className: "line" }, make("span", {}, label), make("output", {}, text));

/** Where a value is in the range that is stable: computed, and measured if it was. */
function range(label, { value, low, high, measured, unit = "" }) {
  const top = 1.25 * Math.max(high, measured ?? 0, value ?? 0, 1e-12);
  const at = (x) => `${(100 * x) / top}%`;
  const safe = make("i", { className: "safe" });
  safe.style.left = at(Math.max(low, 0));
  safe.style.width = at(Math.max(high - Math.max(low, 0), 0));
  const marks = [
    [value, value > high ? "now bad" : "now"],
    [measured, "measured"],
  ]
    .filter(([x]) => Number.isFinite(x))
    .map(([x, name]) => {
      const mark = make("i", { className: name });
      mark.style.left = at(x);
      return mark;
    });
  const words = [
    `stable to ${figure(high, 4)} ${unit}`,
    Number.isFinite(measured) ? `measured ${figure(measured, 4)} ${unit}` : null,
  ]
    .filter(Boolean)
    .join(" · ");
  return make(
    "div",
    { className: "range" },
    make(
      "div",
      { className: "line" },
      make("span", {}, label),
      make(
        "output",
        { className: value > high ? "bad" : "" },
        Number.isFinite(value) ? `${figure(value, 4)} ${unit}` : "",
      ),
    ),
    make("div", { className: "band" }, safe, ...marks),
    make("p", { className: "quiet" }, words),
  );
}

/** A small line of the newest numbers. */
function spark(label, values) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 300 40");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "spark");
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = (v) => 38 - (36 * (v - least)) / (most - least || 1);
  const parts = [
    ["zero", `M0 ${y(0)}H300`],
    [
      "path",
      values.map((v, i) => `${i ? "L" : "M"}${(300 * i) / (values.length - 1)} ${y(v)}`).join(""),
    ],
  ];
  for (const [name, d] of parts) {
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", d);
    path.setAttribute("class", name);
    svg.append(path);
  }
  return make("div", {}, line(label, figure(values.at(-1), 4)), svg);
}
