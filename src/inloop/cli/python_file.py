"""The mechanism described by a Python file."""

from __future__ import annotations

import contextlib
import inspect
import runpy
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import inloop as il
from inloop.errors import FileFormatError, near_names

NAMES = ("model", "plant")  # names that are tried first
WANTED = (
    "Define `model` (or `plant`), either an object or a function without arguments "
    "that returns one, or keep a single il.Model under any name."
)


@dataclass(frozen=True)
class Compiled:
    """A plant compiled by a file, in place of a model.

    Attributes:
        plant: the plant.
    """

    plant: il.Plant

    def build(self) -> il.Mechanism:
        """The mechanism of the plant."""
        return self.plant.mechanism

    def compile(self) -> il.Plant:
        """The plant."""
        return self.plant


Described = il.Model | Compiled


def model_of_file(path: Path) -> tuple[Described, Mapping[str, Any]]:
    """Run a Python file, with its folder on the path: the model it describes, and its names.

    Raises:
        FileFormatError: it cannot be run, or does not define exactly one model; the message says
            what was expected and what was found.
    """
    with _running(path):
        names = runpy.run_path(str(path), run_name="inloop_model")
        return _described(names, path.name), names


def names_of_file(path: Path) -> Mapping[str, Any]:
    """Run a Python file likewise, whether or not it describes a model; return its names.

    Raises:
        FileFormatError: it cannot be run.
    """
    with _running(path):
        return runpy.run_path(str(path), run_name="inloop_model")


@contextlib.contextmanager
def _running(path: Path) -> Iterator[None]:
    """Run a file with its folder on the path; errors are reported with its line."""
    if not path.is_file():
        raise FileFormatError(f"there is no file {str(path)!a}", fix="Check the path.")
    with _importing_from(path.resolve().parent):
        try:
            yield
        except il.InloopError:
            raise
        except (Exception, SystemExit) as error:
            raise FileFormatError(
                f"{path.name} failed with {type(error).__name__}: {error}",
                where=_place(error),
                fix="Run it with python to see more.",
            ) from error


def _described(names: Mapping[str, Any], file: str) -> Described:
    for name in NAMES:
        if name in names:
            return _made(names[name], name, file)
    models = {id(value): value for value in names.values() if isinstance(value, il.Model)}
    plants = {id(value): value for value in names.values() if isinstance(value, il.Plant)}
    for found in (models, plants):
        if len(found) == 1:
            return _made(next(iter(found.values())), "", file)
    if models:
        held = [name for name, value in names.items() if isinstance(value, il.Model)]
        raise FileFormatError(
            f"{file} defines {len(models)} models: {', '.join(held)[:200]}",
            fix="Call the one to use `model`.",
        )
    functions = [name for name, value in names.items() if inspect.isfunction(value)]
    near = near_names("make_model", functions, cutoff=0.5)
    hint = f"If `{near[0]}` returns it, write: model = {near[0]}. " if near else ""
    what = f"{file} defines no il.Model, and neither `model` nor `plant`"
    raise FileFormatError(what, fix=f"{hint}{WANTED}")


def _made(value: Any, name: str, file: str) -> Described:
    """The model to which a name of the file refers."""
    if callable(value) and not isinstance(value, il.Model | il.Plant):
        needed = [
            p.name
            for p in inspect.signature(value).parameters.values()
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        if needed:
            raise FileFormatError(
                f"{file}: {name}({', '.join(needed)}) needs arguments",
                fix="Give them default values.",
            )
        value = value()
    if isinstance(value, il.Plant):
        return Compiled(value)
    if isinstance(value, il.Model):
        return value
    raise FileFormatError(f"{file}: `{name}` is, or returns, a {type(value).__name__}", fix=WANTED)


@contextlib.contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Allow imports from the folder of a file, as `python FILE` does."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(str(folder))


def _place(error: BaseException) -> str:
    """File and line of an error."""
    if isinstance(error, SyntaxError):
        # binary files have none
        return f"{error.filename}:{error.lineno}" if error.filename else ""
    line = traceback.extract_tb(error.__traceback__)[-1]
    return f"{line.filename}:{line.lineno}"
