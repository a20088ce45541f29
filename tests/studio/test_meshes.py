"""Meshes in the studio: packed once, sent by the hash of their content, drawn in Chromium."""

from __future__ import annotations

import json
import struct
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from browser_page import HANG, comes, opened, own_plant
from PIL import Image
from playwright.sync_api import Browser

import inloop as il
from inloop.geometry import MeshFile
from inloop.studio.drawing import mesh_store
from inloop.studio.drawing.mesh_packing import name_of, pack
from inloop.studio.drawing.stage import Stage, make_stage

BOX = trimesh.creation.box((0.2, 0.3, 0.5))
OBJ = """mtllib red.mtl
usemtl red
""" + "".join(f"v {x} {y} {z}\n" for x, y, z in BOX.vertices) + "".join(
    f"f {a} {b} {c}\n" for a, b, c in BOX.faces + 1
)  # fmt: skip
# no two of its meshes in one place: which of them is seen there would depend on which arrives last
ROBOT = """<robot name="twins"><link name="base"><visual><geometry>
<mesh filename="part.stl"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="-0.6 0 0"/><geometry><mesh filename="red.obj"/></geometry></visual>
<visual><origin xyz="0.6 0 0"/><geometry><mesh filename="part.stl" scale="1 -1 1"/></geometry>
</visual><visual><geometry><mesh filename="missing.stl"/></geometry></visual></link></robot>"""
COUNT_RED = """async () => {
    const image = await createImageBitmap(await inloop.view.picture());
    const ink = new OffscreenCanvas(image.width, image.height).getContext("2d");
    ink.drawImage(image, 0, 0);
    const { data } = ink.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
        if (data[i] > 2 * data[i + 1] && data[i] > 2 * data[i + 2] && data[i] > 60) count += 1;
    return count / (data.length / 4);
}"""
# a mesh is drawn some pictures after its scene
UNTIL_RED = f"""async () => {{
    const red = {COUNT_RED}, begin = performance.now();
    while (!(await red() > 0.005)) {{
        const waited = performance.now() - begin;
        if (waited > {1000.0 * HANG}) throw Error("no mesh is drawn in its color");
        await new Promise(requestAnimationFrame);
    }}
}}"""


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    BOX.export(tmp_path / "part.stl")
    (tmp_path / "red.obj").write_text(OBJ)
    (tmp_path / "red.mtl").write_text("newmtl red\nKd 1 0 0\n")
    path = tmp_path / "twins.urdf"
    path.write_text(ROBOT)
    return path


