"""Pages of the reference: every public name of `inloop` once, from its docstring."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence

import inloop as il
from inloop.joints import written

# page → title, what it is about, names; all others land on the last page
PAGES: dict[str, tuple[str, str, Sequence[str]]] = {
    "model": ("Models", "What you write: bodies, joints, laws, constraints.", ("Model",)),
    "elements": (
        "Elements of a model",
        "What methods of a model return and take.",
        ("Handle", "FlexibleLinkHandle", "Mechanism", "axis_angle", "rpy", "gain", "c_controller"),
    ),
    "plant": (
        "Plants",
        "The compiled equations, and all that can be done with them.",
        ("Plant", "Stepper", "compile_mechanism", "piecewise"),
    ),
    "results": (
        "Results and analyses",
        "What runs and analyses return.",
        (
            "Result",
            "ManyResult",
            "EventRecord",
            "Linear",
            "Equilibrium",
            "Eigenmodes",
            "EnergyAudit",
            "InverseRun",
            "Sweep",
            "fit",
            "Fitted",
            "ResidualError",
            "optimise",
            "Optimised",
            "SobolIndices",
            "sobol_indices",
            "read",
            "read_runs",
            "blank_figure",
        ),
    ),
    "realtime": (
        "Real time",
        "Plants against the clock, their mailbox and their recordings.",
        (
            "run",
            "start",
            "attach",
            "running",
            "Loop",
            "Mailbox",
            "Report",
            "ScriptedClock",
            "Grip",
            "record",
            "replay",
            "Recording",
            "include_dir",
            "show",
        ),
    ),
    "files": ("Files", "Reading mechanisms, roads and tyres.", ("load", "load_road", "load_tyre")),
    "linear": (
        "Solvers",
        "Sparse linear systems, and impulses of contacts.",
        ("SparseLU", "SolveReport", "solve_contacts", "ContactSolution"),
    ),
}
# packages with names of their own
PACKAGES = {
    "control": ("Control", "`il.control`: linear models and controllers designed from them."),
    "designs": ("Designs", "`il.designs`: which values many runs take."),
    "devices": ("Devices", "`il.devices`: sensors as they are, estimators, haptic devices."),
    "identify": ("Identification", "`il.identify`: inertias and friction from measured motion."),
    "sensors": ("Sensors", "`il.sensors`: what a model can measure."),
    "tyres": ("Tyres and roads", "`il.tyres`."),
    "gym": ("Environments", "`il.gym`: plants as environments of gymnasium."),
}
# options that are listed in the docstring, and defaults that have no text
SIGNATURES = {
    "run": "(plant, *, studio=False, browser=True, **options)",
    "start": "(plant, **options)",
}
MANY = 12  # members of a class from which on they are listed first
MODULES = {name for name in il.__all__ if inspect.ismodule(getattr(il, name))}


def pages() -> dict[str, str]:
    """The text of each page, by its name."""
    grouped = {name: list(names) for name, (_, _, names) in PAGES.items()}
    named = {name for names in grouped.values() for name in names}
    groups = {"joints": [], "shapes": [], "functions": [], "laws": [], "errors": [], "others": []}
    for name in il.__all__:
        if name not in named and name not in MODULES:
            groups[_group(name)].append(name)
    titles = {
        "joints": ("Joints", "Kinds of joints, for `m.body(…, joint=…)`."),
        "shapes": ("Shapes", "Shapes for bodies, contacts and pictures."),
        "functions": ("Functions for laws", "Functions that force laws may use beside NumPy's."),
        "laws": ("Laws of contacts", "Normal laws and friction of contacts."),
        "errors": ("Errors", "What can be raised; all of them are `InloopError`."),
        "others": ("Other names", "Names that belong nowhere else."),
    }
    found = {name: _page(title, words, grouped[name]) for name, (title, words, _) in PAGES.items()}
    found |= {name: _page(*titles[name], names) for name, names in groups.items() if names}
    for name, (title, words) in PACKAGES.items():
        module = importlib.import_module(getattr(il, name).__name__)
        found[name] = _page(title, words, module.__all__, module.__name__)
    order = [*PAGES, *(name for name in groups if groups[name]), *PACKAGES]
    found["index"] = _index(order)
    return found


def _group(name: str) -> str:
    item = getattr(il, name)
    module = getattr(item, "__module__", "") or ""
    if isinstance(item, type) and issubclass(item, Exception):
        return "errors"
    if name in written.__all__:
        return "joints"
    if module.startswith("inloop.symbolic"):
        return "functions"
    if module.startswith("inloop.geometry"):
        return "shapes"
    if module.startswith("inloop.model.contacts"):
        return "laws"
    return "others"


def _page(title: str, words: str, names: Sequence[str], module: str = "inloop") -> str:
    lines = [f"# {title}", "", words, ""]
    own = importlib.import_module(module)
    constants = [
        name
        for name in names
        if not inspect.isroutine(getattr(own, name)) and not inspect.isclass(getattr(own, name))
    ]
    for name in names:
        if name in constants:
            continue
        heading = [f"## {name}", ""] if len(names) > 1 else []
        lines += [
            *heading,
            "```{eval-rst}",
            *_members(module, name),
            _entry(module, name),
            "```",
            "",
        ]
    if constants:
        data = [f".. py:data:: {module}.{name}" for name in constants]
        lines += ["## Constants and types", "", "```{eval-rst}", *data, "```", ""]
    return "\n".join(lines)


def _members(module: str, name: str) -> list[str]:
    """Links to the methods of a class that has many."""
    item = getattr(importlib.import_module(module), name)
    if not inspect.isclass(item) or issubclass(item, BaseException):
        return []
    named = sorted(
        key
        for key, value in inspect.getmembers(item)
        if not key.startswith("_") and (callable(value) or isinstance(value, property))
        if value.__doc__
    )
    if len(named) < MANY:
        return []
    return [" · ".join(f":py:obj:`{key} <{module}.{name}.{key}>`" for key in named), ""]


def _entry(module: str, name: str) -> str:
    item = getattr(importlib.import_module(module), name)
    if not inspect.isclass(item):
        return f".. autofunction:: {module}.{name}{SIGNATURES.get(name, '')}\n"
    members = "" if issubclass(item, Exception) else "   :members:\n"
    # what classes of other packages bring is told there
    if all(base.__module__.startswith(("inloop", "builtins")) for base in item.__mro__):
        members += "   :inherited-members:\n"
    return f".. autoclass:: {module}.{name}\n{members}"


def _index(order: Sequence[str]) -> str:
    return "\n".join(
        [
            "# Reference",
            "",
            "Every public name of `inloop`, from its docstring: `import inloop as il`.",
            "",
            "```{toctree}",
            *order,
            "```",
            "",
        ]
    )
