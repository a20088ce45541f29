"""FMUs that several tests use, each exported once per module."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fmu_models import PLATFORM, Exported, plant_named

import inloop as il


@pytest.fixture(scope="session", autouse=True)
def fmpy_is_there(require_package: Callable[[str], Path]) -> None:
    require_package("fmpy")


@pytest.fixture(scope="session")
def exported(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., Exported]]:
    """`exported("four_bar", "2.0")`: plant and FMU."""
    kept: dict[tuple[str, str], Exported] = {}
    folder = tmp_path_factory.mktemp("fmus")

    def make(name: str, version: str = "3.0") -> Exported:
        if (name, version) not in kept:
            plant = plant_named(name)
            file = folder / f"{name}_{version[0]}.fmu"
            with warnings.catch_warnings():
                # some are stiff for steps of 1 ms: what is tested holds for them as well
                warnings.simplefilter("ignore", il.ExportWarning)
                plant.export_fmu(file, version=version, platforms=PLATFORM)
            kept[name, version] = Exported(plant, file, version)
        return kept[name, version]

    yield make
