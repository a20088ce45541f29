// Places on a road ahead of a body that drives on it.

/** @typedef {import("./messages.js").Ribbon} Ribbon */
/** @typedef {[number, number]} Point seen from above [m] */
/** @typedef {{ x: number, y: number, heading: number }} Place [m], [rad] */

const BESIDE = 30; // a body farther from all roads is on none [m]
const SEAM = 1; // a road whose ends are this close is closed [m]

/**
 * A place ahead on the nearest road, with the body's lateral offset; without a road, or beyond its
 * end, straight ahead.
 * @param {Ribbon[]} roads
 * @param {Place} body
 * @param {number} far [m]
 * @returns {Place}
 */
export function placeAhead(roads, body, far) {
  const { x, y, heading } = body;
  /** @type {Point[]} */
  let line = [];
  let [at, away] = [0, Infinity];
  for (const points of roads.map(middle))
    points.forEach(([a, b], k) => {
      const d = Math.hypot(a - x, b - y);
      if (d < away) [line, at, away] = [points, k, d];
    });
  const place = away < BESIDE ? walk(line, at, body, far) : null;
  return place ?? { x: x + far * Math.cos(heading), y: y + far * Math.sin(heading), heading };
}

/**
 * @param {Ribbon} ribbon
 * @returns {Point[]}
 */
function middle({ left, right }) {
  return left.map(([x, y], k) => [(x + right[k][0]) / 2, (y + right[k][1]) / 2]);
}

/**
 * Walk along a line from its point number `at`, in the direction of the body; null: it ends before.
 * @param {Point[]} line
 * @param {number} at
 * @param {Place} body
 * @param {number} far [m]
 */
function walk(line, at, body, far) {
  const [[x0, y0], [x1, y1]] = [line[0], line[line.length - 1]];
  const closed = Math.hypot(x1 - x0, y1 - y0) < SEAM;
  const count = closed ? line.length - 1 : line.length; // the last point repeats the first
  /** @param {number} k */
  const point = (k) => line[closed ? ((k % count) + count) % count : k];
  const [ahead, behind] = [point(at + 1) ?? line[at], point(at - 1) ?? line[at]];
  const along =
    (ahead[0] - behind[0]) * Math.cos(body.heading) +
    (ahead[1] - behind[1]) * Math.sin(body.heading);
  const step = along > 0 ? 1 : -1;
  let left = far;
  /** @type {number | null} */
  let side = null; // lateral offset of the body to the left of the line
  for (let k = at; point(k) && point(k + step); k += step) {
    const [[x, y], [u, v]] = [point(k), point(k + step)];
    const length = Math.hypot(u - x, v - y);
    const [c, s] = [(u - x) / length, (v - y) / length];
    if (side === null) {
      side = (body.y - y) * c - (body.x - x) * s;
      left += (body.x - x) * c + (body.y - y) * s; // offset of the body from that point along the line
    }
    if (left <= length)
      return { x: x + left * c - side * s, y: y + left * s + side * c, heading: Math.atan2(s, c) };
    left -= length;
  }
  return null;
}
