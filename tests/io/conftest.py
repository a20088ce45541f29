"""Files to read, and forward kinematics that knows nothing but the data of a mechanism."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inloop.model import GROUND, Mechanism

Placement = tuple[np.ndarray, np.ndarray]  # p_WB, R_WB
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def data() -> Path:
    """Our own sample files."""
    return HERE / "data"


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """`written(text)`: the path of a file with this content."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "file.xml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="session")
def placements() -> Callable[[Mechanism, np.ndarray], list[Placement]]:
    """`placements(mechanism, q)`: p_WB and R_WB of every body, base to tip."""
    return forward_kinematics


def forward_kinematics(mechanism: Mechanism, q: np.ndarray) -> list[Placement]:
    found: list[Placement] = []
    for body, angle in zip(mechanism.bodies, q, strict=True):
        p_WP, R_WP = (np.zeros(3), np.eye(3)) if body.parent == GROUND else found[body.parent]
        p_WB = p_WP + R_WP @ np.array(body.attachment.p_PJ)
        R_WJ = R_WP @ np.array(body.attachment.R_PJ)
        axis = np.array(body.joint.axis)
        if body.joint.kind.name == "revolute":
            found.append((p_WB, R_WJ @ Rotation.from_rotvec(angle * axis).as_matrix()))
        else:
            found.append((p_WB + R_WJ @ axis * angle, R_WJ))
    return found


@pytest.fixture(scope="session")
def disagreement() -> Callable[..., float]:
    """`disagreement(path)`: how far our accelerations of an MJCF file are from MuJoCo's."""
    from mujoco_oracle import compare

    return compare
