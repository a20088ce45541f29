"""25: a ratchet: pushed to and fro, a rack moves forward only.

Objective: one-sided mechanisms from hard contacts of one row. A pawl is pressed onto the saw teeth
of a rack; it climbs their slopes and drops behind their steep faces, which then block the way back.

Equations: each tooth can only push, 0 ≤ g ⊥ λ ≥ 0. With the pitch p of the teeth and the radius r
of the pawl's tip, the rack pushed back comes to rest where the tip touches the face of tooth k,

    x = k p + r,  and from then on x ≥ k p + r.

Run it with `python examples/25_ratchet.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import inloop as il

PITCH, DEPTH, WIDTH, TEETH = 0.02, 0.01, 0.01, 10  # of the teeth [m], and how many
TIP = 0.002  # radius of the tip of the pawl [m]
PUSH, PERIOD, STROKES = 6.0, 0.8, 3  # [N, s], and how often it is pushed
END, STEP = PERIOD * STROKES, 2e-4  # [s]


def tooth(k: int) -> il.Shape:
    """Tooth k: a wedge that rises by the depth over one pitch, in the frame of the rack."""
    low, high = -k * PITCH, -(k + 1) * PITCH
    corners = [(low, 0.0), (high, 0.0), (high, DEPTH), (low, -DEPTH), (high, -DEPTH)]
    return il.convex_hull([(x, y, z) for x, z in corners for y in (-WIDTH, WIDTH)])


def ratchet() -> il.Model:
    """The rack along x, the pawl above it along z."""
    m = il.Model("ratchet")
    rack = m.body(
        "rack",
        on=m.ground,
        joint=il.prismatic("x", initial=TIP),
        mass=0.4,
        visuals=[il.visual(tooth(k), color="#8a8f98") for k in range(TEETH)],
    )
    pawl = m.body(
        "pawl",
        on=m.ground,
        joint=il.prismatic("z", initial=0.006),
        mass=0.05,
        visuals=[il.visual(il.sphere(TIP), color="#b5651d")],
    )
    for k in range(TEETH):
        m.contact(rack, tooth(k), pawl, il.sphere(TIP), law=il.hard(), name=f"tooth_{k}")
    m.joint_force(pawl, lambda q: -1.0 - 50.0 * q)
    push = m.input("push", "N")
    m.joint_force(rack, lambda q, qd: push - 50.0 * qd)
    return m


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<42} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A ratchet of hard contacts.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    plant = ratchet().compile()

    def push(t: il.Expr) -> il.Expr:
        return il.where(il.sin(2.0 * math.pi * t / PERIOD) >= 0.0, PUSH, -PUSH)

    run = plant.simulate(t_end=END, step=STEP, inputs={"push": push})
    print(run)
    if args.plot:
        run.plot("rack.q", "pawl.q", "push", file=args.plot)

    x = run["rack.q"]
    # where it stands at the end of each stroke, pushed back
    ends = [round(PERIOD * (n + 1) / STEP) for n in range(STROKES)]
    teeth = [round((x[end] - TIP) / PITCH) for end in ends]
    print("teeth passed after each stroke:", teeth)
    assert teeth == sorted(set(teeth)) and teeth[0] >= 1, "it moves on with every stroke"
    stops = np.array([k * PITCH + TIP for k in teeth])
    check("rests at the faces of teeth [m]", float(np.abs(x[ends] - stops).max()), 1e-7)
    later = np.array([x[end:].min() for end in ends])
    check("back beyond a face [m]", float(np.max(stops - later)), 1e-7)
    gaps = [run[f"tooth_{k}.gap"].min() for k in range(TEETH)]
    check("overlap of pawl and teeth [m]", max(0.0, -min(gaps)), 1e-6)


if __name__ == "__main__":
    main()
