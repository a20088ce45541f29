// The planes of a mechanism or a plate: two directions in it, and its normal.

/** @type {Record<"xy" | "xz" | "yz", Array<[number, number, number]>>} */
export const PLANES = {
  xy: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  xz: [
    [1, 0, 0],
    [0, 0, 1],
    [0, -1, 0],
  ],
  yz: [
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 0],
  ],
};
