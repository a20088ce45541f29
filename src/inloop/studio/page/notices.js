// Problems and what to do: an alarm over the picture while a condition lasts, and passing notices.

import { byId, icon, make } from "./dom.js";

/** @typedef {import("./messages.js").Told} Told */
/** @typedef {{ name: string, run: () => void }} Action */

const PASSING = { info: 5000, warn: 9000, error: 20000 }; // [ms]
const MOST = 4;

export class Notices {
  constructor() {
    /** @type {Map<string, { notice: Told, action: Action | null, shown: string }>} */
    this.alarms = new Map();
  }

  /**
   * Show a condition by key as long as it lasts; null ends it.
   * @param {string} key
   * @param {Told | null} notice
   * @param {Action | null} [action]
   */
  alarm(key, notice, action = null) {
    const shown = JSON.stringify(notice);
    if (this.alarms.get(key)?.shown === shown) return;
    if (notice) this.alarms.set(key, { notice, action, shown });
    else if (!this.alarms.delete(key)) return;
    this.show();
  }

  /** Show the most severe condition, the newest among equals. */
  show() {
    const box = byId("alarm");
    const grave = { error: 2, warn: 1, info: 0 };
    const [worst] = [...this.alarms.values()]
      .reverse()
      .sort((a, b) => grave[b.notice.level] - grave[a.notice.level]);
    box.hidden = !worst;
    if (!worst) return;
    const { notice, action } = worst;
    box.className = `alarm ${notice.level}`;
    box.replaceChildren(
      make(
        "div",
        {},
        make("strong", {}, notice.text),
        notice.fix ? make("span", {}, notice.fix) : null,
      ),
      ...(action ? [make("button", { onclick: action.run }, action.name)] : []),
    );
  }

  /**
   * A passing notice; it replaces one that differs only in its numbers.
   * @param {{ level: Told["level"], text: string, fix: string }} notice
   */
  toast({ level = "info", text, fix }) {
    const place = byId("notices");
    const kind = text.replace(/\d+/g, "#");
    const same = /** @type {HTMLElement[]} */ ([...place.children]).find(
      (child) => child.dataset.kind === kind,
    );
    const count = Number(same?.dataset.count ?? 0) + 1;
    same?.remove();
    const close = () => element.remove();
    const element = make(
      "div",
      { className: `notice ${level}` },
      make(
        "div",
        {},
        make("strong", {}, text, " ", make("b", {}, count > 1 ? `×${count}` : "")),
        fix ? make("span", {}, fix) : null,
      ),
      make(
        "button",
        { className: "icon tiny", "aria-label": "Close", onclick: close },
        icon("close"),
      ),
    );
    Object.assign(element.dataset, { kind, count: String(count) });
    place.append(element);
    while (place.children.length > MOST) place.firstElementChild?.remove();
    setTimeout(close, PASSING[level] ?? PASSING.info);
  }
}
