"""Unobservable states, detected at the initial state of the observer."""

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
    """Check that all states are detectable: unobservable ones must decay.

    Args:
        observer: the observer in its initial state.
        accepted: states that may remain unknown.

    Raises:
        InputError: other states are not detectable; lists their names.
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
