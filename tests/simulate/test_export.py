"""Plants that leave Python: their C programs give the bits of `plant.simulate`."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.native import RUNTIME_FLAGS

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
# loops, modes with impacts, constraints on velocities
FEW = ("bouncing_ball", "rolling_disc")
T_END, STEP = 0.05, 1e-3

pytestmark = pytest.mark.usefixtures("shipped_flags")


def printed(program: Path, *words: str) -> tuple[list[str], np.ndarray]:
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    return head.split(","), np.array([[float(x) for x in row.split(",")] for row in rows])


Make = Callable[..., Path]


def same_bits(
    name: str, folder: Path, method: str, make: Make, formulation: str = "reduced"
) -> None:
    plant = gallery.get(name).build().compile(formulation=formulation)
    if plant.mechanism.hard_contacts:
        method = "moreau"
    plant.export_c(folder, method=method, t_end=T_END, step=STEP)
    names, rows = printed(make(folder))
    result = plant.simulate(t_end=T_END, step=STEP, method=method)
    np.testing.assert_array_equal(rows[:, 0], result.t)
    for k, coordinate in enumerate(result.coordinates):
        for signal, values in (("q", result.q), ("qd", result.qd)):
            column = rows[:, names.index(f"{coordinate}.{signal}")]
            # piles have a fixed budget per step outside Python
            margin = 0.0 if plant.mechanism.pile is None else 1e-6
            np.testing.assert_allclose(column, values[:, k], rtol=0.0, atol=margin)


@pytest.mark.long
@pytest.mark.parametrize("name", ["pendulum", "slider_crank", "cart_pendulum"])
def test_bodies_with_six_coordinates_each(name: str, tmp_path: Path, make: Make) -> None:
    """A tree, a loop, modes with impacts."""
    same_bits(name, tmp_path, "alpha", make, "redundant")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", FEW)
def test_a_program_prints_the_bits_of_a_simulation(name: str, tmp_path: Path, make: Make) -> None:
    same_bits(name, tmp_path, "rk4", make)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(gallery.names()) - set(FEW)))
def test_all_of_the_gallery_leaves_python(name: str, tmp_path: Path, make: Make) -> None:
    same_bits(name, tmp_path, "implicit", make)


def test_the_runtime_is_compiled_as_in_python(tmp_path: Path) -> None:
    """Vectors of additions round otherwise: bits would differ."""
    m = il.Model("drop")
    ball = m.body("z", on=m.ground, joint=il.prismatic("z", initial=1.0), mass=1.0)
    m.contact(m.ground, il.plane(), ball, il.point(), law=il.hard(), name="floor")
    m.compile().export_c(tmp_path, t_end=T_END, step=STEP)
    lines = (tmp_path / "Makefile").read_text().splitlines()
    (own,) = [line for line in lines if line.startswith("il_")]
    objects, flags = own.split(": CFLAGS += ")
    assert tuple(flags.split()) == RUNTIME_FLAGS
    files = {f"{file.stem}.o" for file in tmp_path.glob("il_*.c")}
    # what stands in for parts that are not needed computes nothing
    assert set(objects.split()) == {name for name in files if not name.startswith("il_without")}


@pytest.mark.long
def test_a_program_prints_what_sensors_tell(tmp_path: Path, make: Make) -> None:
    m = gallery.get("four_bar").build()
    m.sensor("imu", il.sensors.imu("coupler_1"))
    m.sensor("torque", il.sensors.joint_torque("bar_1"))
    plant = m.compile()
    plant.export_c(tmp_path, method="rk4", t_end=T_END, step=STEP)
    names, rows = printed(make(tmp_path))
    result = plant.simulate(t_end=T_END, step=STEP, method="rk4")
    for signal in plant.mechanism.sensor_signals:
        told = rows[:, names.index(signal.name)]
        np.testing.assert_allclose(told, result[signal.name], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("compiler", "more"),
    [
        pytest.param("clang", ("-O0",), marks=pytest.mark.long),
        pytest.param("gcc", SANITIZED, marks=pytest.mark.long),
        pytest.param("clang", SANITIZED, marks=pytest.mark.long),
    ],
)
def test_sources_compile_without_a_word(
    compiler: str,
    more: tuple[str, ...],
    tmp_path: Path,
    make: Make,
    require_program: Callable[[str], str],
) -> None:
    """And run clean, also under the sanitizers, with modes and loops."""
    words = f"CC={require_program(compiler)}", f"CFLAGS={' '.join((*STRICT, *more))}"
    gallery.get("bouncing_ball").build().compile().export_c(tmp_path, method="rk4", t_end=T_END)
    assert len(printed(make(tmp_path, *words))[1]) == 51


IN_C = """
int push(const double *parameters, double t, const double *y, double *states, double *values)
{
    states[0] += 0.25 * y[0];
    values[0] = -parameters[0] * states[0] - y[1] + t;
    return 0;
}
"""


class Push:
    """The same in Python."""

    states: ClassVar[dict[str, float]] = {"total": 0.3}

    def __call__(self, t: Any, outputs: Any, gain: Any = 4.0) -> dict[str, Any]:
        self.total = self.total + 0.25 * outputs["rail.q"]
        return {"rail.tau": -gain * self.total - outputs["rail.qd"] + t}


@pytest.mark.long
def test_a_program_holds_the_controller_of_its_plant(tmp_path: Path, make: Make) -> None:
    file = tmp_path / "push.c"
    file.write_text(IN_C)
    names = {"outputs": ["rail.q", "rail.qd"], "inputs": ["rail.tau"], "states": [0.3]}
    in_c = il.c_controller(file, function="push", parameters={"gain": 4.0}, **names)
    for kind, controller in (("traced", Push()), ("in_c", in_c)):
        m = il.Model(kind)
        m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
        m.controller(controller, period=5e-3)
        plant, folder = m.compile(), tmp_path / kind
        plant.parameters["controller.gain"] = 5.5
        plant.export_c(folder, method="rk4", t_end=0.1, step=STEP)
        names, rows = printed(make(folder))
        result = plant.simulate(t_end=0.1, step=STEP, method="rk4")
        np.testing.assert_array_equal(rows[:, names.index("rail.q")], result["rail.q"])
        np.testing.assert_array_equal(rows[:, names.index("rail.qd")], result["rail.qd"])
        assert abs(result["rail.q"][-1]) > 1e-4


def test_parameters_are_those_of_now(tmp_path: Path, make: Make) -> None:
    """A pendulum of another length: its program swings as the simulation of the same plant."""
    m = il.Model("swing", gravity=(0.0, 0.0, -9.81))
    length = m.parameter("length", 0.8, unit="m")
    joint = il.revolute("y", name="swing", initial=(0.9, 0.4))
    m.body("bar", on=m.ground, joint=joint, mass=0.7, com=(0.0, 0.0, -length))
    plant = m.compile()
    plant.parameters["length"] = 0.35
    plant.export_c(tmp_path, method="rk4")
    names, rows = printed(make(tmp_path), "0.3", "0.001", "rk4")
    result = plant.simulate(t_end=0.3, method="rk4")
    np.testing.assert_array_equal(rows[:, names.index("swing.q")], result["swing.q"])
    assert "`length`" in (tmp_path / "README.md").read_text()


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    plant = gallery.get("pendulum").build().compile()
    for options in ({"method": "magic"}, {"step": 0.0}, {"step": 2.0}, {"t_end": np.inf}):
        with pytest.raises(il.InputError):
            plant.export_c(tmp_path / "no", **options)
    assert not (tmp_path / "no").exists()
    with pytest.raises(il.InputError, match="directory is 'None', not a file name"):
        plant.export_c(None)  # type: ignore[arg-type]
    with pytest.raises(il.InputError, match="directory is '3', not a file name"):
        plant.export_board(3, target="riscv")  # type: ignore[arg-type]
    with pytest.raises(il.InputError, match="file of an FMU is 'None', not a file name"):
        plant.export_fmu(None)  # type: ignore[arg-type]
