"""`--vary`: distributions or values of quantities, and the design made of them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.designs import Design, Distribution, read_distribution

DESIGNS = ("monte-carlo", "latin-hypercube", "sobol", "grid")
_LINSPACE = re.compile(r"\s*linspace\s*\(([^(),]*),([^(),]*),([^(),]*)\)\s*")
MOST_VALUES = 1_000_000
LEAST_BASE = 16
EXAMPLE = "Write --vary rod.mass=normal(1.2,0.05), or --vary rod.mass=1,1.2,1.4."


def add_design(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `read_design` reads."""
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="a parameter, an input, or JOINT.q, .qd, .tau, and its values: a distribution "
        "normal(1.2,0.05), uniform(0,1), loguniform, lognormal, triangular, "
        "choice(1,2,5), or a list 1,2,3 or linspace(0,1,11); may be repeated",
    )
    parser.add_argument(
        "--design",
        choices=DESIGNS,
        help="how values are combined; default: grid if all are lists, else monte-carlo",
    )
    parser.add_argument(
        "--runs", type=int, metavar="N", help="number of runs, not for grids; for sobol the maximum"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the random values; default: 0"
    )


def read_design(args: argparse.Namespace) -> Design:
    """The design that the arguments describe.

    Raises:
        InputError: they are invalid.
    """
    varied = _read_varied(args.vary)
    lists = [name for name, each in varied.items() if not isinstance(each, Distribution)]
    kind = args.design or ("grid" if len(lists) == len(varied) else "monte-carlo")
    _check_counts(args, kind)
    if kind == "grid":
        for name, each in varied.items():
            if isinstance(each, Distribution):
                raise il.InputError(
                    f"a grid needs a list of values for '{name}', not {each}",
                    fix=f"Write --vary {name}=linspace(0,1,11), or choose another --design.",
                )
        return il.designs.grid(varied)
    drawn = {
        name: each if isinstance(each, Distribution) else il.designs.choice(*each)
        for name, each in varied.items()
    }
    if kind == "sobol":
        return il.designs.sobol(drawn, base=_base(args.runs, len(drawn)), seed=args.seed)
    make: Mapping[str, Callable[..., Design]] = {
        "monte-carlo": il.designs.monte_carlo,
        "latin-hypercube": il.designs.latin_hypercube,
    }
    return make[kind](drawn, runs=args.runs, seed=args.seed)


def _check_counts(args: argparse.Namespace, kind: str) -> None:
    """Reject a count that has no effect, and require one that is needed."""
    if kind == "grid" and args.runs is not None:
        raise il.InputError(
            "--runs cannot be combined with a grid",
            fix="Remove it: the number of runs follows from --vary.",
        )
    if kind != "grid" and args.runs is None:
        raise il.InputError(
            f"--design {kind} needs a number of runs", fix="Add it, for example --runs 1000."
        )


def _base(runs: int, quantities: int) -> int:
    """The largest power of 2 whose design has at most the given number of runs."""
    most = runs // (quantities + 2)
    if most < LEAST_BASE:
        least = LEAST_BASE * (quantities + 2)
        raise il.InputError(
            f"{runs} runs are too few for Sobol indices of {quantities} quantities",
            fix=f"Write --runs {least} or more.",
        )
    return 1 << (most.bit_length() - 1)


def _read_varied(words: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words:
        name, sign, text = (part.strip() for part in word.partition("="))
        if not (name and sign and text):
            raise il.InputError(f"--vary {word[:60]!a} gives no values", fix=EXAMPLE)
        if name in found:
            raise il.InputError(f"'{name[:60]}' is varied twice", fix="Write it once.")
        found[name] = _read_values(text)
    if not found:
        raise il.InputError("nothing is varied", fix=EXAMPLE)
    return found


def _read_values(text: str) -> Any:
    """A distribution, or a list of numbers."""
    spaced = _LINSPACE.fullmatch(text)
    try:
        if spaced is not None:
            low, high, count = float(spaced[1]), float(spaced[2]), int(spaced[3])
            if not 1 <= count <= MOST_VALUES:
                raise il.InputError(
                    f"{text[:60]!a} makes {count} values", fix=f"Give 1 to {MOST_VALUES}."
                )
            return np.linspace(low, high, count)
        if "(" not in text:
            return np.array([float(part) for part in text.split(",")])
    except ValueError:
        raise il.InputError(
            f"{text[:60]!a} contains something that is not a number", fix=EXAMPLE
        ) from None
    return read_distribution(text)
