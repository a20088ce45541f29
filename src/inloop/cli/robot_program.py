"""Builds the robot's controller in C, with the inverse dynamics that inloop generates for it."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from pathlib import Path

import inloop as il
from inloop import gallery
from inloop.cli.derivation import derive
from inloop.cli.text_files import emit
from inloop.native import explain_no_compiler, find_compiler


def build_robot_controller(directory: Path) -> Path:
    """Write sources into a directory and compile them; returns the program."""
    compiler = find_compiler()
    if compiler is None:
        raise il.BuildError("the controller cannot be compiled", fix=explain_no_compiler())
    mechanism = gallery.get("puma560").build().build()
    texts = emit(derive(mechanism, ["inverse_dynamics"]), "c")
    own = files("inloop.gallery").joinpath("controllers", "robot_controller.c")
    texts["robot_controller.c"] = own.read_text(encoding="utf-8")
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    sources = sorted(name for name in texts if name.endswith(".c"))
    command = [
        *compiler.command, "-std=c99", "-O2", "-D_GNU_SOURCE", f"-I{il.include_dir()}", *sources,
        "-o", "robot_controller", "-lm",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise il.BuildError(f"the controller cannot be compiled: {done.stderr[-400:]}")
    return directory / "robot_controller"
