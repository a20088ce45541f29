// The structure of the mechanism: a tree of bodies, details of the selected one, marks in the
// picture, and sliders that set joints.

import { BodyDetails } from "./bodydetails.js";
import { byId, make, press } from "./dom.js";
import { JointRows } from "./jointrows.js";
import { boxOf } from "./overlays.js";

/** @typedef {import("./messages.js").Anatomy} Anatomy */
/** @typedef {import("./messages.js").InspectedBody} InspectedBody */

const NONE = -1;
const STILL = 5; // a press that moves less is a click [px]
const REACH = { mouse: 3, pen: 8, touch: 16 }; // a click this close to a body selects it [px]
const MANY = 8; // bodies, from which there is a search field
const PERIOD = 100; // between two updates of the selected body's pose [ms]
/** @type {Array<["coms" | "frames" | "axes", string]>} */
const MARKS = [
  ["coms", "Centers of mass"],
  ["frames", "Frames"],
  ["axes", "Joint axes"],
];

export class Inspector {
  /** @type {Anatomy} */
  anatomy = { bodies: [], loops: [], contacts: [], sensors: [] };
  /** @type {import("./messages.js").Signal[]} */
  signals = [];
  /** @type {BodyDetails | null} */
  details = null;
  selected = NONE;
  marks = { coms: false, frames: false, axes: false, all: true };
  watched = "";

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./view.js").View} view
   * @param {import("./picking.js").Picking} picking
   */
  constructor(connection, view, picking) {
    this.connection = connection;
    this.view = view;
    this.picking = picking;
    this.joints = new JointRows(connection);
    this.panel = byId("inspect-panel");
    this.search = make("input", {
      type: "search",
      placeholder: "Find a body or a joint",
      "aria-label": "Find a body or a joint",
      oninput: () => this.filter(),
    });
    this.tree = make("ul", { className: "tree", "aria-label": "Bodies" });
    this.place = make("div", {});
    byId("inspect").replaceChildren(
      this.search,
      this.tree,
      this.buttons(),
      this.place,
      this.joints.element,
    );
    this.panel.addEventListener("toggle", () => this.watch());
    this.listen();
    setInterval(() => this.follow(), PERIOD);
  }

  /** Marks in the picture, for all bodies or the selected one. */
  buttons() {
    const toggles = MARKS.map(([key, word]) => {
      const button = make(
        "button",
        {
          className: "quiet-button",
          "aria-pressed": false,
          onclick: () => {
            this.marks[key] = !this.marks[key];
            press(button, this.marks[key]);
            this.draw();
          },
        },
        word,
      );
      return button;
    });
    const only = make("input", {
      type: "checkbox",
      onchange: () => {
        this.marks.all = !only.checked;
        this.draw();
      },
    });
    return make(
      "div",
      { className: "marks", role: "group", "aria-label": "Show in the picture" },
      ...toggles,
      make("label", {}, only, "of the selected body only"),
    );
  }

