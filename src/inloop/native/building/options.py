"""Flags of the C compiler."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

# flags of every .c file; none may change the semantics of NaN and infinity
DEFAULT_FLAGS: tuple[str, ...] = (
    "-std=c99",
    "-O2",
    "-march=native",
    "-mprefer-vector-width=256",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fPIC",
    "-fvisibility=hidden",
)

# added in tests: generated and hand-written C must compile without warnings
STRICT_FLAGS: tuple[str, ...] = ("-pedantic", "-Wall", "-Wextra", "-Werror")

# for scalar code with long dependency chains, such as Newton's method: packing and unpacking
# vectors only makes the chain longer
CHAIN_FLAGS: tuple[str, ...] = ("-O3", "-fno-tree-slp-vectorize")

# for the hand-written runtime: 3-vectors do not get faster as a pair plus a scalar (a rover on
# terrain takes 6 % less time without vectorization)
RUNTIME_FLAGS: tuple[str, ...] = ("-fno-tree-slp-vectorize",)

# for terms of equations that take less time than their solution: compiles in a third of the time,
# runs 10 % slower
TERMS_FLAGS: tuple[str, ...] = ("-Og",)

# link flags
LINK_FLAGS: tuple[str, ...] = ("-shared",)
LINK_LIBRARIES: tuple[str, ...] = ("-lm",)


@dataclass(frozen=True)
class BuildOptions:
    """Options for building a shared library from C text.

    Attributes:
        flags: flags of each compilation, in the spelling of gcc.
        extra_flags: appended to `flags`, so that they override them.
        strict: also enable all warnings and treat them as errors.
        libraries: libraries to link with.
        together: whether the sources share one name space, so that several can be compiled as one.
        linked: previously built libraries whose code is included in this one.
        jobs: number of parallel compilers; None takes `$INLOOP_JOBS`, else one per usable CPU. Not
            part of the key.
    """

    flags: tuple[str, ...] = DEFAULT_FLAGS
    extra_flags: tuple[str, ...] = ()
    strict: bool = False
    libraries: tuple[str, ...] = LINK_LIBRARIES
    together: bool = False
    linked: tuple[Path, ...] = ()
    jobs: int | None = None

    @property
    def compile_flags(self) -> tuple[str, ...]:
        """All flags of one compilation, in gcc spelling."""
        return self.flags + (STRICT_FLAGS if self.strict else ()) + self.extra_flags


DEFAULT_OPTIONS = BuildOptions()


def model_options(flags: tuple[str, ...] = (), linked: tuple[Path, ...] = ()) -> BuildOptions:
    """Build options for the code of a model.

    The flags in `$INLOOP_CFLAGS`, if any, come last: with "-O0" models compile faster and run
    slower. The hand-written runtime is not affected.

    Args:
        flags: appended to the default ones.
        linked: previously built libraries whose code is included in this one.
    """
    wished = tuple(shlex.split(os.environ.get("INLOOP_CFLAGS", "")))
    return BuildOptions(extra_flags=(*flags, *wished), together=True, linked=linked)
