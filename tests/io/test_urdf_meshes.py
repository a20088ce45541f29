"""Meshes of URDF files: found in packages, refused elsewhere, and masses that follow from them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import trimesh

import inloop as il
from inloop.geometry import MeshFile
from inloop.io.load import load

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
EDGES = (0.2, 0.3, 0.5)
LINK = """<robot name="r"><material name="blue"><color rgba="0 0 1 0.5"/></material>
<link name="base"/><joint name="j" type="revolute"><parent link="base"/><child link="a"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="a">{inside}</link></robot>"""
VISUAL = """<visual><origin xyz="0.1 0.2 0.3"/><geometry><mesh filename="{name}" scale="1 2 -1"/>
</geometry><material name="blue"/></visual>"""


@pytest.fixture
def robot(tmp_path: Path) -> Callable[[str], Path]:
    """`robot(reference)`: a file in a package "arm" whose link shows this mesh."""
    package = tmp_path / "space" / "arm"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    trimesh.creation.box(EDGES).export(package / "meshes" / "box.stl")

    def write(name: str) -> Path:
        path = package / "urdf" / "arm.urdf"
        path.write_text(LINK.format(inside=VISUAL.format(name=name)))
        return path

    return write


def shown(path: Path, **options: object) -> il.Visual:
    model = load(path, massless="keep", **options)
    (visual,) = model.build().bodies[0].visuals
    return visual


def why_not(path: Path, **options: object) -> str:
    mechanism = load(path, massless="keep", **options).build()
    assert mechanism.bodies[0].visuals == ()
    (note,) = [note for note in mechanism.notes if "is not read" in note]
    assert "link 'a': mesh" in note and f"{path}:" in note  # by name and line
    return note


def test_packages_that_are_named(robot: Callable[[str], Path]) -> None:
    path = robot("package://other/meshes/box.stl")
    assert "package 'other' is not found" in why_not(path)
    visual = shown(path, packages={"other": path.parent.parent})
    assert isinstance(visual.shape, MeshFile)
    assert np.ptp(visual.shape.bounds, axis=0) == pytest.approx((0.2, 0.6, 0.5), rel=1e-6)
    assert (visual.position, visual.color) == ((0.1, 0.2, 0.3), (0.0, 0.0, 1.0, 0.5))


def test_packages_above_the_file(robot: Callable[[str], Path]) -> None:
    path = robot("package://strong_arm/meshes/box.stl")
    assert "package 'strong_arm' is not found" in why_not(path)
    told = path.parent.parent / "package.xml"
    told.write_text("<package><name>strong_arm</name></package>")
    assert shown(path).shape.volume == pytest.approx(0.06, rel=1e-6)


@pytest.mark.parametrize("variable", ["ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"])
def test_packages_in_the_paths_of_ros(
    robot: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    path = robot("package://arm/meshes/box.stl")
    space = path.parents[2]
    assert "package 'arm' is not found" in why_not(path)
    if variable == "AMENT_PREFIX_PATH":
        (space / "install").mkdir()
        (space / "install" / "share").symlink_to(space)
        space = space / "install"
    monkeypatch.setenv(variable, os.pathsep.join(["/nowhere", str(space)]))
    assert shown(path).shape.volume == pytest.approx(0.06, rel=1e-6)


def test_files_next_to_the_model(robot: Callable[[str], Path]) -> None:
    path = robot("../meshes/box.stl")
    assert "outside the folder of the model" in why_not(path)
    assert shown(path, packages={"arm": path.parent.parent}).shape.volume > 0.0
    (path.parent / "box.stl").write_bytes((path.parent.parent / "meshes/box.stl").read_bytes())
    for name in ("box.stl", "file://box.stl", f"file://{path.parent / 'box.stl'}"):
        assert shown(robot(name)).shape.volume == pytest.approx(0.06, rel=1e-6)
    assert "there is no such file" in why_not(robot("ball.stl"))


@pytest.mark.parametrize(
    "name",
    ["package://p/../../secret.stl", "package://p/%2e%2e/secret.stl", "/etc/passwd", "file:///etc/passwd",
     "http://localhost/a.stl", "package://../secret.stl", "package:///etc/passwd", "package://p/a&#10;b"],
)  # fmt: skip
def test_a_reference_cannot_leave_its_folder(robot: Callable[[str], Path], name: str) -> None:
    path = robot(name)
    (path.parents[2] / "secret.stl").touch()
    assert why_not(path, packages={"p": path.parent.parent})


def test_masses_from_density(robot: Callable[[str], Path]) -> None:
    path = robot("box.stl")
    (path.parent / "box.stl").write_bytes((path.parent.parent / "meshes/box.stl").read_bytes())
    model = load(path, density=500.0)
    body = model.build().bodies[0]
    x, y, z = 0.2, 0.6, 0.5
    assert body.mass == pytest.approx(500.0 * x * y * z, rel=1e-6)
    assert np.array(body.com, dtype=float) == pytest.approx([0.1, 0.2, 0.3])
    moments = np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    assert np.diag(body.inertia) == pytest.approx(30.0 * moments / 12.0, rel=1e-5)
    assert any("link 'a' has no <inertial>: its mass, 30 kg" in n for n in model.build().notes)


def test_collision_shapes_go_before_and_inertial_before_all(tmp_path: Path) -> None:
    ball = '<collision><geometry><sphere radius="0.3"/></geometry></collision>'
    box = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    inertial = (
        '<inertial><mass value="7"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial>"
    )
    path = tmp_path / "a.urdf"
    for inside, mass in ((box, 1000.0), (box + ball, 4000.0 / 3.0 * np.pi * 0.027),
                         (box + inertial, 7.0)):  # fmt: skip
        path.write_text(LINK.format(inside=inside))
        assert load(path, density=1000.0).build().bodies[0].mass == pytest.approx(mass)
    path.write_text(LINK.format(inside=box + ball))
    data = load(path, massless="keep").metadata["urdf"]
    (found,) = data.collisions["a"]
    assert found.shape.radius == 0.3


def test_an_open_mesh_weighs_as_its_hull(robot: Callable[[str], Path]) -> None:
    path = robot("open.stl")
    whole = trimesh.creation.box(EDGES)
    trimesh.Trimesh(whole.vertices, whole.faces[:-2]).export(path.parent / "open.stl")
    model = load(path, density=500.0)
    assert model.build().bodies[0].mass == pytest.approx(30.0, rel=1e-6)
    assert any("its convex hull is used" in note for note in model.build().notes)


@pytest.mark.parametrize(
    ("options", "text"),
    [({"density": -1.0}, "density must be > 0"), ({"packages": "here"}, "is not a mapping"),
     ({"packages": {"p": "/nowhere"}}, "package 'p' is not at")],
)  # fmt: skip
def test_options_that_make_no_sense(
    robot: Callable[[str], Path], options: dict[str, object], text: str
) -> None:
    with pytest.raises(il.InputError, match=text):
        load(robot("box.stl"), **options)


def test_all_shapes_of_a_robot_that_pip_brings() -> None:
    # the package.xml of example-robot-data lies above the file
    mechanism = load(ROBOTS / "panda_description" / "urdf" / "panda.urdf").build()
    assert not [note for note in mechanism.notes if "is not read" in note]
    visuals = [v for part in (mechanism.ground, *mechanism.bodies) for v in part.visuals]
    assert len(visuals) == 11  # eight links, the hand, two fingers
    link = next(v.shape for v in visuals if str(v.shape.path).endswith("link0.dae"))
    assert len(link.mesh.triangles) == 20483 and link.mesh.paint[0].colors is not None


def test_pictures_of_materials(robot: Callable[[str], Path]) -> None:
    path = robot("../meshes/box.stl")
    (path.parents[1] / "package.xml").write_text("<package><name>arm</name></package>")
    text = path.read_text()
    picture = path.parents[1] / "meshes" / "wood.png"
    picture.write_bytes(b"not opened yet")
    for reference in ("package://arm/meshes/wood.png", "../meshes/wood.png"):
        named = f'<color rgba="0 0 1 0.5"/><texture filename="{reference}"/>'
        path.write_text(text.replace('<color rgba="0 0 1 0.5"/>', named))
        found = shown(path)
        assert found.picture is not None and Path(found.picture.path).samefile(picture)
        assert found.color == (0.0, 0.0, 1.0, 0.5)


@pytest.mark.parametrize("texture", ["<texture/>", '<texture filename=""/>'])
def test_a_texture_without_a_file_is_none(robot: Callable[[str], Path], texture: str) -> None:
    path = robot("../meshes/box.stl")
    (path.parents[1] / "package.xml").write_text("<package><name>arm</name></package>")
    color = '<color rgba="0 0 1 0.5"/>'
    path.write_text(path.read_text().replace(color, color + texture))
    assert shown(path).picture is None and shown(path).color == (0.0, 0.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("package://arm/meshes/none.png", "there is no such file"),
        ("../../../../../etc/hostname", "outside the folder"),
        ("http://example.org/a.png", "nothing from a network"),
        ("package://other/a.png", "package 'other' is not found"),
    ],
)
def test_pictures_that_are_not_found_are_told_by_name_and_line(
    robot: Callable[[str], Path], reference: str, reason: str
) -> None:
    path = robot("../meshes/box.stl")
    (path.parents[1] / "package.xml").write_text("<package><name>arm</name></package>")
    with_texture = f'<material name="blue"><texture filename="{reference}"/></material>'
    path.write_text(path.read_text().replace('<material name="blue"/>', with_texture))
    mechanism = load(path, massless="keep").build()
    (visual,) = mechanism.bodies[0].visuals
    assert visual.picture is None
    (note,) = [note for note in mechanism.notes if "is not read" in note]
    assert f"link 'a': texture '{reference}'" in note and reason in note and f"{path}:" in note


def test_a_robot_whose_foot_names_a_surface_that_is_not_there() -> None:
    path = ROBOTS / "anymal_b_simple_description" / "meshes" / "foot" / "anymal_foot.dae"
    with pytest.warns(UserWarning, match="'carbon_uv_texture_jpg_001-surface' is missing"):
        foot = MeshFile(str(path), str(path.parents[2])).unscaled
    # as many as its three lists of triangles say, and the picture of the third
    told = sum(map(int, re.findall(r'<triangles .*?count="(\d+)"', path.read_text())))
    assert len(foot.triangles) == told == 4604
    assert [part.texture is not None for part in foot.paint] == [False, False, True]
