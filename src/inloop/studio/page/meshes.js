// Packed meshes: fetched once by their name, decoded once, shared by all bodies that show them.
// The format is described in mesh_packing.py.

import { surface } from "./materials.js";
import { casts, shaded } from "./shapes.js";
import * as THREE from "./three.js";

/** @typedef {import("./messages.js").Packed} Packed */
/** @typedef {import("./quality.js").Style} Style */
/** @typedef {{ geometry: THREE.BufferGeometry, map: THREE.Texture | null, side: THREE.Side }} Part */

/**
 * Positions of the arrays of a part: first byte and number of bytes.
 * @typedef {object} PackedPart
 * @property {[number, number]} positions
 * @property {[number, number]} normals
 * @property {[number, number]} indices
 * @property {[number, number]} [colors]
 * @property {[number, number]} [uv]
 * @property {[number, number]} [image]
 * @property {string} [media_type]
 */

const MARK = 0x314d4c49; // "ILM1"
const LINEAR = linearTable();

/**
 * A place where a mesh is shown, and how it is painted.
 * @typedef {object} Place
 * @property {THREE.Object3D} anchor
 * @property {boolean} mirrored
 * @property {Finish} finish
 */

/**
 * How a mesh is painted.
 * @typedef {object} Finish
 * @property {THREE.Color} colour
 * @property {number} opacity
 * @property {string | undefined} picture
 * @property {import("./materials.js").Name} material
 */

/** Boxes in place of meshes, for geometry queries without drawing. */
export class Boxes {
  /** @type {Style} */
  style = "simple";
  size = 1;
  /** Boxes have no instances. */
  instances = new THREE.Group();

  /** @param {Packed} shape */
  object({ bounds, scale }) {
    const [low, high] = bounds.map((p) => new THREE.Vector3(...p));
    const size = high.clone().sub(low);
    const geometry = new THREE.BoxGeometry(size.x, size.y, size.z);
    const center = low.add(high).multiplyScalar(0.5);
    const holder = new THREE.Group();
    const box = new THREE.Mesh(geometry.translate(center.x, center.y, center.z));
    box.scale.fromArray(scale);
    box.userData.stands_for_mesh = true;
    holder.add(box);
    return holder;
  }

  keep() {}

  paint() {}

  follow() {}
}

export class Meshes {
  /**
   * `arrived` is called when a mesh that was missing can be drawn.
   * @param {() => void} arrived
   */
  constructor(arrived) {
    this.arrived = arrived;
    /** @type {Style} */
    this.style = "simple";
    this.size = 1; // of the scene [m]
    /** @type {Map<string, Promise<Part[]>>} */
    this.known = new Map(); // name → promise of parts
    /** @type {Map<string, Promise<THREE.Texture | null>>} */
    this.pictures = new Map();
    /** @type {Map<string, Place[]>} */
    this.places = new Map(); // of each mesh in the current scene
    /** Instanced meshes. */
    this.instances = new THREE.Group();
    this.waiting = 0;
    /** @type {Record<string, ArrayBuffer> | null} */
    this.carried = null; // by name, in a page without a studio
  }

  /**
   * An object that shows a mesh as soon as it is loaded.
   * @param {Packed} shape
   * @param {Finish} finish
   */
  object({ name, scale }, finish) {
    const holder = new THREE.Group();
    const anchor = new THREE.Group();
    anchor.scale.fromArray(scale);
    holder.add(anchor);
    const mirrored = scale[0] * scale[1] * scale[2] < 0;
    const place = { anchor, finish, mirrored };
    const places = this.places.get(name);
    if (places) places.push(place);
    else this.show(name, [place]);
    return holder;
  }

  /**
   * Show a mesh at all its places, which are known when the scene is built, before it is loaded.
   * @param {string} name
   * @param {Place[]} places
   */
  show(name, places) {
    this.places.set(name, places);
    const loading = this.known.get(name) ?? this.load(name);
    this.known.set(name, loading);
    this.waiting += 1;
    loading.then((parts) => {
      this.waiting -= 1;
      if (this.places.get(name) !== places) return; // of an earlier scene
      for (const part of parts) this.add(part, places);
      if (parts.length) this.arrived();
    });
  }

