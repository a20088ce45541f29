"""How a law of any kind comes into a draft: read, named, traced with placeholders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inloop.model.draft import Draft, LawDraft, LawKind
from inloop.model.handles import Handle, read_path
from inloop.model.intake import Intake
from inloop.model.laws.effects import Axes
from inloop.model.laws.quantities import Quantities
from inloop.model.laws.results import read_extras, trace_law
from inloop.model.laws.tracing import Law
from inloop.model.modes.elements import QuantityKind
from inloop.model.names import quoted
from inloop.symbolic import Graph

States = Mapping[str, float]
Outputs = Mapping[str, str]
OF_OTHERS: tuple[QuantityKind, ...] = ("force", "effort", "out")  # what laws may use by name
SIZES: dict[LawKind, int] = {
    "joint_force": 1, "line_force": 1, "force": 3, "torque": 3, "frame_force": 6
}  # fmt: skip
_ENDINGS: dict[LawKind, str] = {"joint_force": "effort", "coupled_force": "efforts"}


def declare_law(
    draft: Draft,
    kind: LawKind,
    targets: tuple[object, ...],
    law: Law,
    name: str | None,
    frame: Axes = "world",
    states: States | None = None,
    outputs: Outputs | None = None,
    ending: str = "",
) -> str:
    """Trace a law and put it into the draft; mistakes are kept there.

    Args:
        draft: the model so far.
        kind: what the law acts on and how.
        targets: bodies, points, frames or their names, as many as the kind has.
        law: the user's function, or one that is written for the user.
        name: name of the law; made from its targets if not given.
        frame: axes of the components: "world" or "body".
        states: internal states of the law and their initial values.
        outputs: what the law makes known, names and units.
        ending: of a name that is made; the kind's own if not given.

    Returns:
        The name of the law.
    """
    read = draft.intake(kind)
    paths = tuple(read_path(read, draft, target, "target") or "" for target in targets)
    automatic = automatic_name(draft, ending or _ENDINGS.get(kind, kind), paths)
    read.label = f"{kind} {quoted(automatic if name is None else name)}"
    name = automatic if name is None else read.name(name)
    if str(frame) not in ("world", "body"):
        read.complain(f"unknown frame {quoted(frame)}", 'Write "world" or "body".')
    count = len(targets)
    symbols = placeholders(draft.graph, kind, name, count)
    where = read.where
    extras = read_extras(read, states, outputs, symbols)
    coupled = kind == "coupled_force"
    size, needs = (count, f"{count} efforts, one per joint") if coupled else (SIZES[kind], None)
    known = {str(kind): Quantities(draft, name, kind) for kind in OF_OTHERS}
    found = trace_law(read, law, {**known, **symbols}, extras, name, size, needs)
    used = tuple(item for group in known.values() for item in group.used.values())
    if all(paths):
        results = found.components, where, found.states, found.outputs, used
        draft.laws.append(LawDraft(kind, name, paths, frame, symbols, *results))
    return name


def automatic_name(draft: Draft, ending: str, paths: tuple[str, ...]) -> str:
    """Return a name such as "slider_force" or "rod_end_wall_line_force", not used yet."""
    stem = "_".join((*(path.replace(".", "_") for path in paths), ending))
    return draft.free_name(stem)


def element_reader(draft: Draft, kind: str, name: str | None, *targets: Handle | str) -> Intake:
    """Return a reader that calls an element by its name or by what it acts on."""
    paths = (target.path if isinstance(target, Handle) else target for target in targets)
    shown = ", ".join(map(str, paths)) if name is None else name
    return draft.intake(f"{kind} {quoted(shown)}")


def effort_unit(draft: Draft, joint: object) -> str:
    """Return the unit of a joint's effort; none for a joint that is not declared yet."""
    target = joint.path if isinstance(joint, Handle) else joint
    body = draft.body_of_joint(target) if isinstance(target, str) else None
    return body.joint.kind.dimension.effort.replace("·", "*") if body else ""


def placeholders(graph: Graph, kind: LawKind, name: str, count: int = 1) -> dict[str, Any]:
    """Return the symbols a law of this kind on `count` targets is traced with, by argument."""

    def one(argument: str) -> Any:
        return graph.symbol(f"{name}.{argument}")

    def three(argument: str) -> Any:
        return tuple(one(f"{argument}_{axis}") for axis in "xyz")

    def each(argument: str) -> Any:
        return tuple(one(f"{argument}_{k}") for k in range(1, count + 1))

    def nine(argument: str) -> Any:
        return tuple(three(f"{argument}_{axis}") for axis in "xyz")

    time = {"t": graph.symbol("t")}
    if kind == "joint_force":
        return {"q": one("q"), "qd": one("qd"), "radial": one("radial"), **time}
    if kind == "coupled_force":
        return {"q": each("q"), "qd": each("qd"), **time}
    if kind == "line_force":
        return {"l": one("l"), "ld": one("ld"), **time}
    if kind == "force":
        return {"p": three("p"), "v": three("v"), **time}
    if kind == "frame_force":
        return {**{argument: three(argument) for argument in "pvrw"}, "R": nine("R"), **time}
    return {"w": three("w"), "R": nine("R"), **time}
