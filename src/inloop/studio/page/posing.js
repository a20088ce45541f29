// Poses of bodies as quaternions, and forces of contacts as arrows, from the numbers of a plant, as
// in plant/drawn/poses.py and studio/plants/show.py.

const LEAST_FORCE = 1e-6; // [N]: smaller forces have no arrow
const PER_BODY = 12;
const AT_REST = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]; // pose of the ground

/**
 * Position and quaternion (x, y, z, w) of each pose, seven numbers each. Of the four formulas the one
 * with the largest divisor is used (Shepperd 1978).
 * @param {ArrayLike<number>} X
 */
export function quaternions(X) {
  const poses = [];
  for (let at = 0; at < X.length; at += PER_BODY) {
    const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = Array.from({ length: 9 }, (_, k) => X[at + 3 + k]);
    const trace = xx + yy + zz;
    // 4 x², 4 y², 4 z², 4 w²
    const squares = [1 + 2 * xx - trace, 1 + 2 * yy - trace, 1 + 2 * zz - trace, 1 + trace];
    const rows = [
      [squares[0], xy + yx, xz + zx, zy - yz],
      [xy + yx, squares[1], yz + zy, xz - zx],
      [xz + zx, yz + zy, squares[2], yx - xy],
      [zy - yz, xz - zx, yx - xy, squares[3]],
    ];
    const best = squares.indexOf(Math.max(...squares));
    const divisor = 2 * Math.sqrt(squares[best]);
    poses.push(X[at], X[at + 1], X[at + 2], ...(rows[best] ?? rows[3]).map((x) => x / divisor));
  }
  return poses;
}

/**
 * @param {ArrayLike<number>} X pose
 * @param {number} at index of its first number
 * @param {number[]} v
 */
function turned(X, at, v) {
  return [0, 1, 2].map((i) => {
    const row = at + 3 + 3 * i;
    return X[row] * v[0] + X[row + 1] * v[1] + X[row + 2] * v[2];
  });
}

/**
 * Point and force in the world of contacts that touch, six numbers each.
 * @param {import("./plantfacts.js").DrawnFacts["contacts"]} contacts
 * @param {ArrayLike<number>} X poses of the bodies
 * @param {import("./placing.js").Points} points
 * @param {ArrayLike<number>} record
 */
export function arrows(contacts, X, points, record) {
  return contacts.flatMap(({ body, origin, turn, columns }) => {
    const pointAndForce = columns.map((column) => record[column]);
    if (!(Math.max(...pointAndForce.slice(3).map(Math.abs)) > LEAST_FORCE)) return [];
    const axes = [0, 1, 2].map((k) => points.at(turn + k)); // columns of R_BF
    const inBody = (/** @type {number[]} */ v) =>
      [0, 1, 2].map((i) => axes[0][i] * v[0] + axes[1][i] * v[1] + axes[2][i] * v[2]);
    const p_B = inBody(pointAndForce.slice(0, 3)).map((x, i) => x + points.at(origin)[i]);
    const [of, at] = body < 0 ? [AT_REST, 0] : [X, PER_BODY * body];
    const p_W = turned(of, at, p_B).map((x, i) => x + of[at + i]);
    return [...p_W, ...turned(of, at, inBody(pointAndForce.slice(3)))];
  });
}