  /** A click on the picture selects the body below it; a click on none clears the selection. */
  listen() {
    const { canvas } = this.view;
    /** @type {PointerEvent | null} */
    let down = null;
    canvas.addEventListener("pointerdown", (event) => {
      down = event.isPrimary && event.button === 0 ? event : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!down || event.pointerId !== down.pointerId) return;
      const way = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY);
      down = null;
      if (way >= STILL) return;
      const reach = REACH[/** @type {keyof typeof REACH} */ (event.pointerType)] ?? REACH.mouse;
      const picked = this.picking.pick(event.clientX, event.clientY, reach);
      this.select(picked?.index ?? NONE, true);
    });
  }

  /**
   * A new mechanism.
   * @param {import("./messages.js").Hello} hello
   */
  setPlant({ anatomy, signals, can, scene }) {
    const { min, max } = scene.bounds;
    this.signals = signals;
    this.joints.allowed = can.includes("place");
    this.joints.length = Math.max(...max.map((x, k) => x - min[k]));
    this.panel.hidden = !anatomy.bodies.length;
    this.selected = NONE;
    this.watched = "";
    this.search.value = "";
    this.change(anatomy);
  }

  /**
   * The same mechanism with other numbers.
   * @param {Anatomy} anatomy
   */
  change(anatomy) {
    this.anatomy = anatomy;
    byId("inspect-note").textContent = counted(anatomy);
    this.search.hidden = anatomy.bodies.length < MANY;
    this.filter();
    this.select(this.selected, false);
  }

  /** Bodies that match the search, as a tree; nodes of flexible links only if searched for. */
  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { bodies } = this.anatomy;
    /** @param {InspectedBody} body */
    const fits = ({ name, joint, node }) => {
      const text = `${name} ${joint.name} ${joint.kind}`.toLowerCase().replaceAll("_", " ");
      const all = `${text} ${name.toLowerCase()} ${joint.name.toLowerCase()}`;
      return words.length ? words.every((word) => all.includes(word)) : !node;
    };
    this.rows = bodies.flatMap((body, index) =>
      fits(body) ? [this.row(body, index, words.length ? 0 : depth(bodies, index))] : [],
    );
    this.tree.replaceChildren(...this.rows.map(({ element }) => element));
    if (!this.rows.length)
      this.tree.replaceChildren(make("li", { className: "empty" }, "No body has this name."));
    this.joints.setJoints(bodies.filter(fits).map(({ joint }) => joint));
    this.point();
    this.watch();
  }

  /**
   * @param {InspectedBody} body
   * @param {number} index
   * @param {number} level
   */
  row({ name, joint }, index, level) {
    const { loops, contacts, sensors } = this.anatomy;
    /** @param {Array<{ bodies: number[] }>} list */
    const count = (list) => list.filter(({ bodies }) => bodies.includes(index)).length;
    const counts = [
      plural(count(contacts), "contact"),
      plural(count(loops), "loop"),
      plural(count(sensors), "sensor"),
    ].filter(Boolean);
    const button = make(
      "button",
      { onclick: () => this.select(index === this.selected ? NONE : index, false) },
      make("span", { className: "name" }, name),
      make("span", { className: "quiet" }, [joint.kind, ...counts].join(", ")),
    );
    button.style.paddingLeft = `${8 + 10 * Math.min(level, 8)}px`;
    return { index, button, element: make("li", {}, button) };
  }

  /**
   * @param {number} index number of the body, NONE for none
   * @param {boolean} found clicked in the picture: the panel opens and shows it
   */
  select(index, found) {
    const body = this.anatomy.bodies[index];
    this.selected = body ? index : NONE;
    this.details = body ? new BodyDetails(this.anatomy, index, this.signals) : null;
    this.place.replaceChildren(...(this.details ? [this.details.element] : []));
    if (body && found) this.panel.open = true;
    this.point();
    if (found)
      this.rows?.find((row) => row.index === index)?.element.scrollIntoView({ block: "nearest" });
    this.draw();
    this.watch();
    this.follow();
  }

  /** Mark the selected row. */
  point() {
    for (const { index, button } of this.rows ?? [])
      button.setAttribute("aria-current", String(index === this.selected));
  }

  /** Draw the chosen marks over the mechanism. */
  draw() {
    const { anatomy, selected, marks, view } = this;
    const node = [...view.nodes.values()][selected];
    const box = node ? boxOf(node) : null;
    view.showOverlays({ ...marks, anatomy, selected, box, accent: view.palette.series[0] });
  }

  /** Subscribe to the values that are shown. */
  watch() {
    const names = this.panel.open ? [...(this.details?.signals ?? []), ...this.joints.signals] : [];
    const signals = [...new Set(names)].slice(0, 64);
    const key = signals.join("\n");
    if (key === this.watched) return;
    this.watched = key;
    this.connection.say({ do: "watch", signals });
  }

  /** @param {string | null} state of the plant */
  setState(state) {
    this.joints.setState(state);
    this.watch();
  }

  /** @param {Record<string, number | null>} values */
  show(values) {
    this.details?.show(values);
    this.joints.show(values);
  }

  follow() {
    if (this.panel.open && this.details && this.view.bodies) this.details.move(this.view.bodies);
  }
}

/**
 * Number of bodies between one and the ground.
 * @param {InspectedBody[]} bodies
 * @param {number} index
 */
function depth(bodies, index) {
  let level = 0;
  for (let k = bodies[index].parent; k >= 0; k = bodies[k].parent) level += bodies[k].node ? 0 : 1;
  return level;
}

/**
 * @param {number} count
 * @param {string} word
 */
function plural(count, word) {
  return count ? `${count} ${word}${count > 1 ? "s" : ""}` : "";
}

/** @param {Anatomy} anatomy */
function counted({ bodies, loops }) {
  const own = bodies.filter(({ node }) => !node).length;
  return [own === 1 ? "1 body" : `${own} bodies`, plural(loops.length, "loop")]
    .filter(Boolean)
    .join(", ");
}
