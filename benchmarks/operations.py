"""Operation counts: after each pass, by design choice, against ROBOTRAN and the literature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import inloop as il
from benchmarks.peers.toolchain import BuildError
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.formalisms import Derivation
from inloop.plant.passes import run_passes

INVERSE, BOTH, DIRECT = "inverse_dynamics", "mass_matrix_and_bias", "direct_dynamics"
WALKMAN_FUNCTIONS = (INVERSE, BOTH, DIRECT, "mass_matrix", "bias", "energy")
# headers of the files ROBOTRAN generated for WALK-MAN
ROBOTRAN = {INVERSE: 7081, BOTH: 37669}
BARS = {INVERSE: 5700, BOTH: 12500}
# multiplications + additions of inverse dynamics, of M and c; every inertial parameter a symbol
LITERATURE = {
    "generic 6R": (
        ("Luh, Walker, Paul 1980", "852 + 738", "-"),
        ("Featherstone: RNEA, CRBA", "712 + 550", "1172 + 945"),
        ("Balafoutis, Patel", "489 + 421", "-"),
        ("Khalil, Kleinfinger, base parameters", "425 + 369", "-"),
        ("plain tracer, 10 parameters per link", "491 + 418", "1663 + 1346"),
    ),
    "PUMA 560": (
        ("plain tracer, 10 parameters per link", "298 + 284", "818 + 671"),
        ("plain tracer, base parameters", "259 + 245", "663 + 526"),
        ("plain tracer, base, diagonal inertia", "214 + 170", "556 + 380"),
    ),
}
OURS = {"inloop, every parameter live": "all", "inloop, numbers constant": ()}
ARITHMETIC = ("add", "mul", "div")
CASADI_MODELS = ("ur5", "panda7", "talos")
LEGEND = """\
Every parameter live, force and torque inputs on every body, as ROBOTRAN counts; the angles whose
sine and cosine are needed count one each. 'derived': as the formalism writes it, with the rewrite
rules and without dead code; 'factor': common factors taken out; 'hoist': what depends on
parameters only moved into `prepare` ({prepare:,} operations for all these functions together)."""


def run(walkman: Path) -> Findings:
    """Count and print.

    Args:
        walkman: ROBOTRAN's model of the humanoid WALK-MAN.
    """
    findings = Findings()
    if walkman.exists():
        progress("operations: walkman")
        mechanism = il.load(walkman).build()
        _show_passes(mechanism, findings)
        _show_choices(mechanism, findings)
    else:
        note(f"{walkman.name} is not there (give its path with --walkman): no counts for it.")
    progress("operations: arms")
    _show_literature(findings)
    _show_casadi(findings)
    return findings


def _counted(derivation: Derivation, functions: Sequence[str]) -> tuple[list[Row], int]:
    """Counts of functions after each pass, and those of `prepare`."""
    programs = [derivation.program(name) for name in functions]
    prepare, done, reports = run_passes(programs, derivation.parameters)
    rows = [
        {"function": report.function, **report.totals, "counts": program.operations()}
        for report, program in zip(reports, done, strict=True)
    ]
    return rows, prepare.operations()["total"]


# walkman


def _show_passes(mechanism: il.Mechanism, findings: Findings) -> None:
    rows, prepare = _counted(Derivation(mechanism, "all", "all"), WALKMAN_FUNCTIONS)
    passes = [key for key in rows[0] if key not in ("function", "counts")]
    headers = ["walkman", *passes, "mul", "add", "div", "sincos", "ROBOTRAN", "ratio", "bar"]
    show(headers, [_pass_cells(row, passes) for row in rows])
    note(LEGEND.format(prepare=prepare))
    for row in rows:
        if row["function"] in BARS:
            what = f"walkman {row['function']}, every parameter live"
            bar = BARS[row["function"]]
            findings.bars.append(Bar(what, row[passes[-1]], bar, "operations", at_least=False))
    findings.rows += [{"model": "walkman", **row} for row in rows]


def _pass_cells(row: Row, passes: Sequence[str]) -> list[str]:
    function, last = row["function"], row[passes[-1]]
    kinds = [f"{row['counts'][kind]:,}" for kind in ("mul", "add", "div", "sincos")]
    cells = [function, *(f"{row[name]:,}" for name in passes), *kinds]
    if function not in BARS:
        return [*cells, "", "", ""]
    peer = ROBOTRAN[function]
    return [*cells, f"{peer:,}", f"{peer / last:.2f}", f"≤{BARS[function]:,}"]


def _show_choices(mechanism: il.Mechanism, findings: Findings) -> None:
    """Savings of each choice, changed one at a time."""
    plain = Derivation(mechanism, "all", "all")
    plain.base = plain.skeleton  # before anything is derived from it
    variants = {
        "as above": Derivation(mechanism, "all", "all"),
        "inertial parameters not regrouped": plain,
        "no external forces": Derivation(mechanism, "all", ()),
        "numbers constant": Derivation(mechanism, (), "all"),
        "numbers constant, no external forces": Derivation(mechanism, (), ()),
    }
    lines = []
    for name, derivation in variants.items():
        rows, prepare = _counted(derivation, (INVERSE, BOTH, "mass_matrix", "bias"))
        totals = [row["counts"]["total"] for row in rows]
        apart = totals[2] + totals[3]
        cells = [totals[0], totals[1], apart, apart - totals[1], prepare]
        lines.append([name, *(f"{value:,}" for value in cells)])
        keys = ("inverse", "mass_and_bias", "mass_and_bias_apart", "shared", "prepare")
        findings.rows.append({"walkman": name, **dict(zip(keys, cells, strict=True))})
    note("")
    show(["walkman", "inverse", "M and c", "M, c apart", "shared", "prepare"], lines)


# arms


def _show_literature(findings: Findings) -> None:
    """PUMA 560 and a generic arm, multiplications + additions, against published counts."""
    models = {"generic 6R": gallery.get("chain"), "PUMA 560": gallery.get("puma560")}
    lines = []
    for name, exhibit in models.items():
        mechanism = exhibit.make().build()
        lines += [[name, *published] for published in LITERATURE[name]]
        for label, live in OURS.items():
            rows, _ = _counted(Derivation(mechanism, live), (INVERSE, BOTH))
            pairs = [f"{row['counts']['mul']} + {row['counts']['add']}" for row in rows]
            lines.append([name, label, *pairs])
            findings.rows.append({"model": name, "live": bool(live), "counts": rows})
    note("")
    show(["arm", "multiplications + additions", "inverse", "M and c"], lines, left=2)
    note(
        "The plain tracer: recursive Newton-Euler with shared terms, no zeros, no dead code; M\n"
        "column by column. Our PUMA 560 also carries the six motor inertias and a payload."
    )


def _show_casadi(findings: Findings) -> None:
    """Direct dynamics against CasADi's C of Pinocchio's algorithm."""
    try:
        rows = [_beside_casadi(model) for model in CASADI_MODELS]
    except ImportError as error:
        note(f"No counts of CasADi: '{error.name}' is missing (pip install inloop[bench]).")
        return
    except BuildError as error:
        note(f"No counts of CasADi: {str(error).splitlines()[0]}")
        return
    findings.rows += rows
    note("")
    headers = ["direct dynamics: add/mul/div", "CasADi", "snapped", "inloop", "ratio", "snapped"]
    show(headers, [_casadi_cells(row) for row in rows])


def _beside_casadi(model: str) -> Row:
    from benchmarks.peers.build import VARIANTS, casadi_source, model_files

    row: Row = {"model": model}
    for name, snap in (("casadi", False), ("snapped", True)):
        variants = [casadi_source(model, variant, snap).operations for variant in VARIANTS["aba"]]
        row[name] = min(variants, key=_arithmetic)
    mechanism = il.load(model_files(model).inloop_urdf, mimic=False).build()
    rows, _ = _counted(Derivation(mechanism), (INVERSE, DIRECT))
    return {**row, "inloop": rows[1]["counts"]}


def _casadi_cells(row: Row) -> list[str]:
    counts = [row[name] for name in ("casadi", "snapped", "inloop")]
    texts = [" / ".join(f"{own[kind]:,}" for kind in ARITHMETIC) for own in counts]
    ratios = [f"{_arithmetic(own) / _arithmetic(counts[-1]):.2f}" for own in counts[:-1]]
    return [row["model"], *texts, *ratios]


def _arithmetic(counts: Mapping[str, float]) -> float:
    return sum(counts[kind] for kind in ARITHMETIC)
