// The binary frames of the studio's protocol, little-endian.

const HEADER = 24; // u8 kind, u8 0, u16 count, u32 sequence, f64 stamp [s], f64 t [s]
export const POSES = 1,
  SAMPLES = 2,
  ECHO = 3;
const INPUT = 8,
  PING = 9;

/** A binary frame as an object. */
export function decode(buffer) {
  const view = new DataView(buffer);
  const head = {
    kind: view.getUint8(0),
    count: view.getUint16(2, true),
    sequence: view.getUint32(4, true),
    stamp: view.getFloat64(8, true),
    t: view.getFloat64(16, true),
  };
  if (head.kind === POSES) return poses(head, buffer, view);
  if (head.kind === SAMPLES) return samples(head, buffer, view);
  if (head.kind === ECHO) return echo(head, view);
  return head;
}

/** px, py, pz, qx, qy, qz, qw of each body; arrows: from, vector; extra scalars. */
function poses(head, buffer, view) {
  const bodies = new Float32Array(buffer, HEADER, 7 * head.count);
  let at = HEADER + 28 * head.count;
  const arrows = new Float32Array(buffer, at + 4, 6 * view.getUint32(at, true));
  at += 4 + arrows.byteLength;
  const extra = new Float32Array(buffer, at + 4, view.getUint32(at, true));
  return { ...head, bodies, arrows, extra };
}

/** Times and one column per signal of the subscription with this generation. */
function samples(head, buffer, view) {
  const start = HEADER + 8;
  const end = start + 8 * head.count;
  const width = head.sequence & 0xffff;
  const times = new Float64Array(buffer, start, head.count);
  const columns = Array.from(
    { length: width },
    (_, i) => new Float32Array(buffer, end + 4 * head.count * i, head.count),
  );
  const generation = head.sequence >>> 16;
  return { ...head, generation, lost: view.getUint32(HEADER + 4, true), times, columns };
}

/** Answer to a ping: the newest input of this page that the loop has used, and when it did [s]. */
function echo(head, view) {
  return {
    ...head,
    token: view.getBigUint64(HEADER, true),
    usedAt: view.getFloat64(HEADER + 8, true),
    pageTime: view.getFloat64(HEADER + 16, true),
  };
}

/** An input's value, with the page's time at which the hand gave it [ms]. */
export function inputFrame(index, sequence, value, time) {
  const view = new DataView(new ArrayBuffer(24));
  view.setUint8(0, INPUT);
  view.setUint16(2, index, true);
  view.setUint32(4, sequence, true);
  view.setFloat64(8, value, true);
  view.setFloat64(16, time, true);
  return view.buffer;
}

/** A question that the server answers with an echo. */
export function pingFrame(token) {
  const view = new DataView(new ArrayBuffer(16));
  view.setUint8(0, PING);
  view.setBigUint64(8, token, true);
  return view.buffer;
}
