"""24: a crane that damps an unmeasured swing, using estimates inside its loop.

Objective: a trolley has an encoder, its load has none, and wind comes up. A Kalman filter runs in C
inside the loop of the plant, after each step. Its estimates are signals of the same record, so a
controller reads them like outputs. In a second run the filter is in a thread beside the loop, as
for a real device. Both runs are equal to the last bit.

Equations: trolley x, rope angle a, force f of the motor on the trolley, wind w on the load,

    w(k+1) = w(k) + noise,   y = x + noise,
    f = 63 (goal - x) - 39 dx/dt - 53 (a + w/(m g)) + 5 da/dt - w, all from estimates.

Run it with `python examples/24_estimates_in_the_loop.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse
import contextlib
import os

import numpy as np

import inloop as il

RATE, END = 250.0, 8.0  # [Hz], [s]
GOAL, WIND, GUST = 0.8, 6.0, 4.0  # [m], [N], when the wind comes [s]
MASS = 4.0  # of the load [kg]
KNOWN = ("rail.q", "rail.qd", "rope.q", "rope.qd", "wind.unknown")


def crane(*, blown: bool) -> il.Plant:
    """A trolley on a rail, a load on a rope; wind is a parameter (`blown`) or an input."""
    m = il.Model("crane")
    trolley = m.body("trolley", on=m.ground, joint=il.prismatic("x", name="rail"), mass=6.0)
    rope = il.revolute("y", name="rope", initial=(0.25, 0.0))
    load = m.body("load", on=trolley, joint=rope, mass=MASS, com=(0.0, 0.0, -1.2),
                  inertia=(0.02, 0.02, 0.01))  # fmt: skip
    wind = m.parameter("wind", 0.0, unit="N", range=(-20, 20)) if blown else m.input("wind", "N")
    m.force(load.point("middle", (0.0, 0.0, -1.2)), lambda: (wind, 0.0, 0.0))
    m.joint_force("rail", lambda q, qd: -8.0 * qd)
    return m.compile()


def filter_of_the_crane() -> il.observers.Observer:
    """Reads the encoder of the trolley, and assumes at first that the load hangs straight down."""
    return il.observer(
        crane(blown=False),
        measured={"rail.q": 1e-4}, disturbances={"rail.tau": 0.5}, unknown={"wind": 4.0},
        doubt={"rail.q": 1e-3, "rail.qd": 0.01, "rope.q": 0.3, "rope.qd": 0.3},
        q={"rope": 0.0}, period=1.0 / RATE,
    )  # fmt: skip


def law(estimate: il.realtime.Outputs) -> dict[str, float]:
    """Move the trolley to its goal and damp the swing, using only estimates."""
    x, xd, a, ad, wind = (estimate[f"observer.{name}"] for name in KNOWN)
    hang = -wind / (MASS * 9.81)  # where the load hangs in this wind
    return {"rail.tau": 63.0 * (GOAL - x) - 39.0 * xd - 53.0 * (a - hang) + 5.0 * ad - wind}


def run(world: il.Plant, observer: il.observers.Observer, *, inside: bool) -> list:
    """Records with estimates, from a plant that waits for each answer."""
    name, rows = f"crane-{os.getpid()}", []
    options = {"name": name, "rate": RATE, "mode": "lock-step"}
    with contextlib.ExitStack() as stack:
        loop = il.start(world, observer=observer if inside else None, **options)
        box = stack.enter_context(loop).mailbox
        beside = None if inside else stack.enter_context(il.observe(name, observer))
        for k in range(round(END * RATE)):
            now = box.read() if k == 0 else box.wait(60.0)
            rows.append(now if beside is None else beside.mailbox.wait(60.0))
            if rows[-1].t >= GUST and box.parameters["wind"] == 0.0:
                box.parameters["wind"] = WIND
            box.write(law(rows[-1]))
    return rows


def check(what: str, found: float, most: float) -> None:
    """Print a number and assert that it is small."""
    print(f"{what:<54} {found:.2e}")
    assert found <= most, f"{what}: {found:.3e} > {most:.1e}"


def main() -> None:
    """Run twice, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="write the figure")
    options = parser.parse_args()
    world, observer = crane(blown=True), filter_of_the_crane()
    rows = run(world, observer, inside=True)
    found = {name: np.array([row[name] for row in rows]) for name in rows[0].names}
    t, swing = found["t"], found["rope.q"]

    python = observer.follow(found, inputs="before")
    apart = max(np.abs(found[f"observer.{name}"] - python[name]).max() for name in KNOWN)
    check("inside the loop, and in Python over its records", apart, 0.0)
    other = run(world, observer, inside=False)
    apart = max(abs(a[name] - b[name]) for a, b in zip(rows, other, strict=True) for name in a.names
                if not np.isnan(a[name]))  # fmt: skip
    check("inside the loop, and beside it", apart, 0.0)

    late, calm = (t > 1.0) & (t < GUST) | (t > GUST + 2.0), (t > 3.5) & (t < GUST)
    off = np.abs(found["observer.rope.q"] - swing)
    check("the swing and its estimate, 1 s from the start [rad]", off[late].max(), 5e-3)
    off = np.abs(found["observer.wind.unknown"] - WIND)
    check("the wind and its estimate, at the end [N]", off[-1], 0.2)
    check("the swing before the wind comes [rad]", np.abs(swing[calm]).max(), 0.01)
    if options.plot:
        draw(found, options.plot)


def draw(found: dict[str, np.ndarray], file: str) -> None:
    """The swing and the wind with their estimates and two deviations."""
    figure, t = il.blank_figure((8.0, 4.6), file), found["t"]
    truths = {"rope.q": found["rope.q"], "wind.unknown": np.where(t > GUST, WIND, 0.0)}
    labels = ("swing [rad]", "wind [N]")
    for axes, name, label in zip(figure.subplots(2, 1, sharex=True), truths, labels, strict=True):
        middle, wide = (found[f"observer.{name}{tail}"] for tail in ("", ".deviation"))
        axes.fill_between(t, middle - 2.0 * wide, middle + 2.0 * wide, color="#d8d8d8")
        axes.plot(t, middle, linewidth=1.0, label="estimate, with two deviations")
        axes.plot(t, truths[name], "k--", linewidth=0.8, label="truth")
        axes.set_ylabel(label)
    figure.axes[0].legend(loc="upper right", frameon=False)
    figure.axes[1].set_xlabel("t [s]")
    figure.savefig(file)


if __name__ == "__main__":
    main()
