// Binary frames as sent and read by the studio, for an embedded plant; see messaging/frames.py.

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

const LARGEST = 3.4e38; // of a float32
const WORD = 2 ** 32;
const NO_BODY = 0xffff;

/** @param {number} x */
const short = (x) => Math.min(Math.max(x, -LARGEST), LARGEST);

/**
 * @param {number} size of all
 * @param {number} kind
 * @param {{ count: number, sequence: number, stamp: number, t: number }} head
 */
function framed(size, kind, { count, sequence, stamp, t }) {
  const view = new DataView(new ArrayBuffer(size));
  view.setUint8(HEADER.kind, kind);
  view.setUint16(HEADER.count, count, true);
  view.setUint32(HEADER.sequence, sequence % WORD, true);
  view.setFloat64(HEADER.stamp, stamp, true);
  view.setFloat64(HEADER.t, t, true);
  return view;
}

/**
 * Poses, arrows, and values of the cockpit.
 * @param {{ sequence: number, stamp: number, t: number }} head
 * @param {number[]} poses seven of each body
 * @param {number[]} arrows six of each
 * @param {number[]} readings
 */
export function posesFrame(head, poses, arrows, readings) {
  const size = HEADER.size + 4 * (poses.length + 1 + arrows.length + readings.length);
  const view = framed(size, POSES, { ...head, count: poses.length / 7 });
  const at = HEADER.size + 4 * poses.length;
  const put = (/** @type {number[]} */ values, /** @type {number} */ from) => {
    new Float32Array(view.buffer, from, values.length).set(values.map(short));
  };
  put(poses, HEADER.size);
  view.setUint32(at, arrows.length / 6, true);
  put(arrows, at + 4);
  put(readings, at + 4 + 4 * arrows.length);
  return view.buffer;
}

/**
 * Times and one column per signal.
 * @param {{ generation: number, first: number, lost: number, stamp: number }} about
 * @param {number[]} times [s]
 * @param {number[][]} columns
 */
export function samplesFrame({ generation, first, lost, stamp }, times, columns) {
  const count = times.length;
  const start = HEADER.size + ROWS.size;
  const view = framed(start + count * (8 + 4 * columns.length), SAMPLES, {
    count,
    sequence: ((generation & 0xffff) * 65536 + columns.length) % WORD,
    stamp,
    t: times[count - 1],
  });
  view.setUint32(HEADER.size + ROWS.first, first % WORD, true);
  view.setUint32(HEADER.size + ROWS.lost, Math.min(lost, WORD - 1), true);
  new Float64Array(view.buffer, start, count).set(times);
  columns.forEach((values, k) => {
    const at = start + 8 * count + 4 * count * k;
    new Float32Array(view.buffer, at, count).set(values.map(short));
  });
  return view.buffer;
}

/**
 * The answer to a ping.
 * @param {bigint} token
 * @param {{ sequence: number, stamp: number, t: number }} head
 * @param {{ at: number, time: number }} used of the newest input of the page [s], [ms]
 */
export function echoFrame(token, head, { at, time }) {
  const view = framed(HEADER.size + ECHOED.size, ECHO, { ...head, count: 0 });
  view.setBigUint64(HEADER.size + ECHOED.token, token, true);
  view.setFloat64(HEADER.size + ECHOED.used_at, at, true);
  view.setFloat64(HEADER.size + ECHOED.page_time, time, true);
  return view.buffer;
}

/** @typedef {{ kind: "input", index: number, sequence: number, value: number, time: number }} ReadInput */
/** @typedef {[number, number, number]} Vector */
/** @typedef {{ kind: "touch", body: number, sequence: number, time: number, firmness: number, point: Vector, target: Vector, push: Vector }} ReadTouch */

/**
 * Decode a frame of the page; null if it is invalid.
 * @param {ArrayBuffer} buffer
 * @returns {ReadInput | ReadTouch | { kind: "ping", token: bigint } | null}
 */
export function readFrame(buffer) {
  const view = new DataView(buffer);
  const is = (/** @type {number} */ kind, /** @type {number} */ size) =>
    buffer.byteLength === size && view.getUint8(0) === kind;
  const number = (/** @type {number} */ at) => view.getFloat64(at, true);
  if (is(PING, PING_FRAME.size))
    return { kind: "ping", token: view.getBigUint64(PING_FRAME.token, true) };
  if (is(INPUT, INPUT_FRAME.size)) {
    const value = number(INPUT_FRAME.value);
    const time = number(INPUT_FRAME.page_time);
    const index = view.getUint16(INPUT_FRAME.index, true);
    const sequence = view.getUint32(INPUT_FRAME.sequence, true);
    return Number.isFinite(value + time) ? { kind: "input", index, sequence, value, time } : null;
  }
  if (!is(TOUCH, TOUCH_FRAME.size)) return null;
  const vector = (/** @type {number} */ at) =>
    /** @type {Vector} */ ([number(at), number(at + 8), number(at + 16)]);
  const body = view.getUint16(TOUCH_FRAME.body, true);
  const touch = {
    kind: /** @type {const} */ ("touch"),
    body: body === NO_BODY ? -1 : body,
    sequence: view.getUint32(TOUCH_FRAME.sequence, true),
    time: number(TOUCH_FRAME.page_time),
    firmness: number(TOUCH_FRAME.firmness),
    point: vector(TOUCH_FRAME.point),
    target: vector(TOUCH_FRAME.target),
    push: vector(TOUCH_FRAME.push),
  };
  const numbers = [touch.time, touch.firmness, ...touch.point, ...touch.target, ...touch.push];
  return numbers.every(Number.isFinite) ? touch : null;
}