  /**
   * One part of a mesh at all its places: those that look the same are drawn as instances.
   * @param {Part} part
   * @param {Place[]} places
   */
  add(part, places) {
    for (const alike of byLook(part, places)) {
      const { finish, mirrored } = alike[0];
      const { opacity, picture } = finish;
      const material = materialOf(part, finish, this.style);
      const cast = casts(part.geometry, opacity, this);
      if (picture && part.geometry.hasAttribute("uv")) this.paint(material, picture);
      // instancing determines the front side by the sign of the whole object only
      if (alike.length > 1 && !mirrored) {
        const many = shaded(new THREE.InstancedMesh(part.geometry, material, alike.length), cast);
        many.frustumCulled = false;
        many.userData.anchors = alike.map(({ anchor }) => anchor);
        this.instances.add(many);
      } else {
        for (const { anchor } of alike)
          anchor.add(shaded(new THREE.Mesh(part.geometry, material), cast));
      }
    }
    this.follow();
  }

  /** Move all instances to the current poses of their places. */
  follow() {
    for (const many of this.instances.children) {
      if (!(many instanceof THREE.InstancedMesh)) continue;
      /** @type {THREE.Object3D[]} */
      const anchors = many.userData.anchors;
      anchors.forEach((anchor, k) => {
        anchor.updateWorldMatrix(true, false);
        many.setMatrixAt(k, anchor.matrixWorld);
      });
      many.instanceMatrix.needsUpdate = true;
    }
  }

  /**
   * Put a picture on a material as soon as it is loaded.
   * @param {THREE.MeshBasicMaterial | THREE.MeshStandardMaterial} material
   * @param {string} name
   */
  paint(material, name) {
    const loading = this.pictures.get(name) ?? this.loadPicture(name);
    this.pictures.set(name, loading);
    this.waiting += 1;
    loading.then((map) => {
      this.waiting -= 1;
      if (!map) return;
      material.map = map;
      material.color.set(0xffffff);
      material.vertexColors = false;
      material.needsUpdate = true;
      this.arrived();
    });
  }

  /**
   * Start a new scene: free meshes and pictures that it does not use.
   * @param {import("./messages.js").Scene} scene
   */
  keep(scene) {
    this.places.clear();
    this.instances = new THREE.Group();
    const shown = [...scene.ground, ...scene.bodies.flatMap(({ shapes }) => shapes)];
    const names = new Set(shown.map(({ shape }) => (shape.kind === "packed" ? shape.name : "")));
    const pictures = new Set(shown.map(({ picture }) => picture));
    for (const [name, loading] of this.known) {
      if (names.has(name)) continue;
      this.known.delete(name);
      loading.then((parts) => parts.forEach(free));
    }
    for (const [name, loading] of this.pictures) {
      if (pictures.has(name)) continue;
      this.pictures.delete(name);
      loading.then((map) => map?.dispose());
    }
  }

  /** @param {string} name */
  async load(name) {
    try {
      return await decode(await this.block(name));
    } catch (error) {
      console.warn(`mesh ${name} is not drawn: ${error}`);
      return [];
    }
  }

  /** @param {string} name */
  async loadPicture(name) {
    try {
      return await textureOf(new Blob([await this.block(name)]));
    } catch (error) {
      console.warn(`picture ${name} is not drawn: ${error}`);
      return null;
    }
  }

  /** @param {string} name */
  async block(name) {
    if (this.carried) return this.carried[name];
    const response = await fetch(`/mesh/${name}`);
    if (!response.ok) throw new Error(`${response.status}`);
    return response.arrayBuffer();
  }
}

/**
 * Places where a part looks the same.
 * @param {Part} part
 * @param {Place[]} places
 */
