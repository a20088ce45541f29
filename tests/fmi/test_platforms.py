"""One FMU for several platforms, run to its end on each of them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmu_models import STEP, Exported, plant_named

import inloop as il

STEPS = 200
HOST = Path(__file__).parent / "fmi3_host.c"
ROOT = "/usr/aarch64-linux-gnu"  # where Debian keeps the C library of that platform
WINE = "/usr/lib/wine/wine64"


def run_elsewhere(
    plant: il.Plant, folder: Path, platform: str, compiler: list[str], emulator: list[str]
) -> None:
    """Compile a host for a platform and let it take steps: the numbers of this machine."""
    file = plant.export_fmu(folder / "both.fmu", platforms=["here", platform])
    about = fmpy.read_model_description(str(file))
    names = [f"{name}.{kind}" for name in plant.coordinates for kind in ("q", "qd")]
    numbers = {v.name: str(v.valueReference) for v in about.modelVariables}
    with zipfile.ZipFile(file) as archive:
        inside = next(n for n in archive.namelist() if n.startswith(f"binaries/{platform}/"))
        library = archive.extract(inside, folder)
    words = [library, about.instantiationToken, str(STEPS), *(numbers[name] for name in names)]
    strict = ["-std=gnu99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*compiler, *strict, "-o", folder / "host.exe", HOST], check=True, timeout=600)
    done = subprocess.run(
        [*emulator, folder / "host.exe", *words],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all"},
    )
    rows = Exported(plant, file, "3.0").run("CoSimulation", STEPS * STEP)
    expected = [rows[name][-1] for name in names]
    assert abs(expected[0]) > 0.1
    np.testing.assert_allclose(list(map(float, done.stdout.split())), expected, rtol=1e-11)


@pytest.mark.long
def test_an_fmu_for_this_machine_and_for_aarch64(
    tmp_path: Path,
    require_program: Callable[[str], str],
    require_file: Callable[[str, str], None],
) -> None:
    """Without functions of `math.h` that round differently, the numbers are the same."""
    compiler, emulator = require_program("aarch64-linux-gnu-gcc"), require_program("qemu-aarch64")
    require_file(f"{ROOT}/include/stdio.h", "libc6-dev-arm64-cross")
    plant = plant_named("four_bar")
    run_elsewhere(plant, tmp_path, "aarch64-linux", [compiler], [emulator, "-L", ROOT])


@pytest.mark.long
def test_an_fmu_for_windows_in_wine(
    tmp_path: Path,
    require_package: Callable[[str], Path],
    require_file: Callable[[str, str], None],
) -> None:
    require_package("ziglang")
    require_file(WINE, "wine64")
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"]
    run_elsewhere(plant_named("four_bar"), tmp_path, "x86_64-windows", compiler, [WINE])
