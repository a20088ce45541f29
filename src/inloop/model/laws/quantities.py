"""Quantities of the mechanism that events and laws are traced with, called by name."""

from __future__ import annotations

from inloop.errors import ExpressionError
from inloop.model.draft import Draft
from inloop.model.handles import Handle
from inloop.model.modes.elements import Quantity, QuantityKind
from inloop.model.names import quoted
from inloop.symbolic import Expr

SIZES: dict[QuantityKind, int] = {
    "q": 1, "qd": 1, "p": 3, "v": 3, "force": 1, "effort": 1, "z": 1, "out": 1,
}  # fmt: skip


class Quantities:
    """Quantities of one kind that an event or a law is traced with, by name.

    What they name may be declared later: any name gets a placeholder; `build()` looks it up.

    Attributes:
        used: those so far.
    """

    def __init__(self, draft: Draft, owner: str, kind: QuantityKind) -> None:
        self._draft, self._owner, self._kind = draft, owner, kind
        self.used: dict[str, Quantity] = {}

    def __getitem__(self, key: object) -> Expr | tuple[Expr, ...]:
        if isinstance(key, Handle) and key.belongs_to(self._draft):
            key = key.path
        if not isinstance(key, str):
            raise ExpressionError(
                f"{self._kind} has no entry {quoted(key)}: use the name of the quantity",
                fix=f'Write {self._kind}["..."].',
            )
        if key not in self.used:
            stem = f"{self._owner}.{self._kind}.{key}"
            names = [stem] if SIZES[self._kind] == 1 else [f"{stem}.{axis}" for axis in "xyz"]
            symbols = tuple(self._draft.graph.symbol(name) for name in names)
            self.used[key] = Quantity(self._kind, key, symbols)
        symbols = self.used[key].symbols
        return symbols[0] if len(symbols) == 1 else symbols
