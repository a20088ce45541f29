"""A loaded shared library: functions by name, arrays by pointer."""

from __future__ import annotations

import ctypes
import functools
import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.errors import BuildError, InputError

Reals = NDArray[np.float64]

# types of arguments of C functions
POINTER = ctypes.c_void_p
REAL = ctypes.c_double
COUNT = ctypes.c_int64

_ALIGNMENT = 64  # a cache line, and the widest SIMD register [bytes]


class NativeLibrary:
    """A shared library in this process, or its replacement where there is no compiler.

    `function` is for arrays that change from call to call, `bind` for arrays that stay, with the
    lowest overhead: about 0.25 µs per call instead of about 1 µs per array.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        try:
            self._handle = _opened(self.path)
        except OSError as error:
            raise BuildError(
                f"the library cannot be loaded: {error}",
                where=str(self.path),
                fix="Remove this file; it will be rebuilt when needed.",
            ) from error

    def __repr__(self) -> str:
        return f"NativeLibrary('{self.path}')"

    def __contains__(self, name: str) -> bool:
        return hasattr(self._handle, name)

    def function(self, name: str, *arguments: type[Any], returns: Any = ctypes.c_int) -> Any:
        """A C function that takes values of the given types.

        Args:
            name: exported name.
            *arguments: POINTER (pass `address_of(array)`), REAL or COUNT, in order.
            returns: type of the result; None for void.
        """
        function = self._lookup(name)
        function.argtypes, function.restype = list(arguments), returns
        return function

    def bind(self, name: str, *arrays: Reals, returns: Any = ctypes.c_int) -> Callable[[], Any]:
        """A call without arguments of a C function on fixed arrays.

        Write inputs into the arrays, call, read outputs from them. The call keeps them alive.
        """
        function = self._lookup(name)
        function.restype = returns
        # no argtypes: ctypes arrays are then passed directly, which is fastest
        return functools.partial(function, *(_as_c_array(array) for array in arrays))

    def address(self, name: str) -> int:
        """Address of a function, to pass it to other C code."""
        function = self._lookup(name)
        if self.path.suffix == ".py":
            return int(function.address)
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    def exported_symbols(self) -> tuple[str, ...]:
        """Names that the library exports, sorted.

        Raises:
            BuildError: the program `nm` is missing or fails.
        """
        return _symbols(self.path, "--defined-only")

    def needed_symbols(self) -> tuple[str, ...]:
        """Names that the library imports, sorted.

        Raises:
            BuildError: the program `nm` is missing or fails.
        """
        return _symbols(self.path, "--undefined-only")

    def _lookup(self, name: str) -> Any:
        try:
            return self._handle[name]  # a new object each time, with its own argument types
        except AttributeError as error:
            raise BuildError(
                f"the library has no function '{name}'",
                where=str(self.path),
                fix='Mark it with __attribute__((visibility("default"))) in the C source.',
            ) from error


def _opened(path: Path) -> Any:
    """The object that looks up functions by name."""
    if path.suffix != ".py":
        return ctypes.CDLL(str(path))
    from inloop.native.translated.loading import TranslatedHandle  # rarely needed

    return TranslatedHandle(path)


def aligned_zeros(*shape: int) -> Reals:
    """A C-contiguous array of zeros, aligned to 64 bytes."""
    count = math.prod(shape)
    raw = np.zeros(count * 8 + _ALIGNMENT, dtype=np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + count * 8].view(np.float64).reshape(shape)


def address_of(array: Reals) -> int:
    """Address of a C-contiguous float64 array, which must outlive its use."""
    return _checked(array).ctypes.data


def _as_c_array(array: Reals) -> Any:
    checked = _checked(array)
    if not checked.flags.writeable:
        raise InputError(
            "a bound array is read-only", fix="Bind a copy of it and write inputs into the copy."
        )
    return (ctypes.c_double * checked.size).from_buffer(checked.data)


def _checked(array: Reals) -> Reals:
    if array.dtype != np.float64 or not array.flags.c_contiguous:
        raise InputError(
            f"an array of {array.dtype} with strides {array.strides} cannot be passed to C",
            fix="Use np.ascontiguousarray(array, dtype=np.float64).",
        )
    return array


def _symbols(path: Path, which: str) -> tuple[str, ...]:
    program = shutil.which("nm")
    if program is None:
        raise BuildError("symbols cannot be listed", str(path), "Install 'nm' (package binutils).")
    command = [program, "-D", "-P", which, str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BuildError(f"nm fails: {result.stderr.strip()}", str(path), "Build it again.")
    names = (line.split()[0].partition("@")[0] for line in result.stdout.splitlines())
    return tuple(sorted(set(names)))
