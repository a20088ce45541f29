"""FMUs of others as controllers: wired by name, the same offline and beside a plant that runs."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmu_models import Exported

import inloop as il

Make = Callable[..., Exported]
PERIOD = 1e-2
HEAD = '<?xml version="1.0"?>'
ROOT = '<fmiModelDescription fmiVersion="{}" modelName="m" guid="g" instantiationToken="g">'


@pytest.fixture(scope="module")
def cart() -> il.Plant:
    m = il.Model("cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    return m.compile()


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_an_fmu_leads_an_input_at_samples(version: str, exported: Make, cart: il.Plant) -> None:
    """A slide of 0.5 kg under 1 N moves by t²: the force on the cart, held between samples."""
    file = exported("driven_slide", version).file
    actuator = il.load_fmu(file, reads={"slide.tau": 1.0}, leads={"slide.q": "rail.tau"})
    assert actuator.inputs == ("slide.tau",)
    result = cart.simulate(t_end=0.2, step=1e-3, controller=actuator, period=PERIOD)
    samples = np.arange(20) * PERIOD
    np.testing.assert_allclose(result["rail.tau"][:-1:10], samples**2, atol=1e-14)
    # the velocity of the cart: sum of forces, each held for a period
    assert result["rail.qd"][-1] == pytest.approx(np.sum(samples**2) * PERIOD / 1.3, rel=1e-9)
    again = cart.simulate(t_end=0.2, step=1e-3, controller=actuator, period=PERIOD)
    np.testing.assert_array_equal(again["rail.q"], result["rail.q"])


def test_an_fmu_beside_a_running_plant_gives_the_same_bits(exported: Make, cart: il.Plant) -> None:
    wires = {"reads": {"slide.tau": "rail.q"}, "leads": {"slide.qd": "rail.tau"}}
    options = {"parameters": {"mass": 0.7}, **wires}
    actuator = il.load_fmu(exported("driven_slide").file, **options)
    start = {"q": {"rail": 0.4}}
    offline = cart.simulate(t_end=0.2, step=1e-3, controller=actuator, period=PERIOD, **start)
    assert offline["rail.tau"][-1] > 0.05
    report = il.run(
        cart,
        name=f"cart-fmu-{os.getpid()}",
        mode="lock-step",
        rate=1000,
        seconds=0.2,
        controller=actuator,
        period=PERIOD,
        **start,
    )
    assert report.outputs["rail.q"] == offline["rail.q"][-1]


def test_what_goes_wrong_in_an_fmu_is_told(exported: Make, cart: il.Plant) -> None:
    file = exported("driven_slide").file
    with pytest.raises(
        il.InputError, match=r"no such variable 'slide.ta'\. Did you mean slide.tau"
    ):
        il.load_fmu(file, reads={"slide.ta": 1.0}, leads={})
    with pytest.raises(il.InputError, match=r"no such variable 'slide.tau'"):
        il.load_fmu(file, leads={"slide.tau": "rail.tau"})
    heavy = il.load_fmu(file, reads={}, leads={}, parameters={"mass": 50.0})
    with pytest.raises(il.SimulationError, match=r"parameter 'mass' is 50, outside of 0\.1 to 5"):
        cart.simulate(t_end=0.1, controller=heavy)
    # 0.5 ms is not a multiple of the FMU's own step
    early = il.load_fmu(file, reads={}, leads={})
    with pytest.raises(il.SimulationError, match="multiple of the plant's own step"):
        cart.simulate(t_end=0.1, step=5e-4, controller=early, period=5e-4)


def archive(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in members.items():
            made.writestr(name, text)
    return path


def described(body: str, version: str = "3.0") -> dict[str, str]:
    return {"modelDescription.xml": f"{HEAD}{ROOT.format(version)}{body}</fmiModelDescription>"}


RUNS = '<CoSimulation modelIdentifier="m"/>'


def variables(attributes: str) -> str:
    return f"<ModelVariables><Float64 {attributes}/></ModelVariables><ModelStructure/>"


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "no modelDescription.xml"),
        ({"modelDescription.xml": "<a"}, "modelDescription.xml"),
        ({"modelDescription.xml": f"{HEAD}{BOMB}<a>&b;</a>"}, "modelDescription.xml"),
        ({"modelDescription.xml": f"{HEAD}<a/>"}, "version '' of FMI is not supported"),
        (described("", "1.0"), "version '1.0' of FMI is not supported"),
        (described(""), "no co-simulation"),
        (described('<CoSimulation modelIdentifier="../../etc/x"/>'), "model identifier"),
        (described('<CoSimulation modelIdentifier="m"/>'), "its description is wrong"),
        (described(RUNS * 2), "has a second <CoSimulation>"),
        (described(RUNS + variables('name="a" valueReference="-1"')), "its description is wrong"),
        (described(RUNS + variables('name="a" valueReference="9999999999999"')), "wrong"),
        (described(RUNS + variables('name="a" valueReference="1" start="x"')), "wrong"),
        (described(RUNS + variables('name="a" valueReference="1" causality="king"')), "wrong"),
        (described(RUNS + variables('valueReference="1"')), "its description is wrong"),
        (described(f"{RUNS}<ModelVariables/>" + "<a>" * 3000 + "</a>" * 3000), "modelDescription"),
        (described("<CoSimulation modelIdentifier='a\u0000b'/>"), "modelDescription"),
        (described(f'<CoSimulation modelIdentifier="{"m" * 5000}"/>'), "model identifier"),
        ({"modelDescription.xml": "\ufeff\ufeff"}, "modelDescription.xml"),
        ({**described(""), "../../outside": "x"}, "points outside"),
        ({**described(""), "/etc/outside": "x"}, "points outside"),
        ({**described(""), "a\\..\\outside": "x"}, "points outside"),
    ],
)
def test_hostile_fmus_are_refused(tmp_path: Path, members: dict[str, str], said: str) -> None:
    with pytest.raises(il.FileFormatError) as caught:
        il.load_fmu(archive(tmp_path / "hostile.fmu", members))
    assert said in str(caught.value)


def test_files_that_are_no_fmus_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.fmu").write_text("not an archive")
    for name, said in (("text.fmu", "is not an FMU"), ("missing.fmu", "cannot be read")):
        with pytest.raises(il.FileFormatError, match=said):
            il.load_fmu(tmp_path / name)


def test_an_fmu_with_a_bent_description_is_refused_or_runs(exported: Make, tmp_path: Path) -> None:
    """Bytes of the description changed at random: an error, or an FMU that can be used."""
    source = zipfile.ZipFile(exported("driven_slide").file)
    library = next(name for name in source.namelist() if name.startswith("binaries"))
    good, code = source.read("modelDescription.xml"), source.read(library)
    random = np.random.default_rng(7)
    refused = 0
    for number in range(40):
        bent = bytearray(good)
        for at in random.integers(0, len(good), 4):
            bent[at] = random.integers(32, 127)
        path = tmp_path / f"{number}.fmu"
        with zipfile.ZipFile(path, "w") as made:
            made.writestr("modelDescription.xml", bytes(bent))
            made.writestr(library, code)
        try:
            controller = il.load_fmu(path, reads={}, leads={})
            controller(0.0, {})
        except (il.FileFormatError, il.InputError, il.SimulationError):
            refused += 1
    assert refused > 10


def test_a_library_for_another_machine_is_told(exported: Make, tmp_path: Path) -> None:
    source = zipfile.ZipFile(exported("driven_slide").file)
    members = {"modelDescription.xml": source.read("modelDescription.xml").decode()}
    path = archive(tmp_path / "other.fmu", {**members, "binaries/mips-plan9/m.so": ""})
    with pytest.raises(il.FileFormatError, match=r"no library for .*, only for: mips-plan9"):
        il.load_fmu(path)