function byLook({ geometry, map }, places) {
  /** @type {Map<string, Place[]>} */
  const groups = new Map();
  for (const place of places) {
    const { colour, opacity, picture, material } = place.finish;
    const own = map || geometry.hasAttribute("color") ? "" : colour.getHexString();
    const key = [own, opacity, picture, material, place.mirrored].join(" ");
    const group = groups.get(key);
    if (group) group.push(place);
    else groups.set(key, [place]);
  }
  return groups.values();
}

/**
 * Parts of a mesh: geometry and picture.
 * @param {ArrayBuffer} buffer
 */
async function decode(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MARK) throw new Error("not a packed mesh");
  const length = view.getUint32(4, true);
  const start = 8 + length;
  /** @type {{ closed: boolean, parts: PackedPart[] }} */
  const { closed, parts } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const side = closed ? THREE.FrontSide : THREE.DoubleSide;
  return Promise.all(
    parts.map(async (part) => ({ ...(await decodePart(part, buffer, start)), side })),
  );
}

/**
 * @param {PackedPart} part
 * @param {ArrayBuffer} buffer
 * @param {number} start
 */
async function decodePart(part, buffer, start) {
  /**
   * @template T
   * @param {{ new (buffer: ArrayBuffer, begin: number, length: number): T, BYTES_PER_ELEMENT: number }} Type
   * @param {[number, number]} place
   */
  const array = (Type, [begin, size]) =>
    new Type(buffer, start + begin, size / Type.BYTES_PER_ELEMENT);
  const geometry = new THREE.BufferGeometry();
  geometry.userData.shared = true;
  /**
   * @param {string} name
   * @param {THREE.TypedArray} values
   * @param {number} size
   * @param {boolean} [normalized]
   */
  const add = (name, values, size, normalized = false) =>
    geometry.setAttribute(name, new THREE.BufferAttribute(values, size, normalized));
  add("position", array(Float32Array, part.positions), 3);
  const normals = array(Int16Array, part.normals);
  geometry.setAttribute(
    "normal",
    new THREE.InterleavedBufferAttribute(new THREE.InterleavedBuffer(normals, 4), 3, 0, true),
  );
  geometry.setIndex(new THREE.BufferAttribute(array(Uint32Array, part.indices), 1));
  if (part.colors) add("color", linear(array(Uint8Array, part.colors)), 4, true);
  if (part.uv) add("uv", array(Float32Array, part.uv), 2);
  geometry.computeBoundingSphere();
  return {
    geometry,
    map: part.image ? await picture(part.image, part.media_type, buffer, start) : null,
  };
}

/**
 * @param {[number, number]} range
 * @param {string | undefined} type
 * @param {ArrayBuffer} buffer
 * @param {number} start
 */
async function picture([begin, size], type, buffer, start) {
  return textureOf(new Blob([new Uint8Array(buffer, start + begin, size)], { type }));
}

/** @param {Blob} blob */
async function textureOf(blob) {
  const bitmap = await createImageBitmap(blob, { imageOrientation: "flipY" });
  const map = new THREE.Texture(bitmap);
  Object.assign(map, {
    colorSpace: THREE.SRGBColorSpace,
    wrapS: THREE.RepeatWrapping,
    wrapT: THREE.RepeatWrapping,
    flipY: false,
    needsUpdate: true,
  });
  return map;
}

/**
 * @param {Part} part
 * @param {Finish} finish
 * @param {Style} style
 */
function materialOf({ geometry, map, side }, { colour, opacity, material }, style) {
  const painted = geometry.hasAttribute("color");
  return surface(style, material, painted || map ? 0xffffff : colour, opacity, {
    vertexColors: painted,
    map,
    side,
  });
}

/** @param {Part} part */
function free({ geometry, map }) {
  geometry.dispose();
  map?.dispose();
}

/**
 * Colours of a file are sRGB, those of vertices linear.
 * @param {Uint8Array} bytes
 */
function linear(bytes) {
  const values = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1)
    values[i] = i % 4 === 3 ? 257 * bytes[i] : LINEAR[bytes[i]];
  return values;
}

function linearTable() {
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    const x = byte / 255;
    return Math.round(65535 * (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  });
}
