"""Controllers of exhibits: found by name, started as programs; those in C are compiled first."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import inloop as il
from inloop import gallery
from inloop.cli.derivation import derive
from inloop.cli.text_files import emit
from inloop.errors import name_hint
from inloop.gallery import Controller, CProgram, Exhibit
from inloop.native import explain_no_compiler, find_compiler


def own_controller(name: str | None, names: Mapping[str, Any]) -> Any:
    """The function, or an instance of the class, of this name in the user's file; else None.

    Args:
        name: name of the function or class.
        names: all global names of the file.
    """
    found = names.get(name) if name else None
    if isinstance(found, type):
        try:
            return found()
        except Exception as error:
            raise il.InputError(
                f"controller '{name}' could not be created: {type(error).__name__}: {error}",
                fix="Give the arguments of its class default values, or assign an instance to a "
                "global name and use that.",
            ) from error
    return found


def is_unknown(name: str | None) -> bool:
    """Whether it is given, and neither a command nor a controller of the gallery."""
    return name is not None and name.isidentifier() and find_controller(name, None) is None


def no_controller(file: str, name: str, names: Mapping[str, Any]) -> il.InputError:
    """The error of a controller that a Python file does not define."""
    functions = [
        word
        for word, value in names.items()
        if inspect.isfunction(value) or isinstance(value, type)
        if not word.startswith("_")
    ]
    hint = name_hint(name, functions) if functions else "It defines none."
    return il.InputError(
        f"{file[:200]!a} has no function or class {name[:60]!a}",
        fix=f"{hint} A controller is a function of time and outputs.",
    )


def find_controller(name: str, exhibit: Exhibit | None) -> Controller | None:
    """A controller of the exhibit, or a suitable one of another exhibit; else None.

    Args:
        name: name of the controller.
        exhibit: the plant's exhibit in the gallery, if any.
    """
    if exhibit is not None and name in exhibit.controllers:
        return exhibit.controllers[name]
    if not name.isidentifier():  # rather a command; importing exhibits takes a while
        return None
    found = (e.controllers[name] for e in gallery.exhibits() if name in e.controllers)
    return next(found, None)


def known_controllers(*, settings: bool = False) -> list[str]:
    """Names of all controllers of the gallery, or only of those that read settings."""
    return [
        name
        for exhibit in gallery.exhibits()
        for name, controller in exhibit.controllers.items()
        if controller.settings or not settings
    ]


def controller_command(
    controller: Controller, plant: str, settings: str | None, directory: Path
) -> list[str]:
    """The command that starts a controller.

    Args:
        controller: the controller.
        plant: name of the plant.
        settings: file that the controller reads while it runs.
        directory: build directory of C programs.
    """
    program = controller.program
    if isinstance(program, CProgram):
        words = [str(build_program(program, directory)), *program.words, plant]
        return [*words, settings] if settings else words
    words = [sys.executable, "-m", program, plant]
    return [*words, "--settings", settings] if settings else words


def build_program(program: CProgram, directory: Path) -> Path:
    """Write sources to a directory and compile them; return the program."""
    compiler = find_compiler()
    if compiler is None:
        raise il.BuildError("the controller cannot be compiled", fix=explain_no_compiler())
    texts = emit(derive(program.model().build(), list(program.functions)), "c")
    texts[program.source.name] = program.source.read_text(encoding="utf-8")
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    sources = sorted(name for name in texts if name.endswith(".c"))
    target = program.source.stem
    command = [
        *compiler.command, "-std=c99", "-O2", "-D_GNU_SOURCE", f"-I{il.include_dir()}", *sources,
        "-o", target, "-lm",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise il.BuildError(f"the controller cannot be compiled: {done.stderr[-400:]}")
    return directory / target
