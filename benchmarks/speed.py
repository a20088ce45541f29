"""One evaluation on one core, in one run with Pinocchio (C++) and CasADi's generated C."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.machine import limit_ns, machine_facts
from benchmarks.ours import FUNCTIONS, compiled, compiled_free, contestant
from benchmarks.peers.build import VARIANTS
from benchmarks.peers.run import ROUNDS, Figures, fastest, measure
from benchmarks.report import Bar, Findings, Row, note, progress, show

MODELS = ("ur5", "panda7", "talos")
CHAINS = ("chain10", "chain50", "chain100")
KINDS = ("hot", "sleep")
ARM, HUMANOID = {"rnea": 3.0, "aba": 3.5}, {"rnea": 2.5, "aba": 2.5}
PINOCCHIO_BARS = {"ur5": ARM, "panda7": ARM, "talos": HUMANOID}
CASADI_BAR = 1.2
# the same robot with a quaternion for its base instead of three angles: must not be slower
FREE, QUATERNION_BAR = "talos", 1.0
PEERS = ("pinocchio", "casadi", "snapped")
TIMES = ("best", "median", "cold")
HEADERS = [
    "model", "function", "ns", "inloop", "Pinocchio", "ratio", "bar",
    "CasADi", "ratio", "bar", "snapped", "ratio", "bar", "operations", "limit", "ratio",
]  # fmt: skip
LEGEND = """\
best and median: hot, 64 states in a row; cold: median of single calls after 1 ms of sleep.
ratio: the peer's time over ours. CasADi: the faster of gcc and clang; snapped: the same with
constants within 1e-9 of 0, 1 and -1 snapped to them ('=': changes nothing, or was not built).
limit: our operations at two per cycle [ns] (a multiply-add is two operations; sine and cosine of
an angle are one, which they are not), ratio: our time over it. CasADi's mass matrix is the upper
triangle only, ours is complete. talos: three angles for the attitude of its base; talos, free: a
unit quaternion, as the peers have in both."""


def run(every_model: bool = False, rounds: int = ROUNDS) -> Findings:
    """Measure and print.

    Args:
        every_model: add the generic chains.
        rounds: number of runs of each contestant.
    """
    ghz = machine_facts()["ghz"]
    findings = Findings()
    for model in (*MODELS, *(CHAINS if every_model else ())):
        progress(f"speed: {model}")
        rows = _measured(model, ghz, rounds)
        findings.rows += rows
        findings.bars += [bar for row in rows for bar in _bars(row)]
        findings.bars += _base_bars(rows)
    show(HEADERS, [line for row in findings.rows for line in _lines(row)], left=3)
    note(LEGEND)
    return findings


def _measured(model: str, ghz: float, rounds: int) -> list[Row]:
    plant = compiled(model)
    ours = {function: [contestant(model, function, plant)] for function in VARIANTS}
    labels = {model: "inloop"}
    if model == FREE:
        free, labels[f"{model}, free"] = compiled_free(model), "free"
        for function, contestants in ours.items():
            contestants.append(contestant(model, function, free, "free"))
    table = measure(model, VARIANTS, KINDS, ours, rounds)
    return [
        _row(name, function, table[function], ghz, own)
        for name, own in labels.items()
        for function in VARIANTS
    ]


def _row(model: str, function: str, figures: Mapping[str, Figures], ghz: float, own: str) -> Row:
    """Figures of one function of one model; a peer that could not be built is None."""
    operations = int(figures[own]["operations"]["total"])
    raw = {name: each for name, each in figures.items() if "snapped" not in name}
    return {
        "model": model,
        "function": function,
        "operations": operations,
        "limit_ns": limit_ns(operations, ghz),
        "inloop": _times(figures[own]),
        "pinocchio": _times(fastest(figures, "pinocchio")),
        "casadi": _times(fastest(raw, "casadi")),
        "snapped": _times(fastest(figures, "casadi-snapped")),
    }


def _times(figures: Figures | None) -> dict[str, float] | None:
    if figures is None:
        return None
    hot, cold = figures["hot"], figures["sleep"]
    return {"best": hot["best"], "median": hot["median"], "cold": cold["median"]}


def _promised(row: Row, peer: str) -> float | None:
    if peer == "pinocchio":
        return PINOCCHIO_BARS.get(row["model"], {}).get(row["function"])
    return CASADI_BAR


def _bars(row: Row) -> list[Bar]:
    names = {"pinocchio": "Pinocchio", "casadi": "CasADi", "snapped": "CasADi snapped"}
    bars = []
    for peer, name in names.items():
        promised = _promised(row, peer)
        if promised is not None and row[peer] is not None:
            what = f"{row['model']} {FUNCTIONS[row['function']]} against {name}"
            bars.append(Bar(what, row[peer]["best"] / row["inloop"]["best"], promised))
    return bars


def _base_bars(rows: list[Row]) -> list[Bar]:
    """Direct dynamics with a quaternion against angles, in the same run."""
    best = {row["model"]: row["inloop"]["best"] for row in rows if row["function"] == "aba"}
    if f"{FREE}, free" not in best:
        return []
    what = f"{FREE} direct_dynamics, quaternion base against angles"
    return [Bar(what, best[FREE] / best[f"{FREE}, free"], QUATERNION_BAR)]


def _lines(row: Row) -> list[list[str]]:
    """Best, median and cold times, the bars, and the theoretical limit of the best."""
    limit, best = row["limit_ns"], row["inloop"]["best"]
    lines = [_line(row, key) for key in TIMES]
    lines[0][:2] = [row["model"], FUNCTIONS[row["function"]]]
    lines[0][-3:] = [f"{row['operations']:,}", f"{limit:.0f}", f"{best / limit:.2f}"]
    return lines


def _line(row: Row, key: str) -> list[str]:
    own = row["inloop"][key]
    cells = ["", "", key, f"{own:.0f}"]
    for peer in PEERS:
        if row[peer] is None:
            cells += ["=", "", ""]
            continue
        promised = _promised(row, peer) if key == "best" else None
        bar = "" if promised is None else f"≥{promised:.1f}"
        cells += [f"{row[peer][key]:.0f}", f"{row[peer][key] / own:.2f}", bar]
    return [*cells, "", "", ""]
