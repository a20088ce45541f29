"""Model B of the simplified piano action under a hand that throws and catches the hammer.

The layout is that of figure 6 of the source: forces and indicator above, angles below, switch
times as vertical lines, the epochs of the sub-models shaded. The recorded motion of the hand is
not published. Here the hand makes five minimum-jerk strokes chosen to reproduce the description of
the source: held for 0.3 s, thrown, caught near 0.9 s, thrown harder, string struck, landed near
1.5 s, bounced several times.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome, strokes

# strokes of the hand: begin [s], duration [s], angle [rad]
STROKES = (
    (0.30, 0.23, 0.16),
    (0.63, 0.25, -0.16),
    (0.95, 0.20, 0.38),
    (1.33, 0.19, -0.38),
    (1.40, 0.25, -0.16),
)
SECONDS, STEP = 3.0, 2e-3  # [s]
SHADES = {"B1": "#dbe7f4", "B2": "#fdf3dc"}
LEGEND = {"loc": "lower left", "ncols": 3, "fontsize": 8, "framealpha": 0.9}
HAND, KEY, HAMMER = "#7a7a7a", "#1f5fa8", "#c2410c"


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(springs=True)
    rest = plant.by_mode["B1"].equilibrium()
    result = plant.simulate(
        t_end=bench.seconds or SECONDS,
        step=STEP,
        q=rest.q,
        hand=lambda t: strokes(t, STROKES)[0],
    )
    p = dict(plant.parameters)
    force = result["hand.effort"] / p["L1"]
    figures = _times(result)
    figures["F_KU at rest [N]"] = float(force[0])
    figures["F_KU largest [N]"] = float(force.max())
    figures["F_KU smallest [N]"] = float(force.min())
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, result, p),
        size=(8.5, 6.2),
        result=result,
        notes=("switch times: release ends B1, catch ends B2; string is the impact in B2",),
    )


def _times(result: il.Result) -> dict[str, float]:
    """Time of each event, numbered by name."""
    counts: dict[str, int] = {}
    times = {}
    for event in result.events:
        counts[event.name] = counts.get(event.name, 0) + 1
        times[f"{event.name} {counts[event.name]} [s]"] = event.t
    return times


def _draw(figure: Any, result: il.Result, p: dict[str, float]) -> None:
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.0, 1.0))
    t, coupled = result.t, result.modes == "B1"
    # the indicator of the active mode: the force of the pad, or the gap
    turn = result["hammer.q"] - result["key.q"]
    gap = p["L3"] * np.cos(result["hammer.q"]) + p["L1"] * np.sin(turn)
    F_KH = np.where(coupled, -p["k2"] * result["pad.q"], np.nan)
    upper.plot(t, result["hand.effort"] / p["L1"], color=KEY, label=r"$F_{KU}$ [N]")
    upper.set_ylabel("force of the hand [N]")
    right = upper.twinx()
    right.plot(t, F_KH, color=HAMMER, label=r"$g_1 = F_{KH}$ [N]")
    right.plot(t, np.where(coupled, np.nan, 10.0 * gap), color="#2e7d32", label=r"$g_2$ = gap [dm]")
    right.set_ylabel("indicators [N, dm]")
    # the indicators below, the force above, the legend under both
    most = max(np.nanmax(F_KH), 10.0 * gap.max())
    right.set_ylim(-0.45 * most, 2.3 * most)
    right.set_yticks(np.arange(0.0, most, 0.5))
    low, high = upper.get_ylim()
    upper.set_ylim(low - 0.45 * (high - low), high + 0.12 * (high - low))
    lines = [*upper.get_lines(), *right.get_lines()]
    upper.legend(lines, [line.get_label() for line in lines], **LEGEND)
    right.axhline(0.0, color="#444444", linewidth=0.6)
    for name, color, label in (
        ("hand", HAND, "manipulandum $s$"), ("key", KEY, "key"), ("hammer", HAMMER, "hammer")
    ):  # fmt: skip
        lower.plot(t, result[f"{name}.q"], color=color, label=label)
    lower.axhline(p["string"], color="black", linewidth=0.8, linestyle=":")
    lower.text(t[-1], p["string"], "string ", ha="right", va="bottom", fontsize=8)
    lower.set_ylabel("angle [rad]")
    lower.set_xlabel("t [s]")
    low, high = lower.get_ylim()
    lower.set_ylim(low - 0.12 * (high - low), max(high, p["string"] + 0.12))
    lower.legend(**LEGEND)
    _shade((upper, lower), result)
    upper.set_title("Model B, key driven by hand: held, thrown, caught, thrown harder", fontsize=10)


def _shade(axes: tuple[Any, Any], result: il.Result) -> None:
    """Shade the epochs of the sub-models, mark switch times, name the sub-models above."""
    switches = [event for event in result.events if event.next_mode != event.mode]
    times = [result.t[0], *(event.t for event in switches), result.t[-1]]
    modes = [result.modes[0], *(event.next_mode for event in switches)]
    for (begin, end), mode in zip(pairwise(times), modes, strict=True):
        for axis in axes:
            axis.axvspan(begin, end, color=SHADES[mode], linewidth=0.0, zorder=0)
        if end - begin > 0.05:
            axes[0].annotate(
                rf"$\mathbf{{{mode[0]}}}_{mode[1]}$",
                (0.5 * (begin + end), 0.97),
                xycoords=axes[0].get_xaxis_transform(),
                ha="center",
                va="top",
                bbox={"color": SHADES[mode], "pad": 1.0},
            )
    for event in result.events:
        style = "-" if event.next_mode != event.mode else ":"
        for axis in axes:
            axis.axvline(event.t, color="#444444", linewidth=0.9, linestyle=style)
    for axis in axes:
        axis.margins(x=0.0)


FIGURE6 = Experiment("model B thrown and caught as in figure 6 of the source", _run)
