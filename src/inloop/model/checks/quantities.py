"""Quantities that laws use of other elements: they exist, and cause no algebraic loop."""

from __future__ import annotations

from collections.abc import Iterable

from inloop.model.checks.findings import Findings
from inloop.model.draft import Draft, LawDraft
from inloop.model.geometry import Scalar
from inloop.model.modes.elements import Quantity
from inloop.model.names import quoted, suggestion
from inloop.symbolic import Expr

REACTIONS = ("force", "effort")  # known only together with the accelerations


def check_quantities(draft: Draft, findings: Findings) -> None:
    """Report quantities that do not exist, or that depend on the result of the law."""
    for law in draft.laws:
        for item in law.quantities:
            _check_name(draft, law, item, findings)
        _check_direct_use(law, findings)
    _check_circles(draft, findings)


def _check_name(draft: Draft, law: LawDraft, item: Quantity, findings: Findings) -> None:
    if item.kind == "out":
        known = [output.name for other in draft.laws for output in other.outputs]
        exists = item.key in known
    elif item.kind == "effort":
        driven = [draft.body_of_joint(drive.joint) for drive in draft.drives]
        known = [body.joint.name for body in driven if body is not None]
        body = draft.body_of_joint(item.key)
        exists = body is not None and body.joint.name in known
    else:
        known = [loop.name for loop in draft.loops]
        known += [item.name for item in draft.constraints]
        known += [item.name for item in draft.couplings]
        known += [lock.name for lock in draft.locks]
        exists = any(item.key == name or item.key.startswith(f"{name}.") for name in known)
    if not exists:
        what = {"out": "output of a law", "effort": "driven joint", "force": "constraint"}
        findings.mistake(
            f"{law.kind} {quoted(law.name)}: there is no {what[item.kind]} {quoted(item.key)}",
            law.where,
            suggestion(item.key, known),
        )


def _check_direct_use(law: LawDraft, findings: Findings) -> None:
    """Report reactions used in the result of a law; only its state rates may use them."""
    names = {s: f"{item.kind}[{quoted(item.key)}]" for item in law.quantities
             for s in item.symbols if item.kind in REACTIONS}  # fmt: skip
    if "radial" in law.symbols:
        names[law.symbols["radial"]] = "'radial'"
    outputs = [output.value for output in law.outputs]
    used = [names[s] for s in symbols_of((*law.components, *outputs)) if s in names]
    if used:
        state = "radial" if used[0] == "'radial'" else used[0]
        findings.mistake(
            f"{law.kind} {quoted(law.name)}: only the rates of its states may use "
            f"{used[0]}, which itself depends on the result of the law",
            law.where,
            f'Filter it with a state: states={{"N": 0.0}} with the rate ({state} - N)/1e-3.',
        )


def _check_circles(draft: Draft, findings: Findings) -> None:
    """Report outputs that depend on themselves through other laws."""
    needs: dict[str, list[str]] = {}
    for law in draft.laws:
        keys = {s: item.key for item in law.quantities if item.kind == "out" for s in item.symbols}
        for output in law.outputs:
            needs[output.name] = [keys[s] for s in symbols_of([output.value]) if s in keys]
    for law in draft.laws:
        for output in law.outputs:
            if output.name in _reached(needs, output.name):
                findings.mistake(
                    f"{law.kind} {quoted(law.name)}: its output {quoted(output.name)} depends on "
                    "itself through other laws",
                    law.where,
                    "Break the cycle: let one of them use a state that follows the other.",
                )
                return


def _reached(needs: dict[str, list[str]], start: str) -> set[str]:
    """All outputs that an output depends on."""
    found: set[str] = set()
    ahead = list(needs[start])
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += needs.get(name, [])
    return found


def symbols_of(scalars: Iterable[Scalar]) -> list[Expr]:
    """Symbols that scalars depend on."""
    exprs = [x for x in scalars if isinstance(x, Expr)]
    return exprs[0].graph.symbols_of(exprs) if exprs else []
