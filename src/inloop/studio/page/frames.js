// The binary frames of the studio's protocol, little-endian.

import {
  ECHO,
  ECHOED,
  HEADER,
  INPUT,
  INPUT_FRAME,
  PING,
  PING_FRAME,
  POSES,
  ROWS,
  SAMPLES,
  TOUCH,
  TOUCH_FRAME,
} from "./messages.js";

/** @typedef {{ count: number, sequence: number, stamp: number, t: number }} Head stamp, t [s] */
/** @typedef {ReturnType<typeof poses>} Poses */
/** @typedef {ReturnType<typeof samples>} SampleFrame */

/**
 * A binary frame as an object.
 * @param {ArrayBuffer} buffer
 */
export function decode(buffer) {
  const view = new DataView(buffer);
  const head = {
    count: view.getUint16(HEADER.count, true),
    sequence: view.getUint32(HEADER.sequence, true),
    stamp: view.getFloat64(HEADER.stamp, true),
    t: view.getFloat64(HEADER.t, true),
  };
  const kind = view.getUint8(HEADER.kind);
  if (kind === POSES) return poses(head, buffer, view);
  if (kind === SAMPLES) return samples(head, buffer, view);
  if (kind === ECHO) return echo(head, view);
  throw new Error(`a frame of kind ${kind} came: reload the page`);
}

/**
 * px, py, pz, qx, qy, qz, qw of each body; arrows: start, vector; values of the cockpit's signals.
 * @param {Head} head
 * @param {ArrayBuffer} buffer
 * @param {DataView} view
 */
function poses(head, buffer, view) {
  const bodies = new Float32Array(buffer, HEADER.size, 7 * head.count);
  const at = HEADER.size + bodies.byteLength;
  const arrows = new Float32Array(buffer, at + 4, 6 * view.getUint32(at, true));
  const readings = new Float32Array(buffer, at + 4 + arrows.byteLength);
  return { kind: /** @type {typeof POSES} */ (POSES), ...head, bodies, arrows, readings };
}

/**
 * Times and one column per signal of the subscription with this generation.
 * @param {Head} head
 * @param {ArrayBuffer} buffer
 * @param {DataView} view
 */
function samples(head, buffer, view) {
  const start = HEADER.size + ROWS.size;
  const times = new Float64Array(buffer, start, head.count);
  const end = start + times.byteLength;
  const columns = Array.from(
    { length: head.sequence & 0xffff },
    (_, i) => new Float32Array(buffer, end + 4 * head.count * i, head.count),
  );
  return {
    kind: /** @type {typeof SAMPLES} */ (SAMPLES),
    ...head,
    generation: head.sequence >>> 16,
    lost: view.getUint32(HEADER.size + ROWS.lost, true),
    times,
    columns,
  };
}

/**
 * Answer to a ping: the newest input of this page that the loop has used, and its time of use [s].
 * @param {Head} head
 * @param {DataView} view
 */
function echo(head, view) {
  return {
    kind: /** @type {typeof ECHO} */ (ECHO),
    ...head,
    token: view.getBigUint64(HEADER.size + ECHOED.token, true),
  };
}

/**
 * An input's value, with the page's time at which the hand gave it [ms].
 * @param {number} index
 * @param {number} sequence
 * @param {number} value
 * @param {number} time
 */
export function inputFrame(index, sequence, value, time) {
  const view = new DataView(new ArrayBuffer(INPUT_FRAME.size));
  view.setUint8(INPUT_FRAME.kind, INPUT);
  view.setUint16(INPUT_FRAME.index, index, true);
  view.setUint32(INPUT_FRAME.sequence, sequence, true);
  view.setFloat64(INPUT_FRAME.value, value, true);
  view.setFloat64(INPUT_FRAME.page_time, time, true);
  return view.buffer;
}

/**
 * How the pointer holds a body.
 * @typedef {object} PointerHold
 * @property {number} body
 * @property {[number, number, number]} point in body axes [m]
 * @property {[number, number, number]} target in the world [m]
 * @property {[number, number, number]} push in the world, as the elongation of the spring [m]
 * @property {number} time of the page [ms]
 */

const NO_BODY = 0xffff;

/**
 * The frame of how the pointer holds a body; null: it has let go.
 * @param {PointerHold | null} hold
 * @param {number} sequence
 * @param {number} firmness
 */
export function touchFrame(hold, sequence, firmness) {
  const view = new DataView(new ArrayBuffer(TOUCH_FRAME.size));
  view.setUint8(TOUCH_FRAME.kind, TOUCH);
  view.setUint16(TOUCH_FRAME.body, hold?.body ?? NO_BODY, true);
  view.setUint32(TOUCH_FRAME.sequence, sequence, true);
  view.setFloat64(TOUCH_FRAME.page_time, hold?.time ?? performance.now(), true);
  view.setFloat64(TOUCH_FRAME.firmness, firmness, true);
  for (const name of /** @type {const} */ (["point", "target", "push"]))
    hold?.[name].forEach((value, k) => {
      view.setFloat64(TOUCH_FRAME[name] + 8 * k, value, true);
    });
  return view.buffer;
}

/**
 * A question that the server answers with an echo.
 * @param {bigint} token
 */
export function pingFrame(token) {
  const view = new DataView(new ArrayBuffer(PING_FRAME.size));
  view.setUint8(PING_FRAME.kind, PING);
  view.setBigUint64(PING_FRAME.token, token, true);
  return view.buffer;
}
