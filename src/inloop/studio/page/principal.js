// Principal moments of inertia, as returned by `principal` of studio/drawing/anatomy.py.

/** @typedef {[number, number, number]} Vector */

const SWEEPS = 30;

/**
 * Principal moments, the smallest first, and their axes as rows: right-handed, and each along the
 * body axis nearest to it. Computed by Jacobi rotations.
 * @param {number[][]} inertia
 * @returns {{ moments: Vector, axes: [Vector, Vector, Vector] }}
 */
export function principal(inertia) {
  const A = inertia.map((row, i) => row.map((x, j) => 0.5 * (x + inertia[j][i])));
  const V = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]; // columns: axes
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ])
      rotate(A, V, p, q);
  const order = [0, 1, 2].sort((a, b) => A[a][a] - A[b][b]);
  const rows = order.map((k) => {
    const axis = V.map((row) => row[k]);
    const largest = axis.reduce((best, x) => (Math.abs(x) > Math.abs(best) ? x : best), 0);
    return axis.map((x) => (largest < 0 ? -x : x));
  });
  const [a, b, c] = rows;
  const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  if (cross.reduce((sum, x, k) => sum + x * c[k], 0) < 0) rows[2] = c.map((x) => -x);
  return {
    moments: /** @type {Vector} */ (order.map((k) => A[k][k])),
    axes: /** @type {[Vector, Vector, Vector]} */ (rows),
  };
}

/**
 * One rotation, after which A[p][q] is 0.
 * @param {number[][]} A
 * @param {number[][]} V
 * @param {number} p
 * @param {number} q
 */
function rotate(A, V, p, q) {
  if (A[p][q] === 0) return;
  const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  for (let k = 0; k < 3; k++) {
    const [x, y] = [A[k][p], A[k][q]];
    A[k][p] = c * x - s * y;
    A[k][q] = s * x + c * y;
  }
  for (let k = 0; k < 3; k++) {
    const [x, y] = [A[p][k], A[q][k]];
    A[p][k] = c * x - s * y;
    A[q][k] = s * x + c * y;
    const [v, w] = [V[k][p], V[k][q]];
    V[k][p] = c * v - s * w;
    V[k][q] = s * v + c * w;
  }
}
