"""The force in a contact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.model.contacts.contact import Contact
from inloop.model.geometry import Scalar
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec, of_axes


@dataclass(frozen=True)
class ContactForce(SensorKind):
    """Tells the force with which two shapes press and rub on each other [N]."""

    name: ClassVar[str] = "contact_force"
    roles: ClassVar[tuple[Role, ...]] = ("contact",)

    def signals(self, at: Sequence[Contact]) -> dict[str, str]:
        """See `SensorKind`."""
        return {"normal": "N", **of_axes("N")}

    def read(self, seen: Seen, at: Sequence[Contact]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        names = (at[0].outputs["force"], *at[0].force)
        return tuple(seen.law_output(name) for name in names)


def contact_force(contact: str) -> SensorSpec:
    """Measure the force in a contact.

    "<name>.normal" [N], and the whole force on the second one of the two bodies in axes of the
    first frame, "<name>.x", ".y", ".z" [N].

    Args:
        contact: what m.contact(...) returned: its name.
    """
    return SensorSpec(ContactForce(), (contact,))
