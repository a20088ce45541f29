"""The flags of the C compiler: one tuple to change after a benchmark."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

# how every .c file is compiled; no flag here may change the meaning of NaN and infinity
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

# added in tests: generated and hand-written C must pass without a word
STRICT_FLAGS: tuple[str, ...] = ("-pedantic", "-Wall", "-Wextra", "-Werror")

# for scalar code in which each result waits for the one before, such as Newton's method: vectors
# that are put together and taken apart again only make the chain longer
CHAIN_FLAGS: tuple[str, ...] = ("-O3", "-fno-tree-slp-vectorize")

# for the hand-written runtime: vectors of three numbers do not become faster as a pair and one that
# is left over (a rover on terrain takes 6 % less time without them)
RUNTIME_FLAGS: tuple[str, ...] = ("-fno-tree-slp-vectorize",)

# for terms of equations whose solution takes longer than they do: compiled in a third of the time,
# and a tenth slower
TERMS_FLAGS: tuple[str, ...] = ("-Og",)

# how the objects become a library
LINK_FLAGS: tuple[str, ...] = ("-shared",)
LINK_LIBRARIES: tuple[str, ...] = ("-lm",)


@dataclass(frozen=True)
class BuildOptions:
    """How C text becomes a shared library.

    Attributes:
        flags: flags of each compilation, in the spelling of gcc.
        extra_flags: appended to `flags`, so that they win over them.
        strict: also ask for all warnings and treat them as errors.
        libraries: what to link with.
        together: the sources share one name space, so that several may be compiled as one.
        linked: libraries built before whose code this one shall hold too.
        jobs: compilers that run side by side; None takes `$INLOOP_JOBS`, else one per usable CPU.
            Not part of the key.
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
        """All flags of one compilation, in the spelling of gcc."""
        return self.flags + (STRICT_FLAGS if self.strict else ()) + self.extra_flags


DEFAULT_OPTIONS = BuildOptions()


def model_options(flags: tuple[str, ...] = (), linked: tuple[Path, ...] = ()) -> BuildOptions:
    """How the code of a model is compiled.

    The flags in `$INLOOP_CFLAGS`, if any, have the last word: with "-O0" models are there sooner
    and run slower. The hand-written runtime is compiled as ever.

    Args:
        flags: appended to the default ones.
        linked: libraries built before whose code this one shall hold too.
    """
    wished = tuple(shlex.split(os.environ.get("INLOOP_CFLAGS", "")))
    return BuildOptions(extra_flags=(*flags, *wished), together=True, linked=linked)
