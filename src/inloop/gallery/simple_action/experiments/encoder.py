"""Why model A could not be displayed, and the remedies: springs, or a good sensor.

Three loops of `display_loop`: models A and B with the encoder and the servo of the source, and
model A with a fine encoder, read fast, with low-pass filtered derivatives. Model A responds to
acceleration, and one count of the coarse encoder is 10.4 m/s² at the front: with the effective mass
of the key there, 2.3 kg, this is 24 N. Model B responds to position: one count is 0.3 N.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.simple_action.experiments.display_loop import (
    COARSE,
    FINE,
    HAND_STIFFNESS,
    MOST_FORCE,
    Sensing,
    Trace,
    close_loop,
    intended,
    manipulandum,
)

SECONDS = 2.0
STIFFNESSES = (100.0, 200.0, HAND_STIFFNESS, 800.0, 1600.0)  # of the hand [N/m]
# name: has springs, driven joint, sensing
LOOPS: dict[str, tuple[bool, str, Sensing]] = {
    "A coarse": (False, "key", COARSE),
    "B coarse": (True, "hand", COARSE),
    "A fine": (False, "key", FINE),
}
TITLES = {
    "A coarse": "model A\n50 lines/inch, 7 ms",
    "B coarse": "model B\n50 lines/inch, 7 ms",
    "A fine": "model A\n0.1 µm, low-pass 70 Hz, 0.1 ms",
}
FORCE, ANGLE, WANTED = "#1f5fa8", "#c2410c", "#7a7a7a"


def _run(bench: Bench) -> Outcome:
    actions = {springs: bench.compile(springs=springs) for springs in (False, True)}
    lever, seconds = manipulandum().compile(), bench.seconds or SECONDS
    traces: dict[float, dict[str, Trace]] = {}
    for stiffness in STIFFNESSES:
        lever.parameters["hand_stiffness"] = stiffness
        traces[stiffness] = {
            name: close_loop(lever, actions[springs], driven, sensing, seconds)
            for name, (springs, driven, sensing) in LOOPS.items()
        }
    figures: dict[str, float] = {}
    for stiffness, loops in traces.items():
        for name, trace in loops.items():
            figures |= _measures(f"{name}, hand {stiffness:g} N/m", trace)
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, traces[HAND_STIFFNESS]),
        size=(10.0, 5.2),
        table=_table(traces),
        notes=(
            f"unstable: the motor reached its limit of {MOST_FORCE:g} N, or the lever its stops; "
            "the number is the RMS change of the force\nwithin 7 ms (jumps). --json adds the time "
            "of instability, the fraction of the time at the limit\n(saturated), and the steps of "
            "the model that failed because the sensor readings contradict each other (stuck)",
        ),
    )


def _measures(name: str, trace: Trace) -> dict[str, float]:
    values = {
        "unstable": float(trace.unstable),
        "runs away at [s]": trace.runs_away,
        "meets its stops at [s]": trace.at_stops,
        "saturated": trace.saturated,
        "jumps [N]": trace.jumps,
        "stuck": float(trace.stuck),
    }
    return {f"{name}: {what}": value for what, value in values.items() if not math.isnan(value)}


def _table(traces: Mapping[float, Mapping[str, Trace]]) -> str:
    """Stability and jumps of all loops, one line per hand."""
    lines = ["hand [N/m]" + "".join(f"{name:>20}" for name in LOOPS)]
    for stiffness, loops in traces.items():
        cells = [f"{'un' * t.unstable}stable, {t.jumps:.2g} N" for t in loops.values()]
        lines.append(f"{stiffness:<10g}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


def _draw(figure: Any, traces: Mapping[str, Trace]) -> None:
    axes = figure.subplots(2, len(traces), sharex=True, sharey="row")
    for (upper, lower), (name, trace) in zip(axes.T, traces.items(), strict=True):
        verdict = "unstable" if trace.unstable else "stable"
        upper.set_title(f"{TITLES[name]}: {verdict}", fontsize=10)
        upper.step(trace.t, trace.force, where="post", color=FORCE, linewidth=1.0)
        lower.plot(trace.t, [_wanted(t) for t in trace.t], color=WANTED, linestyle="--",
                   label="intended by the hand")  # fmt: skip
        lower.plot(trace.t, trace.angle, color=ANGLE, label="key")
        lower.set_xlabel("t [s]")
        for axis in (upper, lower):
            axis.grid(True, alpha=0.3)
            axis.margins(x=0.0)
        for limit in (-MOST_FORCE, MOST_FORCE):
            upper.axhline(limit, color="black", linewidth=0.8, linestyle=":")
    axes[0, 0].set_ylabel("force of the model [N]")
    axes[1, 0].set_ylabel("angle [rad]")
    axes[1, -1].legend(loc="upper right", fontsize=8)
    axes[0, -1].text(0.02, MOST_FORCE - 1.5, "limit of the motor", fontsize=8, va="top")
    figure.suptitle(f"A hand of {HAND_STIFFNESS:g} N/m lifts and lowers a displayed piano key")


def _wanted(t: float) -> float:
    return float(intended(t)[0])


ENCODER = Experiment("models A and B in the loop with a coarse and with a fine sensor", _run)
