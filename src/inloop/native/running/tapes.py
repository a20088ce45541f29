"""Tapes in the memory of a run: what `il_tape.h` interprets."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from inloop.native.library import COUNT, POINTER, Reals
from inloop.native.mirror import mirror
from inloop.native.runtime_library import load_runtime

Indices = np.ndarray[Any, np.dtype[np.int32]]


class LoadedTape:
    """A tape with registers of its own; for one thread at a time.

    Attributes:
        address: of the C structure, an il_tape.
    """

    def __init__(
        self, instructions: Indices, registers: Reals, results: Indices, tables: Reals, inputs: int
    ) -> None:
        """Load a tape.

        Args:
            instructions: rows of operation, register of the result, three arguments.
            registers: their first values, which are copied.
            results: registers of the results.
            tables: data of interpolation tables.
            inputs: number of inputs.

        Raises:
            BuildError: there is neither a compiler nor a runtime that was built before.
        """
        library = load_runtime()
        own = registers.copy()
        self._structure = mirror("il_tape")(
            instructions=instructions.ctypes.data,
            tables=tables.ctypes.data,
            results=results.ctypes.data,
            registers=own.ctypes.data,
            length=len(instructions),
            input_count=inputs,
            result_count=len(results),
        )
        self._keep = (library, instructions, tables, results, own)
        self._rows = library.function("il_tape_rows", POINTER, COUNT, POINTER, POINTER)
        self.address = ctypes.addressof(self._structure)

    def evaluate(self, inputs: Reals) -> Reals:
        """Rows of results from rows of inputs."""
        rows = np.ascontiguousarray(inputs, dtype=np.float64)
        found = np.empty((len(rows), int(self._structure.result_count)))
        self._rows(self.address, len(rows), rows.ctypes.data, found.ctypes.data)
        return found


class GivenInputs:
    """Inputs some of which follow a tape, as the rates call them.

    Attributes:
        address: of the C structure, an il_given_inputs.
        function: address of the C function that writes the inputs.
    """

    def __init__(self, tape: LoadedTape, places: tuple[int, ...]) -> None:
        """Let a tape lead the inputs at some places of u."""
        listed = np.array(places, dtype=np.int64)
        self._structure = mirror("il_given_inputs")(
            tape=tape.address, places=listed.ctypes.data, count=len(places)
        )
        self._keep = (tape, listed)
        self.address = ctypes.addressof(self._structure)
        self.function = load_runtime().address("il_give_inputs")


class GivenMotions:
    """Driven joints some of which follow a tape, as the rates call them.

    Attributes:
        address: of the C structure, an il_given_motions.
        function: address of the C function that gives the motions.
    """

    def __init__(
        self, tape: LoadedTape, places: tuple[int, ...], driven: int, model: tuple[int, int]
    ) -> None:
        """Let a tape lead some of the driven joints.

        Args:
            tape: from time to q of the given joints, then their qd, then their qdd.
            places: of the given joints among the driven ones.
            driven: number of driven joints.
            model: addresses of the function of the model's own motions, and of what it is handed.
        """
        listed = np.array(places, dtype=np.int64)
        everything = len(places) == driven
        self._structure = mirror("il_given_motions")(
            model=0 if everything else model[0],
            model_self=model[1],
            tape=tape.address,
            places=listed.ctypes.data,
            count=len(places),
            driven=driven,
        )
        self._keep = (tape, listed)
        self.address = ctypes.addressof(self._structure)
        self.function = load_runtime().address("il_give_motions")
