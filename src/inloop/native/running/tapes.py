"""Tapes in the memory of a run, as interpreted by `il_tape.h`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from inloop.native.library import COUNT, POINTER, Reals
from inloop.native.mirror import mirror
from inloop.native.runtime_library import load_runtime

Indices = np.ndarray[Any, np.dtype[np.int32]]


class LoadedTape:
    """A tape with its own registers; for one thread at a time.

    Attributes:
        address: of the C structure, an il_tape.
    """

    def __init__(
        self, instructions: Indices, registers: Reals, results: Indices, tables: Reals, inputs: int
    ) -> None:
        """Load a tape.

        Args:
            instructions: rows of opcode, result register, three arguments.
            registers: initial values, which are copied.
            results: registers of the results.
            tables: data of interpolation tables.
            inputs: number of inputs.

        Raises:
            BuildError: there is neither a compiler nor a previously built runtime.
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
        """Rows of results for rows of inputs."""
        rows = np.ascontiguousarray(inputs, dtype=np.float64)
        results = np.empty((len(rows), int(self._structure.result_count)))
        self._rows(self.address, len(rows), rows.ctypes.data, results.ctypes.data)
        return results


class GivenInputs:
    """Inputs of which some follow a tape, as called by the rates.

    Attributes:
        address: of the C structure, an il_given_inputs.
        function: address of the C function that writes the inputs.
    """

    def __init__(self, tape: LoadedTape, places: tuple[int, ...]) -> None:
        """Let a tape drive the inputs at given places of u."""
        listed = np.array(places, dtype=np.int64)
        self._structure = mirror("il_given_inputs")(
            tape=tape.address, places=listed.ctypes.data, count=len(places)
        )
        self._keep = (tape, listed)
        self.address = ctypes.addressof(self._structure)
        self.function = load_runtime().address("il_give_inputs")


class GivenMotions:
    """Driven joints of which some follow a tape, as called by the rates.

    Attributes:
        address: of the C structure, an il_given_motions.
        function: address of the C function that computes the motions.
    """

    def __init__(
        self, tape: LoadedTape, places: tuple[int, ...], driven: int, model: tuple[int, int]
    ) -> None:
        """Let a tape drive some of the driven joints.

        Args:
            tape: maps time to q of the given joints, then their qd, then their qdd.
            places: indices of the given joints among the driven ones.
            driven: number of driven joints.
            model: addresses of the function of the model's own motions, and of its first argument.
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
