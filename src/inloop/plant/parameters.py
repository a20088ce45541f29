"""The parameters of a plant: a mapping by name that can be written while it runs."""

from __future__ import annotations

import math
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from typing import Any

import numpy as np

from inloop.errors import InputError, near_names
from inloop.formalisms import LiveParameter
from inloop.model import Mechanism, Scalar
from inloop.model.names import quoted
from inloop.plant.arguments import real
from inloop.plant.engine import Array
from inloop.symbolic import Expr, evaluate

Check = Callable[[Collection[str], Array], None]  # names that change, all values; raises


class Parameters(MutableMapping[str, float]):
    """Values by name. Writing checks the name, the range and that the value is a number.

    `update` writes several at once: all of them are taken, or none.
    """

    def __init__(self, declared: Sequence[LiveParameter]) -> None:
        self.declared = tuple(declared)
        self._checks: list[Check] = []
        self._index = {p.name: k for k, p in enumerate(self.declared)}
        self.values_array = np.array([p.default for p in self.declared], dtype=np.float64)
        self.version = 0

    def __getitem__(self, name: str) -> float:
        return float(self.values_array[self._position(name)])

    def __setitem__(self, name: str, value: float) -> None:
        self._write({name: value})

    def update(  # type: ignore[override]
        self,
        values: Mapping[str, float] | Iterable[tuple[str, float]] = (),
        /,
        **named: float,
    ) -> None:
        """Write several values at once: all of them, or none if one is refused."""
        self._write({**dict(values), **named})

    def copy(self) -> dict[str, float]:
        """The values as they are now, for `update` later on."""
        return dict(self)

    __copy__ = copy  # one that shared the array would change with the plant

    def check_with(self, check: Check) -> None:
        """Have a function look at new values before they are taken; it raises to refuse them."""
        self._checks.append(check)

    def check_as(self, others: Parameters) -> None:
        """Have all that looks at new values of others look at these too."""
        self._checks += [check for check in others._checks if check not in self._checks]

    def _write(self, given: Mapping[str, float]) -> None:
        values = self.values_array.copy()
        for name, value in given.items():
            k = self._position(name)
            values[k] = self._allowed(k, name, real(value, f"parameter '{name}'"))
        for check in self._checks:
            check(tuple(given), values)
        self.values_array[:] = values
        self.version += 1

    def check_one(self, name: str, value: float) -> None:
        """Complain about a value that writing would refuse; nothing is written."""
        self._allowed(self._position(name), name, real(value, f"parameter '{name}'"))

    def _allowed(self, k: int, name: str, number: float) -> float:
        if not math.isfinite(number):
            raise InputError(
                f"parameter '{name}': {number} is not a number", fix="Nothing changed."
            )
        allowed = self.declared[k].range
        if allowed is not None and not allowed[0] <= number <= allowed[1]:
            raise InputError(
                f"parameter '{name}': {number:g} is outside {allowed[0]:g} .. {allowed[1]:g}"
                f" {self.declared[k].unit}".rstrip(),
                fix="Nothing was changed; choose a value within the range.",
            )
        return number

    def __delitem__(self, name: str) -> None:
        raise InputError(
            f"parameter '{name}' cannot be deleted", fix="Use reset() for its default value."
        )

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def get(self, name: str, default: Any = None) -> Any:
        """The value, or the default for a name that is not there."""
        return self[name] if name in self._index else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self.declared)

    def __repr__(self) -> str:
        shown = ", ".join(f"{p.name}={self[p.name]:g} {p.unit}".rstrip() for p in self.declared[:8])
        more = f", … {len(self) - 8} more" if len(self) > 8 else ""
        return f"Parameters({shown}{more})"

    def reset(self) -> None:
        """Put all defaults back."""
        self.values_array[:] = [p.default for p in self.declared]
        self.version += 1

    def _position(self, name: str) -> int:
        if not isinstance(name, str):
            raise InputError(
                f"{quoted(name)} is not the name of a parameter", fix="Give its name in quotes."
            )
        if name in self._index:
            return self._index[name]
        near = near_names(name, self._index, most=3)
        hint = f"Did you mean {', '.join(near)}?" if near else "See plant.parameters for all names."
        raise InputError(f"no live parameter '{name}'", fix=hint)


def value_now(number: Scalar, mechanism: Mechanism, values: Mapping[str, float]) -> float:
    """A number of a mechanism, which may be an expression, at these values of its parameters."""
    if not isinstance(number, Expr):
        return float(number)
    known = {p.symbol: values.get(p.name, p.default) for p in mechanism.parameters}
    return float(evaluate([number], known)[0])
