"""What `method="event_driven"` can do: a few hard contacts that are declared, rigid and not driven.

Its modes are found while it runs (native/runtime/il_touching.h). What it cannot do is refused by
name; `method="moreau"` does all of it.
"""

from __future__ import annotations

from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.stepping import moves_contacts, resists_turning

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
    if plant.formulation.driven:
        _refuse(f"joint '{plant.formulation.driven[0]}' is driven, and moves contacts at will")
    for rigid in mechanism.declared_contacts:
        if getattr(rigid.law, "stiffness", None) is not None:
            _refuse(
                f"contact '{rigid.name}' gives way (stiffness=), and this method knows rigid "
                "ones only"
            )
        if resists_turning(rigid):
            _refuse(f"contact '{rigid.name}' resists rolling or drilling")


def refuse_moved_contacts(plant: BarePlant) -> None:
    """Refuse contacts that are moved over time, once their rows are built.

    Raises:
        InputError: they are.
    """
    if moves_contacts(plant, plant.formulation):
        _refuse(f"constraints of '{plant.name}' move its contacts over time")


def _refuse(why: str, fix: str = FIX) -> None:
    raise InputError(f"method 'event_driven' cannot run here: {why}", fix=fix)
