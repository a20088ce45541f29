"""Arguments that a function does not have: an error that names those that were probably meant."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from inspect import Parameter
from typing import Any, TypeVar, cast

from inloop.errors import InputError, near_names
from inloop.model.names import quoted

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

# what other programs call it
SYNONYMS: dict[str, tuple[str, ...]] = {
    "step": ("dt", "h", "timestep", "time_step", "step_size", "max_step", "delta_t"),
    "t_end": ("duration", "time", "T", "tf", "t_final", "tstop", "t_stop", "t_max", "seconds"),
    "seconds": ("duration", "time", "t_end", "tend", "T", "tf"),
    "rate": ("frequency", "freq", "hz", "fs", "dt", "step"),
    "method": ("integrator", "solver", "scheme"),
    "tolerance": ("rtol", "tol", "atol"),
    "sample": ("sampling", "sample_time", "output_step", "dt_out"),
    "q": ("q0", "x0", "y0", "initial", "position", "positions", "qpos"),
    "qd": ("qd0", "v0", "dq", "v", "velocity", "velocities", "qvel"),
    "qdd": ("ddq", "a", "acceleration", "accelerations"),
    "tau": ("torque", "torques", "effort", "efforts", "force", "forces"),
    "inputs": ("u", "input", "controls"),
    "parameters": ("params", "p", "parameter"),
    "runs": ("n", "count", "n_runs", "number"),
    "start": ("restart", "continue_from", "previous"),
    "directory": ("path", "out", "folder"),
    "actuated": ("motors", "actuators"),
    "backend": ("language", "target"),
    "on": ("parent", "at", "base", "attached_to"),
    "com": ("center", "cog", "center_of_mass", "offset"),
    "mass": ("m", "weight"),
    "inertia": ("I", "J", "moments"),
    "packages": ("package_dirs", "mesh_dir", "package_path"),
}

# (function, argument of a related one) → how to say it here
ELSEWHERE = {
    ("simulate", "parameters"): 'Set plant.parameters["name"] = value before the run.',
}


def meant_by(wrong: str, known: Iterable[str]) -> str | None:
    """The argument that was probably meant, or None."""
    names = list(known)
    for name in names:
        if wrong in SYNONYMS.get(name, ()):
            return name
    near = near_names(wrong, names)
    return near[0] if near else None


def unknown_keyword(function: str, wrong: str, known: Iterable[str]) -> InputError:
    """The error of an argument that a function does not have."""
    names = list(known)
    meant = meant_by(wrong, names)
    fix = f"Did you mean {meant}?" if meant else f"It takes {', '.join(names)}."
    fix = ELSEWHERE.get((function, wrong), fix)
    return InputError(f"{function} has no argument {quoted(wrong)}", fix=fix)


def checked_calls(made: Class) -> Class:
    """A class whose methods, and those that it has inherited, answer calls that do not fit them."""
    for name, method in inspect.getmembers(made, inspect.isfunction):
        if name == "__init__":
            setattr(made, name, checked_call(method, made.__name__))
        elif not name.startswith("_"):
            setattr(made, name, checked_call(method))
    return made


def checked_call(function: Function, called: str = "") -> Function:
    """A function that answers a call that does not fit it with the arguments that it has.

    Args:
        function: the function.
        called: its name in messages, if that is another one.
    """
    shown = called or function.__name__
    signature = inspect.signature(function)
    parameters = signature.parameters.values()
    collects = any(p.kind is Parameter.VAR_KEYWORD for p in parameters)
    open_ended = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    named = [p.name for p in parameters if p.kind not in open_ended]
    known = [name for name in named if name not in ("self", "plant", "model")]
    takes_plant = named[:1] == ["plant"] and signature.parameters["plant"].annotation == "BarePlant"

    @functools.wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        for wrong in keywords:
            if wrong not in signature.parameters and not collects:
                raise unknown_keyword(shown, wrong, known)
        try:
            signature.bind(*args, **keywords)
        except TypeError as error:
            raise _misfit(shown, str(error), keywords, known) from None
        if takes_plant:
            need_plant(shown, args[0] if args else keywords["plant"])
        return function(*args, **keywords)

    return cast(Function, checked)


def need_plant(function: str, given: object) -> None:
    """Refuse what has no equations: a model that was not compiled, or the name of one."""
    if not hasattr(given, "mechanism"):
        raise InputError(
            f"{function} needs a compiled plant, got {quoted(given)}",
            fix="Compile the model first: plant = model.compile().",
        )


def _misfit(function: str, why: str, given: Iterable[str], known: list[str]) -> InputError:
    """The error of a call with too many arguments, or too few."""
    for wrong in given:
        if wrong not in known and meant_by(wrong, known):
            return unknown_keyword(function, wrong, known)
    takes = ", ".join(known) or "no arguments"
    return InputError(f"{function}: {why}", fix=f"By name, it takes {takes}.")


def spelled_out(source: Callable[..., Any]) -> Callable[[Function], Function]:
    """Show the keywords of `source` in a function that passes `**options` on to it.

    Signature and docstring become those of a function that has them itself; type checkers read
    the annotation of `**options`.

    Args:
        source: a dataclass or a function.
    """

    def spell(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        others = [
            p.replace(kind=Parameter.KEYWORD_ONLY)
            for p in inspect.signature(source).parameters.values()
            if p.name not in signature.parameters
        ]
        whole = signature.replace(parameters=[*own, *others])
        vars(function)["__signature__"] = whole
        text, mark = inspect.getdoc(function) or "", f"options: those of `{source.__name__}`."
        assert mark in text, function
        described = _described(source, {p.name for p in others})
        function.__doc__ = text.replace(mark, textwrap.indent(described, "    ").lstrip())
        return function

    return spell


def _described(source: Callable[..., Any], names: set[str]) -> str:
    """The lines of a docstring that describe some attributes or arguments."""
    text = inspect.getdoc(source) or ""
    _, _, below = text.partition("Attributes:\n" if inspect.isclass(source) else "Args:\n")
    section = textwrap.dedent(below.partition("\n\n")[0])
    entries = re.split(r"^(?=\w+: )", section, flags=re.MULTILINE)
    return "".join(e for e in entries if e.partition(":")[0] in names).rstrip()
