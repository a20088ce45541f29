"""The parameters of a running plant, which can be changed while it runs."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np

from inloop.errors import InputError, MailboxError, name_hint
from inloop.native.library import Reals
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import COMMANDS, PARAMETERS, realtime_function
from inloop.plant.arguments import real
from inloop.realtime.checks import need, shown
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.mailboxes.memory import Attached, MemoryAccess
from inloop.realtime.mailboxes.outputs import State

DECIDED_WITHIN = 5.0  # [s]
NO_COMMAND = 0  # inloop_command
BY_NAME = "Give numbers by name."


class RemoteParameters(MutableMapping[str, float]):
    """Values by name. Writing checks name and range; the next step uses the new value.

    The plant rejects values with which its loops cannot be closed from the current position, or
    with which a formula leaves its bound.
    """

    def __init__(self, plant: str, layout: Layout, access: MemoryAccess) -> None:
        self._plant, self._use = plant, access.use
        self._command_values = layout.counts[COMMANDS]
        self._declared = {x.name: x for x in layout.parameters}
        self._index = {name: k for k, name in enumerate(self._declared)}
        about = dict(layout.about)
        self._reasons = ["from where it is, its loops cannot be closed with that"]
        self._reasons = self._reasons if "loops" in about else []
        self._reasons += [about["formulas"]] if "formulas" in about else []

    def __getitem__(self, name: str) -> float:
        self._known(name)
        return float(self._values(self._use())[self._index[name]])

    def __setitem__(self, name: str, value: float) -> None:
        self.set({name: value})

    def set(self, values: Mapping[str, float]) -> None:
        """Change several parameters between the same two steps.

        Raises:
            InputError: an unknown name, a value out of range, or one with which the loops of the
                plant cannot be closed; then nothing has changed.
            MailboxError: another process holds the parameters.
        """
        need(isinstance(values, Mapping), f"parameters = {shown(values)}", BY_NAME)
        numbers = {name: self._checked(name, value) for name, value in values.items()}
        held = self._use()
        if realtime_function("il_mailbox_take_briefly")(held.address, PARAMETERS) != 0:
            raise MailboxError(
                f"parameters of plant '{self._plant}' are held by another process",
                fix="Try again when it has released them.",
            )
        # nobody else can write between reading and writing
        try:
            old = self._values(held)
            new = old.copy()
            for name, number in numbers.items():
                new[self._index[name]] = number
            written = self._publish(held, new)
            if self._reasons and self._refused(held, written):
                self._publish(held, old)
                raise InputError(
                    f"plant '{self._plant}' refuses "
                    + ", ".join(f"{name} = {number:g}" for name, number in numbers.items())
                    + f": {', or '.join(self._reasons)}",
                    fix="The values before stay; choose others, or go there in smaller steps.",
                )
        finally:
            realtime_function("il_mailbox_release")(held.address, PARAMETERS)

    def update(  # type: ignore[override]
        self,
        values: Mapping[str, float] | Iterable[tuple[str, float]] = (),
        /,
        **named: float,
    ) -> None:
        """Change several parameters between the same two steps: all of them, or none; see `set`."""
        self.set({**dict(values), **named})

    def get(self, name: str, default: Any = None) -> Any:
        """The value, or the default for a name that is not there."""
        return self[name] if name in self._declared else default

    def __delitem__(self, name: str) -> None:
        raise InputError(
            f"parameter '{name}' cannot be deleted", fix="Use reset() for default values."
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, name: object) -> bool:
        return name in self._declared

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self[name]:g}" for name in list(self)[:8])
        return f"RemoteParameters({shown}{', …' if len(self) > 8 else ''})"

    def reset(self) -> None:
        """Restore all default values."""
        self.set({name: x.default for name, x in self._declared.items()})

    def _publish(self, held: Attached, values: Reals) -> int:
        """Write a record; returns its number."""
        about, publish = mirror("inloop_record")(), realtime_function("il_mailbox_publish_briefly")
        place = (ctypes.addressof(about), values.ctypes.data)
        number = int(publish(held.address, PARAMETERS, *place))
        if number == 0:
            raise MailboxError(
                f"this process was stopped while it wrote parameters of plant '{self._plant}', and "
                "another one has written some meanwhile",
                fix="Look at their values, and try again.",
            )
        return number

    def _refused(self, held: Attached, number: int) -> bool:
        """Whether the loop has rejected a record.

        Raises:
            MailboxError: it does not answer.
        """
        shared, end = held.shared, time.monotonic() + DECIDED_WITHIN
        if shared.parameters_seen < number:
            # it looks at once, also if its clock stands still or the next step is far away
            words, sent = np.zeros(self._command_values), ctypes.c_uint64()
            send = realtime_function("il_mailbox_send")
            send(held.address, NO_COMMAND, words.ctypes.data, ctypes.addressof(sent))
        while shared.parameters_seen < number and shared.state != State.ENDED:
            if time.monotonic() > end:
                raise MailboxError(
                    f"plant '{self._plant}' did not answer within {DECIDED_WITHIN:g} s whether it "
                    "takes these parameters",
                    fix="See whether its process hangs; it may still take them, or refuse them.",
                )
            time.sleep(0.0005)
        return bool(shared.parameters_refused == number)

    def _values(self, held: Attached) -> Reals:
        """Values in the mailbox; defaults for invalid ones."""
        record, values = mirror("inloop_record")(), np.zeros(len(self._declared))
        newest = realtime_function("il_mailbox_newest")
        error = newest(held.address, PARAMETERS, ctypes.addressof(record), values.ctypes.data)
        if error != 0:
            raise MailboxError(
                f"parameters of plant '{self._plant}' cannot be read",
                fix="Its mailbox is damaged; stop the plant and start it again.",
            )
        for k, declared in enumerate(self._declared.values()):
            if not (math.isfinite(values[k]) and declared.least <= values[k] <= declared.most):
                values[k] = declared.default
        return values

    def _known(self, name: str) -> Quantity:
        if name in self._declared:
            return self._declared[name]
        raise InputError(
            f"plant '{self._plant}' has no live parameter '{name}'",
            fix=name_hint(name, self._declared),
        )

    def _checked(self, name: str, value: float) -> float:
        declared, number = self._known(name), real(value, f"parameter '{name}'")
        if not math.isfinite(number) or not declared.least <= number <= declared.most:
            raise InputError(
                f"parameter '{name}': {number:g} is outside {declared.least:g} .. "
                f"{declared.most:g} {declared.unit}".rstrip(),
                fix="Nothing changed; choose a value in the range.",
            )
        return number
