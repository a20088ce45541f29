"""The beam as an independent linear model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hinged_beam import beam

from inloop.control import LinearModel


@pytest.fixture(scope="session")
def hinged() -> LinearModel:
    """An upright beam of four elements: its hub falls over."""
    return beam(4, gravity=9.81)
