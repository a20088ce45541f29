"""What `method="event_driven"` can do: a few hard contacts that are declared and rigid.

Its modes are found while it runs (native/runtime/il_touching.h). What it cannot do is refused by
name; `method="moreau"` does all of it.
"""

from __future__ import annotations

from inloop.errors import InputError
from inloop.plant import BarePlant

FIX = "Use method='moreau', or name none."


def refuse_event_driven(plant: BarePlant) -> None:
    """Refuse mechanisms that the event-driven method does not know.

    Raises:
        InputError: it would be wrong, or of no use.
    """
    mechanism = plant.mechanism
    if mechanism.pile is not None:
        _refuse(f"pile '{mechanism.pile.name}' has contacts that are found while it runs")
    for contact in mechanism.found_contacts:
        _refuse(f"touches of contact '{contact.name}' are found while it runs")
    if not mechanism.hard_contacts:
        _refuse(f"'{plant.name}' has no hard contacts", "Use method='dopri' with a tolerance.")
    if plant.by_mode:
        _refuse(f"'{plant.name}' has modes of its own")
    for drive in mechanism.drives:
        if drive.kind == "input" and drive.derivatives == "given":
            joint = mechanism.bodies[drive.body].joint.name
            _refuse(
                f"joint '{joint}' follows live inputs, which stay the same for a step: its place "
                "does not follow from its velocity",
                "Drive it by a function of time or with derivatives='filtered', or use "
                "method='moreau'.",
            )
    for rigid in mechanism.declared_contacts:
        if getattr(rigid.law, "stiffness", None) is not None:
            _refuse(
                f"contact '{rigid.name}' gives way (stiffness=), and this method knows rigid "
                "ones only"
            )


def _refuse(why: str, fix: str = FIX) -> None:
    raise InputError(f"method 'event_driven' cannot run here: {why}", fix=fix)
