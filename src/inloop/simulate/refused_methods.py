"""Reject methods that do not suit a plant, before anything runs."""

from __future__ import annotations

from inloop.errors import InputError
from inloop.native import Method
from inloop.plant import BarePlant


def refuse_hard_contacts(plant: BarePlant) -> None:
    """Reject mechanisms with hard contacts, for methods that do not compute impulses.

    Raises:
        InputError: the mechanism has hard contacts.
    """
    contacts = plant.mechanism.hard_contacts
    if contacts:
        raise InputError(
            f"contact '{contacts[0].name}' is hard, which only method='moreau' and "
            "'event_driven' support",
            fix="Leave out method=, or give the contact a law such as hunt_crossley(...).",
        )


def refuse_foreign_method(plant: BarePlant, method: Method) -> None:
    """Reject methods that do not suit the plant's formulation.

    Raises:
        InputError: the formulation requires a different method, or the method a different
            formulation.
    """
    own = plant.formulation.method
    if method == Method.ALPHA and own is None:
        raise InputError(
            "method 'alpha' needs the redundant formulation, which this plant does not have",
            fix="Compile with formulation='redundant', or leave out method=.",
        )
    if own is not None and method == Method.EVENT_DRIVEN:
        raise InputError(
            "method 'event_driven' needs the mass matrix, which the redundant formulation "
            "does not have",
            fix="Leave out method=, or compile without formulation='redundant'.",
        )
    fits = method in (Method.ALPHA, Method.MOREAU)
    if own is not None and not fits and plant.formulation.partition.rows:
        raise InputError(
            f"method '{method.name.lower()}' would let the constraints of '{plant.name}' drift",
            fix=f"With formulation='redundant', use method='{own}', or leave out method=.",
        )
