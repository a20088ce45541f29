"""Large closed mechanisms: unrolled solution beside the sparse one of the runtime.

python -m benchmarks.loops_large MECHANISM SIZE HOW
"""

from __future__ import annotations

import inloop as il


def ladder(cells: int) -> il.Model:
    """A hanging rope ladder in space: rungs joined by rigid ropes on both sides, one loop per cell.

    The left rope of a cell hangs on two hinges and carries the next rung on three; the right one
    hangs on two and meets the rung in a ball cut: 7 coordinates, of which 3 are dependent.
    """
    m = il.Model("bench_ladder", gravity=(0.0, 0.0, -9.81))
    left, right = m.ground.point("left", (-0.2, 0.0, 0.0)), m.ground.point("right", (0.2, 0.0, 0.0))
    for k in range(1, cells + 1):
        down = (0.0, 0.0, -0.3)
        ropes = []
        for side, seat in (("left", left), ("right", right)):
            swing = m.body(
                f"{side}_{k}_x", on=seat, joint=il.revolute("x", initial=(0.05 * k, 0.0)),
                mass=0.02, inertia=(1e-4, 1e-4, 1e-4),
            )  # fmt: skip
            rope = m.body(
                f"{side}_{k}", on=swing, joint=il.revolute("y"),
                mass=0.1, com=(0.0, 0.0, -0.15), inertia=(8e-4, 8e-4, 1e-5),
            )  # fmt: skip
            ropes.append(rope.point("end", down))
        seat = ropes[0]
        for axis in "xy":
            knuckle = m.body(
                f"rung_{k}_{axis}", on=seat, joint=il.revolute(axis),
                mass=0.02, inertia=(1e-4, 1e-4, 1e-4),
            )  # fmt: skip
            seat = knuckle
        rung = m.body(
            f"rung_{k}", on=seat, joint=il.revolute("z"),
            mass=0.4, com=(0.2, 0.0, 0.0), inertia=(1e-4, 6e-3, 6e-3),
        )  # fmt: skip
        m.close(rung.point("tip", (0.4, 0.0, 0.0)), ropes[1], name=f"loop_{k}")
        left, right = rung.point("left", (0.0, 0.0, 0.0)), rung.point("right", (0.4, 0.0, 0.0))
    return m
