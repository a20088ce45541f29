"""States that nothing measured tells of, found where the observer starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from inloop.control.linear_model import LinearModel
from inloop.control.reach import unseen
from inloop.errors import InputError
from inloop.plant.arguments import one_name
from inloop.simulate.controlled.sampled import unknown_name

if TYPE_CHECKING:
    from inloop.observers.observer import Observer


def insist_on_sight(observer: Observer, accepted: Sequence[str]) -> None:
    """Complain about states that do not fade away and are seen in nothing.

    Args:
        observer: at its start.
        accepted: states that may remain unknown.

    Raises:
        InputError: there are others, told by name.
    """
    F, _, H = observer.linear()
    names = observer.states
    if not (np.all(np.isfinite(F)) and np.all(np.isfinite(H))):
        raise InputError(
            f"from its initial state, model '{observer.plant.name}' cannot be integrated "
            f"over a period of {observer.period:g} s",
            fix="Choose a shorter period, or a smaller step=.",
        )
    for name in accepted:
        if one_name(name, "unobserved") not in names:
            raise unknown_name("state", name, names)
    none = np.zeros((len(F), 0))
    model = LinearModel(
        F, none, H, np.zeros((len(H), 0)), names, (), observer.measured, observer.period
    )
    hidden = [mode for mode in unseen(model) if not set(mode.states) <= set(accepted)]
    if hidden:
        states = dict.fromkeys(name for mode in hidden for name in mode.states)
        listed = ", ".join(f"'{name}'" for name in states)
        raise InputError(
            f"the measurements of model '{observer.plant.name}' do not determine {listed}",
            fix="Measure something that depends on them, or accept it: unobserved=[...].",
        )
