"""Compilers and their flags, the best found for each peer (see ../README.md)."""

from __future__ import annotations

import math
import os
import shutil
import site
import subprocess
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parent

# Pinocchio's own build sets these; its headers do not compile without them
PINOCCHIO_DEFINES = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
# clang fuses multiply-adds across statements and pairs sin with cos only with flags; gcc does both
NATIVE = ("-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno")
# Pinocchio's many small templates gain 5 to 9 % (ABA) if clang inlines more than by default
PINOCCHIO_COMPILER = ("clang++", "-std=c++17", *NATIVE, "-mllvm", "-inline-threshold=2000")
C_COMPILERS = {"gcc": ("gcc", *NATIVE), "clang": ("clang", *NATIVE)}


class BuildError(RuntimeError):
    """A peer could not be built; the text says which and why."""


class CompileTimeoutError(BuildError):
    """The compiler used up its processor time."""


def compiler(name: str) -> str:
    """Path of a compiler, or an error that says how to get it."""
    path = shutil.which(name)
    if path is None:
        raise BuildError(f"'{name}' is not installed, the peers need it; apt-get install clang g++")
    return path


@cache
def compiler_identity(name: str) -> str:
    """Version of a compiler and the processor it targets: part of the cache key."""
    version = subprocess.run(
        [compiler(name), "--version"], capture_output=True, text=True, check=True
    )
    return version.stdout + cpu_model()


def cpu_model() -> str:
    """Name of the processor as the kernel gives it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return os.uname().machine


def pinocchio_flags() -> list[str]:
    """Where the wheels put the headers of Pinocchio, Boost and Eigen."""
    include = _package_path("cmeel.prefix/include/pinocchio").parent
    eigen = _package_path("cmeel.prefix/include/eigen3")
    return [*PINOCCHIO_DEFINES, "-isystem", str(include), "-isystem", str(eigen)]


def casadi_flags() -> list[str]:
    """Headers and library of the CasADi wheel."""
    home = _package_path("casadi")
    include, rpath = str(home / "include"), f"-Wl,-rpath,{home}"
    return ["-isystem", include, f"-L{home}", "-lcasadi", rpath]


def run_compiler(arguments: Sequence[str], cpu_seconds: float = math.inf) -> None:
    """Run a compiler at low priority.

    Raises:
        CompileTimeoutError: it needed more than `cpu_seconds` of processor time.
        BuildError: it failed; the text ends with its last output.
    """
    limit = ["prlimit", f"--cpu={cpu_seconds:.0f}"] if cpu_seconds < math.inf else []
    start = time.perf_counter()
    command = [*limit, "nice", compiler(arguments[0]), *arguments[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and time.perf_counter() - start > cpu_seconds:
        raise CompileTimeoutError(
            f"{' '.join(arguments)}\nstopped after {cpu_seconds:.0f} s of CPU"
        )
    if done.returncode:
        raise BuildError(f"{' '.join(arguments)}\n{done.stderr.strip()[-2000:]}")


def _package_path(relative: str) -> Path:
    for packages in site.getsitepackages():
        if (Path(packages) / relative).exists():
            return Path(packages) / relative
    raise BuildError(
        f"{relative} is not in this Python's site-packages; "
        "pip install pin cmeel-eigen casadi example-robot-data"
    )
