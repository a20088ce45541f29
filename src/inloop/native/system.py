"""What the runtime integrates: functions of C, by address."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from inloop.native.library import Reals, address_of
from inloop.native.mirror import mirror


@dataclass(frozen=True)
class System:
    """n second-order coordinates and m first-order states; x = (q, qd, z), see il_system.h.

    Attributes:
        rates: address of a C function of type il_rates.
        n: coordinates.
        m: first-order states.
        context: address handed to all functions.
        jacobian: address of an il_jacobian, or 0: differences of the rates.
        save: address of an il_memory, or 0.
        restore: address of an il_memory, or 0.
        predict: address of an il_predictor, or 0: the implicit method takes all of df/dx.
        correct: address of an il_corrector, or 0.
        autonomous: the rates do not depend on t.
        bounds: address of an il_bounds, or 0: all that is finite makes sense.
        sizes: one unit of each entry of x, for differences; None: all are 1.
        keep: what must stay alive as long as the addresses are in use: library, arrays, context.
    """

    rates: int
    n: int
    m: int = 0
    context: int = 0
    jacobian: int = 0
    save: int = 0
    restore: int = 0
    predict: int = 0
    correct: int = 0
    autonomous: bool = False
    bounds: int = 0
    sizes: Reals | None = None
    keep: object = None

    @property
    def size(self) -> int:
        """Length of x."""
        return 2 * self.n + self.m

    def structure(self) -> ctypes.Structure:
        """The same as il_system."""
        return mirror("il_system")(
            rates=self.rates,
            jacobian=self.jacobian,
            save=self.save,
            restore=self.restore,
            predict=self.predict,
            correct=self.correct,
            context=self.context,
            n=self.n,
            m=self.m,
            autonomous=self.autonomous,
            bounds=self.bounds or None,
            sizes=None if self.sizes is None else address_of(self.sizes),
        )
