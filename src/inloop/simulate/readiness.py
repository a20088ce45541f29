"""Build what runs of a plant need, before the first one.

Implicit methods call the compiler when they are first used: their code takes as long to derive as
everything else, and few users need it. If runs are implicit by default, it is built right away.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from inloop.errors import InputError, SimulationError
from inloop.native import Method, load_realtime, load_runtime, runs_as_python
from inloop.plant import BarePlant
from inloop.plant.arguments import name_list
from inloop.plant.stepping import build_method
from inloop.plant.unit import plant_unit
from inloop.simulate.choice import STIFF, method_at_start
from inloop.simulate.schedules import METHODS, check_method

USUAL_STEP = 1e-3  # [s]


def integrators(names: str | Sequence[str]) -> tuple[Method, ...]:
    """Integrators by name.

    Raises:
        InputError: unknown integrator.
    """
    listed = name_list(names, "methods")
    for name in listed:
        check_method(name)
    return tuple(METHODS[name] for name in listed)


def make_ready(plant: BarePlant, wanted: Sequence[Method]) -> None:
    """Build the code of integrators, the unit of the plant, and the runtime libraries.

    Args:
        plant: the compiled mechanism, with its modes.
        wanted: integrators to build, besides the default one.
    """
    plants = plant.by_mode or {plant.name: plant}
    if plant.is_native:
        load_runtime()
        if sys.platform == "linux" and not runs_as_python():
            load_realtime()
        stiff = _starts_stiff(plant)
        for each in plants.values():
            usual = (Method.IMPLICIT,) if stiff else ()
            hard = each.mechanism.hard_contacts
            for method in (Method.MOREAU,) if hard else dict.fromkeys((*usual, *wanted)):
                build_method(each, each.formulation, method)
        plant_unit(plants)
    for each in plants.values():
        each.equations.complete()


def _starts_stiff(plant: BarePlant) -> bool:
    """Whether fixed steps of the usual size would be implicit by default."""
    try:
        return method_at_start(plant, None, None, {}, USUAL_STEP) == STIFF
    except (InputError, SimulationError):
        # errors at the start are reported when a run begins there
        return False
