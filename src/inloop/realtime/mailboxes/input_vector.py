"""The inputs that a controller writes, set by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.native.library import Reals
from inloop.plant.arguments import real, reals
from inloop.realtime.elements import led_inputs
from inloop.realtime.mailboxes.layout import Layout
from inloop.simulate.controlled.compiled import refuse_led


class InputVector:
    """All inputs of a plant; those that are not given keep their last value.

    Attributes:
        values: one number per input.
        address: address of the first one.
    """

    def __init__(self, layout: Layout) -> None:
        self._led = led_inputs(layout)
        self._index = {x.name: k for k, x in enumerate(layout.inputs)}
        self._effort_names = [f"{c.name}.tau" for c in layout.coordinates]
        self._efforts = [self._index.get(name, -1) for name in self._effort_names]
        self.values: Reals = np.array([x.default for x in layout.inputs])
        self.address = self.values.ctypes.data

    def update(
        self, given: Mapping[str, float] | Sequence[float] | Reals | None, named: dict[str, Any]
    ) -> None:
        """Set all values, or some by name; all or nothing.

        If all are given, those written by the plant's controller have no effect.

        Raises:
            InputError: a name that is unknown or written by the plant's controller, a wrong size,
                or a number that is not finite.
        """
        new = self.values.copy()
        if isinstance(given, Mapping):
            named = {**given, **named}
        elif given is not None:
            numbers = reals(given, "what is written")
            if numbers.shape != new.shape:
                raise InputError(
                    f"inputs have shape {numbers.shape}, the plant takes {len(new)}",
                    fix=f"Order them as {', '.join(list(self._index)[:8])}; or give them by name.",
                )
            new[:] = numbers
        for name, value in named.items():
            if name in self._index:
                refuse_led(self._led, [name])
                # a controller writes often: what is a number already needs no look
                new[self._index[name]] = value if type(value) is float else real(value, name)
            elif name == "tau" and np.shape(value) == (len(self._efforts),):
                refuse_led(self._led, self._effort_names)
                new[self._efforts] = reals(value, name)
            else:
                raise InputError(
                    f"the plant has no input '{name}'", fix=name_hint(name, self._index)
                )
        if not np.all(np.isfinite(new)):
            raise InputError("inputs hold NaN or infinity", fix="Nothing was written.")
        self.values[:] = new
