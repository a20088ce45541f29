"""Scope of `method="event_driven"`: a few rigid hard contacts.

Its contact modes are found at run time (native/runtime/il_touching.h). Unsupported elements are
rejected by name; `method="moreau"` supports all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from inloop.errors import InputError
from inloop.plant import BarePlant

FIX = "Use method='moreau', or leave out method=."


def refuse_event_driven(plants: Mapping[str, BarePlant]) -> None:
    """Reject mechanisms that the event-driven method does not support.

    Args:
        plants: the modes of one plant, by name; some may have no hard contacts.

    Raises:
        InputError: results would be wrong, or the method is pointless.
    """
    for plant in plants.values():
        _refuse_parts(plant)
    if not any(plant.mechanism.hard_contacts for plant in plants.values()):
        name = next(iter(plants.values())).name
        _refuse(f"'{name}' has no hard contacts", "Use method='dopri' with a tolerance.")


def _refuse_parts(plant: BarePlant) -> None:
    """Reject unsupported elements of one mode."""
    mechanism = plant.mechanism
    if mechanism.pile is not None:
        _refuse(
            f"pile '{mechanism.pile.name}' has contacts between all of its members",
            "Declare the pairs that may touch with m.contact, or use method='moreau'.",
        )
    for drive in mechanism.drives:
        if drive.kind == "input" and drive.derivatives == "given":
            joint = mechanism.bodies[drive.body].joint.name
            _refuse(
                f"joint '{joint}' follows live inputs, which are constant during a step, so its "
                "position is not the integral of its velocity",
                "Drive it with a function of time or with derivatives='filtered', or use "
                "method='moreau'.",
            )
    for contact in (*mechanism.declared_contacts, *mechanism.found_contacts):
        if getattr(contact.law, "stiffness", None) is not None:
            _refuse(
                f"contact '{contact.name}' is compliant (stiffness=), and this method does not "
                "damp the vibration of its spring",
                "Leave out stiffness=, which only distributes forces among contacts, or use "
                "method='moreau'.",
            )


def _refuse(why: str, fix: str = FIX) -> None:
    raise InputError(f"method 'event_driven' cannot run here: {why}", fix=fix)
