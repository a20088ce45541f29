"""What lies in an FMU: sources that build without a word, units, types, and the command."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import fmpy
import pytest
from fmpy.model_description import read_build_description
from fmu_models import PLATFORM, Exported, plant_named
from PIL import Image

import inloop as il
from inloop.cli import main
from inloop.io.fmi.base_units import base_units
from inloop.io.fmi.binaries import found_targets

Make = Callable[..., Exported]
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O0")


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_the_wrapper_compiles_without_a_word(version: str, exported: Make, tmp_path: Path) -> None:
    with zipfile.ZipFile(exported("driven_slide", version).file) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "sources"
    files = [path.name for path in folder.glob("fm*.c")]
    assert {"fmu.c", "fmu_facts.c", f"fmi{version[0]}.c"} <= set(files)
    subprocess.run(["cc", *STRICT, "-fsyntax-only", *files], cwd=folder, check=True)


def test_the_sources_are_listed(exported: Make) -> None:
    three, two = (exported("driven_slide", version).file for version in ("3.0", "2.0"))
    with zipfile.ZipFile(three) as archive:
        there = {name for name in archive.namelist() if name.startswith("sources/")}
    (build,) = read_build_description(str(three))
    listed = {f"sources/{name}" for group in build.sourceFileSets for name in group.sourceFiles}
    assert listed == {name for name in there if name.endswith(".c")}
    with zipfile.ZipFile(two) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
        there = {name for name in archive.namelist() if name.startswith("sources/")}
    for kind in ("ModelExchange", "CoSimulation"):
        named = {f"sources/{file.get('name')}" for file in root.iterfind(f"{kind}/*/File")}
        assert named == {name for name in there if name.endswith(".c")}


@pytest.mark.long
def test_sources_build_for_other_platforms(tmp_path: Path) -> None:
    targets = found_targets()
    plant = plant_named("driven_slide")
    file = plant.export_fmu(tmp_path / "all.fmu", platforms=tuple(targets), portable=True)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
    for platform in targets:
        assert any(name.startswith(f"binaries/{platform}/") for name in names)


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_a_picture_and_a_page_are_inside(version: str, exported: Make) -> None:
    place = {"3.0": "terminalsAndIcons/icon.png", "2.0": "model.png"}[version]
    with zipfile.ZipFile(exported("bouncing_ball", version).file) as archive:
        picture = archive.read(place)
        page = archive.read("documentation/index.html").decode()
        if version == "3.0":
            icon = ElementTree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
            assert icon.find("GraphicalRepresentation/Icon") is not None
    with Image.open(io.BytesIO(picture)) as image:
        assert image.size == (240, 180)
        # a ball in front of an empty room
        assert len(set(image.convert("RGB").getdata())) > 50
    assert len(picture) < 50_000
    assert f'src="../{place}"' in page
    for told in ("restitution", "gravity, along -z", "ball.qd", "flight", "Co-simulation by rk4"):
        assert told in page


def test_words_of_a_model_are_no_html(tmp_path: Path) -> None:
    m = il.Model("cart", doc="a <script>alert(1)</script> & more")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.3)
    file = m.compile().export_fmu(tmp_path / "a.fmu", platforms=PLATFORM)
    with zipfile.ZipFile(file) as archive:
        page = archive.read("documentation/index.html").decode()
    assert "a &lt;script&gt;" in page
    assert "<script" not in page


def test_modes_are_an_enumeration(exported: Make) -> None:
    for version in ("3.0", "2.0"):
        about = fmpy.read_model_description(str(exported("bouncing_ball", version).file))
        (modes,) = about.typeDefinitions
        assert [(item.name, int(item.value)) for item in modes.items] == [
            ("flight", 0),
            ("rest", 1),
        ]
        by_name = {v.name: v for v in about.modelVariables}
        assert by_name["mode"].declaredType.name == modes.name
        assert (by_name["g"].unit, by_name["g"].variability) == ("m/s^2", "tunable")
        assert (float(by_name["g"].start), float(by_name["g"].max)) == (9.81, 25.0)
        assert by_name["g"].description == "gravity, along -z"


@pytest.mark.parametrize(
    ("unit", "powers"),
    [
        ("N*m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("kg*m^2", {"kg": 1, "m": 2}),
        ("m/s/m", {"s": -1}),
        ("1", {}),
        ("N·m·s²", {"kg": 1, "m": 2}),
        ("mm", None),
        ("", {}),
    ],
)
def test_units_in_powers_of_base_units(unit: str, powers: dict[str, int] | None) -> None:
    assert base_units(unit) == powers


def test_the_same_plant_gives_the_same_bytes(exported: Make, tmp_path: Path) -> None:
    made = exported("driven_slide")
    again = made.plant.export_fmu(tmp_path / "again.fmu", platforms=PLATFORM)
    assert again.read_bytes() == made.file.read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"file": "a.zip"}, "'a.zip' is not the name of an FMU"),
        ({"version": "1.0"}, "FMI '1.0' is unknown"),
        ({"step": 0.0}, "make no sense"),
        ({"method": "gear"}, "method 'gear' is unknown"),
        ({"platforms": ("z80-cpm",)}, "no compiler for platform 'z80-cpm'"),
    ],
)
def test_mistakes_in_an_export_are_told(
    options: dict[str, object], said: str, tmp_path: Path
) -> None:
    file = tmp_path / str(options.pop("file", "a.fmu"))
    with pytest.raises(il.InputError, match=said):
        plant_named("driven_slide").export_fmu(file, **{"platforms": PLATFORM, **options})
    assert not file.exists()


def test_the_command_writes_an_fmu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pendulum.fmu"
    words = ["export", "pendulum", "--fmu", str(file), "--fmi-version", "2.0", "--json"]
    assert main([*words, "--platform", *PLATFORM, "--step", "0.002"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"model": "pendulum", "file": str(file), "fmi": "2.0", "warnings": []}
    about = fmpy.read_model_description(str(file))
    assert (about.fmiVersion, float(about.defaultExperiment.stepSize)) == ("2.0", 0.002)


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_dependencies_are_those_of_the_equations(version: str, exported: Make) -> None:
    """J qdd = -m g l sin q - d qd + tau."""
    about = fmpy.read_model_description(str(exported("driven_pendulum", version).file))
    found = {
        unknown.variable.name: {
            v.name: kind
            for v, kind in zip(unknown.dependencies, unknown.dependenciesKind, strict=True)
        }
        for unknown in (*about.outputs, *about.derivatives)
    }
    free = {"x[1]": "dependent", "x[2]": "dependent", "hinge.tau": "dependent"}
    assert found == {
        "hinge.q": {"x[1]": "constant"},
        "hinge.qd": {"x[2]": "constant"},
        "der(x[1])": {"x[2]": "constant"},
        "der(x[2])": free,
    }
    slide = fmpy.read_model_description(str(exported("driven_slide", version).file))
    assert [v.name for v in slide.derivatives[1].dependencies] == ["slide.tau"]
