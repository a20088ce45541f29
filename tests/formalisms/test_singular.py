"""A joint that nothing resists is named, not divided by."""

from __future__ import annotations

import pytest

import inloop as il
from inloop.formalisms import Derivation
from inloop.formalisms.recursions import aba


def redundant_hinges() -> il.Model:
    """Two hinges on one line with nothing between them: their sum is all that matters."""
    model = il.Model("hinges")
    inner = model.body("inner", on=model.ground, joint=il.revolute("y"))
    model.body(
        "outer", on=inner, joint=il.revolute("y"), mass=1.7, com=(0, 0, 0), inertia=(0.3, 0.2, 0.4)
    )
    return model


def test_the_body_is_named() -> None:
    with pytest.raises(il.ModelError, match=r"body 'inner': its joint moves no mass"):
        redundant_hinges().compile(backend="python")


def test_articulated_bodies_name_it_too() -> None:
    derivation = Derivation(redundant_hinges().build())
    with pytest.raises(il.ModelError, match=r"body 'inner'"):
        aba.direct_dynamics(derivation.base, derivation.symbols.tau)