def unpacked(content: bytes) -> list[dict[str, np.ndarray]]:
    """Arrays of the parts, by the format's description."""
    length = struct.unpack_from("<4xI", content)[0]
    parts = json.loads(content[8 : 8 + length])["parts"]
    kinds = {"positions": ("<f4", 3), "normals": ("<i2", 4), "indices": ("<u4", 3),
             "colors": ("u1", 4)}  # fmt: skip
    return [
        {
            name: np.frombuffer(content, kind, size // np.dtype(kind).itemsize, 8 + length + begin)
            .reshape(-1, width)
            for name, (kind, width) in kinds.items()
            if name in part
            for begin, size in [part[name]]
        }
        for part in parts
    ]  # fmt: skip


def test_a_packed_box_has_its_corners_and_normals() -> None:
    (part,) = unpacked(pack(il.Mesh(BOX.vertices, BOX.faces)).content)
    # eight corners with three normals each
    assert part["positions"].shape == (24, 3) and part["indices"].shape == (12, 3)
    a, b, c = (part["positions"][part["indices"][:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    for k in range(3):
        normals = part["normals"][part["indices"][:, k], :3] / 32767.0
        assert normals == pytest.approx(across, abs=1e-4)


def test_round_meshes_are_smooth() -> None:
    ball = trimesh.creation.icosphere(3)
    (part,) = unpacked(pack(il.Mesh(ball.vertices, ball.faces)).content)
    assert len(part["positions"]) == len(ball.vertices)
    assert part["normals"][:, :3] / 32767.0 == pytest.approx(part["positions"], abs=0.02)


def test_each_file_is_packed_once_and_kept(robot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INLOOP_CACHE", str(robot.parent / "cache"))
    stage = make_stage(il.load(robot).build())
    assert len(stage.meshes) == 2  # three visuals
    assert all(name == name_of(content) for name, content in stage.meshes.items())
    scales = [look["shape"]["scale"] for body in stage.sketch.bodies for look in body.looks]
    assert scales == [(1.0, 1.0, 1.0), (1.0, -1.0, 1.0)]
    # it survives a file, for another process
    stage.save(robot.parent / "stage.json")
    assert Stage.load(robot.parent / "stage.json").meshes == stage.meshes
    # the next time the file is not even parsed
    monkeypatch.setattr(mesh_store, "pack", None)
    part = MeshFile(str(robot.parent / "part.stl"), str(robot.parent))
    assert mesh_store.packed_file(part).content in stage.meshes.values()
    # unless what was kept is damaged
    (kept,) = (robot.parent / "cache" / "v1" / "meshes").iterdir()
    kept.write_bytes(kept.read_bytes()[:-1])
    monkeypatch.setattr(mesh_store, "pack", pack)
    assert mesh_store.packed_file(part).content in stage.meshes.values()


def test_a_mesh_that_cannot_be_read_is_told_and_not_drawn(robot: Path) -> None:
    (robot.parent / "part.stl").write_bytes(b"solid nothing")
    with pytest.warns(UserWarning, match=r"a mesh is not drawn: .*part.stl"):
        stage = make_stage(il.load(robot).build())
    assert len(stage.meshes) == 1


def test_meshes_are_sent_by_hash_to_those_with_the_token(
    robot: Path, start_studio: Callable[..., object]
) -> None:
    studio = start_studio(str(robot), "--token", "a-long-token")
    try:
        names = make_stage(il.load(robot).build()).meshes
        for name, content in names.items():
            status, headers, body = fetched(f"{studio.address}/mesh/{name}?token={studio.token}")
            assert (status, body) == (200, content)
            assert "immutable" in headers["cache-control"]
            assert fetched(f"{studio.address}/mesh/{name}")[0] == 403
        for name in ("part.stl", "0" * 32, "..%2f..%2fetc%2fpasswd", str(robot)):
            assert fetched(f"{studio.address}/mesh/{name}?token={studio.token}")[0] == 404
    finally:
        studio.end()


def fetched(address: str) -> tuple[int, dict[str, str], bytes]:
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, {}, b""


LEG = """<link name="{0}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="{1} 0 0" rpy="0 {1} 0"/><geometry><mesh filename="part.stl"/></geometry>
<material name="m{0}"><color rgba="{2} 0 0 1"/></material></visual></link>
<joint name="j{0}" type="revolute"><parent link="base"/><child link="{0}"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"""


def many_legs(folder: Path, reds: list[float]) -> Path:
    """The same part on several bodies; where the red differs they cannot be drawn at once."""
    BOX.export(folder / "part.stl")
    legs = "".join(LEG.format(f"l{k}", 0.4 * k, red) for k, red in enumerate(reds))
    path = folder / f"legs{len(set(reds))}.urdf"
    path.write_text(f'<robot name="legs{len(set(reds))}"><link name="base"/>{legs}</robot>')
    return path


@pytest.mark.long
def test_equal_meshes_are_drawn_at_once_and_where_they_belong(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    found = []
    for reds in ([1.0] * 5, [1.0, 0.995, 0.99, 0.985, 0.98]):
        path = many_legs(tmp_path, reds)
        with (
            own_plant(str(path), recordings=tmp_path / "recordings") as studio,
            opened(browser, studio.address, errors, draws=True) as page,
        ):
            comes(page, "inloop.view.settled")
            area = page.evaluate(COUNT_RED)
            found.append((area, page.evaluate("inloop.view.calls")))
    (together, few), (apart, many) = found
    assert together == pytest.approx(apart, rel=0.01) and apart > 0.02
    assert many == few + 2 * 4  # each with its shadow
    assert not errors


TEXTURED = """<robot name="textured"><material name="wood"><texture filename="red.png"/></material>
<link name="base"><visual><geometry><box size="0.4 0.4 0.4"/></geometry><material name="wood"/>
</visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0.8 0 0"/><geometry><mesh filename="plain.obj"/></geometry>
<material name=""><color rgba="0 0 1 1"/><texture filename="red.png"/></material></visual>
</link></robot>"""
# a square that says where a picture lies on it, without one of its own
PLAIN = """v 0 -.2 0\nv .4 -.2 0\nv .4 .2 0\nv 0 .2 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1
f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"""


@pytest.mark.long
def test_pictures_of_materials_are_sent_anew_and_drawn(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    Image.new("RGB", (8, 8), (230, 0, 0)).save(tmp_path / "red.png", comment="private")
    (tmp_path / "plain.obj").write_text(PLAIN)
    path = tmp_path / "textured.urdf"
    for left in ("", "mesh", "box"):
        text = TEXTURED
        if left == "mesh":  # without that on the box
            text = text.replace('<material name="wood"/>', "")
        elif left == "box":  # without that on the mesh
            text = text.replace(
                '<texture filename="red.png"/></material></visual>', "</material></visual>"
            )
        path.write_text(text)
        stage = make_stage(il.load(path).build())
        assert (tmp_path / "red.png").read_bytes() not in stage.meshes.values()
        with (
            own_plant(str(path), recordings=tmp_path / "recordings") as studio,
            opened(browser, studio.address, errors, draws=True) as page,
        ):
            comes(page, "inloop.view.settled")
            assert page.evaluate(COUNT_RED) > 0.005, left
    assert not errors


def test_a_picture_that_cannot_be_read_is_told_and_not_drawn(tmp_path: Path) -> None:
    (tmp_path / "red.png").write_bytes(b"\x89PNG but not really")
    (tmp_path / "plain.obj").write_text(PLAIN)
    (tmp_path / "textured.urdf").write_text(TEXTURED)
    with pytest.warns(UserWarning, match=r"a picture is not drawn: .*red.png"):
        stage = make_stage(il.load(tmp_path / "textured.urdf").build())
    assert len(stage.meshes) == 1 and not any(
        "picture" in look for look in stage.sketch.ground_looks
    )


def test_chromium_fetches_each_mesh_once_and_draws_its_color(
    browser: Browser, robot: Path, tmp_path: Path, errors: list[str]
) -> None:
    asked: list[str] = []
    with (
        own_plant(str(robot), recordings=tmp_path / "recordings") as studio,
        opened(browser, studio.address, errors, draws=True, asked=asked) as page,
    ):
        page.evaluate(UNTIL_RED)
        # another theme builds anew, from what is there
        page.evaluate("inloop.view.setPalette(inloop.view.palette)")
        page.evaluate(UNTIL_RED)
    fetched_names = [url.rpartition("/")[2] for url in asked if "/mesh/" in url]
    assert len(fetched_names) == len(set(fetched_names)) == 2
    assert not errors
