"""FMUs in an importer that is not fmpy: libcosim of the Open Simulation Platform (FMI 2.0)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmu_models import Exported, Importer

from inloop import gallery

Make = Callable[..., Exported]
STEPS = 50
FEW = ("four_bar", "bouncing_ball", "rocking_block")
PROGRAM = """
import json, sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

log_output_level(CosimLogLevel.ERROR)
file, steps, numbers = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
execution = CosimExecution.from_step_size(step_size=1_000_000)  # [ns]
slave = CosimLocalSlave(fmu_path=file, instance_name="plant")
index = execution.add_local_slave(local_slave=slave)
observer = CosimObserver.create_last_value()
execution.add_observer(observer=observer)
assert execution.simulate_until(target_time=steps * 1_000_000)
told = observer.last_real_values(slave_index=index, variable_references=numbers)
print(json.dumps(list(told)))
"""


@pytest.fixture(autouse=True)
def libcosim_is_there(require_package: Callable[[str], Path]) -> None:
    require_package("libcosimpy")


@pytest.mark.parametrize("name", FEW)
def test_libcosim_gives_the_bits_of_a_simulation(name: str, exported: Make) -> None:
    check(exported(name, "2.0"))


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(gallery.names()) - set(FEW)))
def test_libcosim_runs_all_of_the_gallery(name: str, exported: Make) -> None:
    check(exported(name, "2.0"))


def check(made: Exported) -> None:
    """It reads every variable after every step, those of model exchange too."""
    signals = [f"{c}.{kind}" for c in made.plant.coordinates for kind in ("q", "qd")]
    with Importer(made) as host:
        numbers = [host.number[signal] for signal in signals]
        fmu = host.make()
        host.start(fmu)
        host.steps(fmu, 0, STEPS)
        expected = host.get(fmu, *signals)
    words = [str(made.file), str(STEPS), json.dumps(numbers)]
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, *words],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "error" not in done.stderr
    np.testing.assert_array_equal(json.loads(done.stdout.splitlines()[-1]), expected)
