// The surroundings of a driver: ground to the horizon, sky, roads, and objects next to them.

import { Cones } from "./cones.js";
import { ribbonObject } from "./ribbons.js";
import { obstacle, placeObstacle, plantTrees, setPosts } from "./roadside.js";
import { castShadow, makeBlob, makeGround, makeSky, TILE } from "./sky.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Scenery} Scenery */
/** @typedef {Record<import("./messages.js").Ribbon["surface"] | "top" | "sky" | "haze" | "ground" | "tree" | "trunk" | "hill", string>} Colours */

/** @type {{ light: Colours, dark: Colours }} */
const COLOURS = {
  light: {
    top: "#3f7fc4",
    sky: "#8fbde6",
    haze: "#dde8ee",
    ground: "#7c9a5e",
    hill: "#a9bdc0",
    tree: "#3f6b3c",
    trunk: "#5d4a38",
    asphalt: "#66696d",
    gravel: "#9b9078",
    verge: "#93966a",
    white: "#f2f2ec",
    yellow: "#e6b422",
  },
  dark: {
    top: "#0c1526",
    sky: "#2a3a5c",
    haze: "#8a6a62",
    ground: "#27332a",
    hill: "#3d3f4c",
    tree: "#16241b",
    trunk: "#1d1a18",
    asphalt: "#33363b",
    gravel: "#4a463d",
    verge: "#3a3c2d",
    white: "#c4c4ba",
    yellow: "#b08a1e",
  },
};
const [CLEAR, HAZY] = [150, 1500]; // distances at which haze begins, and hides everything [m]
const BLOB = 1.5; // size of the shadow below a body, relative to it
const LIFT = 0.02; // height of the shadow above the ground [m]

export class Surroundings {
  object = new THREE.Group();
  /** @type {THREE.Mesh | null} */
  blob = null; // without shadows
  /** @type {THREE.Mesh | null} */
  cast = null; // with them
  /** @type {THREE.Mesh | null} */
  box = null; // that appears

  /**
   * @param {Scenery} scenery
   * @param {"light" | "dark"} theme
   * @param {boolean} shadows cast by a lamp; otherwise a blob below the body
   */
  constructor(scenery, theme, shadows) {
    this.scenery = scenery;
    const colours = COLOURS[theme];
    this.fog = new THREE.Fog(colours.haze, CLEAR, HAZY);
    this.sky = makeSky(colours);
    this.ground = makeGround(scenery.ground, colours);
    this.object.add(this.sky, this.ground);
    scenery.ribbons.forEach((ribbon, k) => {
      this.object.add(ribbonObject(ribbon, colours, k));
    });
    for (const standing of [
      ...plantTrees(scenery, colours),
      ...setPosts(scenery, theme === "dark"),
    ])
      this.object.add(standing);
    for (const box of scenery.obstacles) this.object.add(obstacle(box));
    this.cones = new Cones(scenery);
    this.object.add(this.cones.object);
    const dark = theme === "dark";
    this.cast = shadows ? castShadow(dark) : null;
    this.blob = shadows ? null : makeBlob(dark);
    for (const shade of [this.cast, this.blob]) if (shade) this.object.add(shade);
  }

  /**
   * Move sky and ground along with the eye, and update shadows, cones and the box to the time shown.
   * @param {THREE.Camera} camera
   * @param {Map<string, THREE.Object3D>} nodes
   * @param {import("./stage.js").At} moment
   */
  update(camera, nodes, { t, back, box }) {
    const { x, y } = camera.position;
    this.sky.position.set(x, y, this.scenery.ground);
    // whole tiles, so that the texture does not move
    this.ground.position.set(Math.round(x / TILE) * TILE, Math.round(y / TILE) * TILE, 0);
    this.putBox(box);
    const { body, rear, front, half, below } = this.scenery.outline;
    const node = nodes.get(body);
    if (!node) return;
    this.cones.update(node, t, back);
    for (const shade of [this.cast, this.blob]) {
      shade?.position.set((front + rear) / 2, 0, LIFT - below).applyMatrix4(node.matrixWorld);
      shade?.quaternion.copy(node.quaternion);
    }
    this.blob?.scale.set(BLOB * (front - rear), BLOB * 2 * half, 1);
  }

  /** @param {import("./surprise.js").Box | null} box that has appeared */
  putBox(box) {
    if (!box) {
      if (this.box) this.box.visible = false;
      return;
    }
    if (!this.box) {
      this.box = obstacle(box);
      this.object.add(this.box);
    }
    this.box.visible = true;
    placeObstacle(this.box, box);
    this.box.rotation.z = box.heading;
  }
}
