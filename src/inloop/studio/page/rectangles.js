// Rectangles on the ground, seen from above, and whether they meet.

/** @typedef {{ x: number, y: number, heading: number, rear: number, front: number, half: number }} Rectangle a place [m], where it points [rad], its reach from there and half its width [m] */

/**
 * Whether two rectangles have a point in common: no side of either separates them.
 * @param {Rectangle} a
 * @param {Rectangle} b
 */
export const overlap = (a, b) => !separates(a, b) && !separates(b, a);

/**
 * Whether a side of one rectangle separates it from another.
 * @param {Rectangle} one
 * @param {Rectangle} other
 */
function separates(one, other) {
  const [c, s] = [Math.cos(one.heading), Math.sin(one.heading)];
  const corners = cornersOf(other).map(([x, y]) => {
    const [dx, dy] = [x - one.x, y - one.y];
    return [c * dx + s * dy, c * dy - s * dx];
  });
  return (
    corners.every(([x]) => x > one.front) ||
    corners.every(([x]) => x < one.rear) ||
    corners.every(([, y]) => y > one.half) ||
    corners.every(([, y]) => y < -one.half)
  );
}

/** @param {Rectangle} rectangle */
function cornersOf({ x, y, heading, rear, front, half }) {
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  return [rear, front].flatMap((a) =>
    [-half, half].map((b) => [x + a * c - b * s, y + a * s + b * c]),
  );
}
