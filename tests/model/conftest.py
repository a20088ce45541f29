from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inloop.errors import Mistake, ModelError
from inloop.model import ModelBuilder, prismatic, revolute


@pytest.fixture
def arm() -> ModelBuilder:
    """A crank with a pin, a rod on the pin and a slider; general values throughout."""
    m = ModelBuilder("arm", gravity=(0.3, -0.7, -9.6))
    crank = m.body(
        "crank",
        on=m.ground,
        joint=revolute("y"),
        mass=0.41,
        com=(0.052, 0.013, -0.021),
        inertia=(1.1e-3, 1.7e-3, 1.4e-3),
    )
    m.body(
        "rod",
        on=crank.point("pin", (0.13, 0.02, -0.03)),
        joint=revolute((0.3, -0.5, 0.7), limits=(-2.1, 1.9), initial=(0.4, -0.6)),
        mass=0.63,
        com=(0.15, -0.04, 0.02),
        inertia=(2.1e-3, 3.3e-3, 2.9e-3, 1.2e-4, -2.3e-4, 3.1e-4),
    )
    m.body("slider", on=m.ground, joint=prismatic("-x", armature=0.17), mass=1.3)
    return m


@pytest.fixture
def mistakes_of() -> Callable[[ModelBuilder], tuple[Mistake, ...]]:
    """Build a model that is expected to fail and return its mistakes."""

    def build(model: ModelBuilder) -> tuple[Mistake, ...]:
        with pytest.raises(ModelError) as caught:
            model.build()
        assert all(str(mistake) in str(caught.value) for mistake in caught.value.mistakes)
        return caught.value.mistakes

    return build


@pytest.fixture
def rotation() -> Callable[[float, float, float], np.ndarray]:
    """R = Rz(yaw) Ry(pitch) Rx(roll), by SciPy."""
    return lambda roll, pitch, yaw: Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
