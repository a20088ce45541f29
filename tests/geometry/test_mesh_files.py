"""Meshes of files: written by hand or by trimesh, read, mutated; hostile ones are told apart."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

import inloop as il
from inloop.geometry.mesh_files import given_file, mesh_checks
from inloop.geometry.mesh_files.mesh_file import MeshFile

EDGES = (0.2, 0.3, 0.5)
MUTATIONS = 60  # of each kind of file

MTL = "newmtl red\nKd 1 0 0\n"
OBJ = """mtllib box.mtl
v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1
usemtl red
f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4
"""
DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def box_bytes(kind: str) -> bytes:
    found = trimesh.creation.box(EDGES).export(file_type=kind)
    return found if isinstance(found, bytes) else str(found).encode()


def gltf_bytes() -> bytes:
    """A box whose buffer lies in the description."""
    import base64

    files = trimesh.Scene(trimesh.creation.box(EDGES)).export(file_type="gltf")
    tree = json.loads(files["model.gltf"])
    for buffer in tree["buffers"]:
        content = base64.b64encode(files[buffer["uri"]]).decode()
        buffer["uri"] = f"data:application/octet-stream;base64,{content}"
    return json.dumps(tree).encode()


SOUND: dict[str, Callable[[], bytes]] = {
    "stl": lambda: box_bytes("stl"),
    "stl_ascii": lambda: box_bytes("stl_ascii"),
    "obj": OBJ.encode,
    "glb": lambda: box_bytes("glb"),
    "gltf": gltf_bytes,
    "dae": DAE.encode,
}


def written(folder: Path, kind: str, data: bytes) -> Path:
    path = folder / f"box.{kind.partition('_')[0]}"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("kind", SOUND)
def test_sound_files(kind: str, tmp_path: Path) -> None:
    (tmp_path / "box.mtl").write_text(MTL)
    found = il.mesh(written(tmp_path, kind, SOUND[kind]()))
    # a tetrahedron with edges of 1 m, or the box
    volume = 1.0 / 6.0 if kind in ("obj", "dae") else np.prod(EDGES)
    assert found.volume == pytest.approx(volume, rel=1e-6)
    if kind == "obj":
        assert found.paint[0].colors is not None
        assert found.paint[0].colors[0, 0].tolist() == [255, 0, 0, 255]


def test_scale_unit_and_up(tmp_path: Path) -> None:
    path = written(tmp_path, "stl", box_bytes("stl"))
    x, y, z = EDGES
    for options, size in (
        ({"scale": 2.0}, (2 * x, 2 * y, 2 * z)),
        ({"scale": (1.0, 3.0, -1.0)}, (x, 3 * y, z)),
        ({"unit": "mm"}, (1e-3 * x, 1e-3 * y, 1e-3 * z)),
        ({"up": "y"}, (x, z, y)),
        ({"up": "x"}, (z, y, x)),
    ):
        found = il.mesh(path, **options)
        assert np.ptp(found.bounds, axis=0) == pytest.approx(size, rel=1e-6)
        assert found.volume == pytest.approx(np.prod(size), rel=1e-5)  # right side out
    # what points up in the file points up here
    (tmp_path / "box.mtl").write_text(MTL)
    corner = il.mesh(written(tmp_path, "obj", OBJ.encode()), up="y")
    assert corner.bounds[1, 2] == pytest.approx(1.0)
    assert corner.bounds[0, 1] == pytest.approx(-1.0)


def test_a_unit_that_is_given_beats_that_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "dae", DAE.encode())
    assert np.ptp(il.mesh(path).bounds) == pytest.approx(1.0)
    assert np.ptp(il.mesh(path, unit="mm").bounds) == pytest.approx(0.1)


# an effect with a picture, as exporters write it, and a material that uses it
EFFECT = """<library_images><image id="i"><init_from>red.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="i-surface"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="i-sampler"><sampler2D><source>i-surface</source></sampler2D></newparam>
<technique sid="t"><lambert><diffuse><texture texture="i-sampler" texcoord="u"/></diffuse></lambert>
</technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries>"""
PAINTED = DAE.replace("<library_geometries>", EFFECT).replace(
    '<instance_geometry url="#g"/>',
    '<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s" '
    'target="#m"/></technique_common></bind_material></instance_geometry>',
).replace('<triangles count="4">', '<triangles count="4" material="s">')  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", ""),
        ("<source>i-surface", "<source>i_001-surface", "surface 'i_001-surface' is missing"),
        ('texture="i-sampler"', 'texture="j"', "texture 'j' is missing"),
        ('url="#e"', 'url="#f"', "material 'm' or its effect is missing"),
        ('target="#m"', 'target="#n"', "material 'n' or its effect is missing"),
    ],
)
def test_collada_references_that_lead_nowhere_cost_no_triangles(
    old: str, new: str, told: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / "red.png")
    assert old in PAINTED
    found = il.mesh(written(tmp_path, "dae", PAINTED.replace(old, new, 1).encode()))
    assert found.volume == pytest.approx(1.0 / 6.0, rel=1e-6)
    warned = [str(item.message) for item in recwarn if "has broken references" in str(item.message)]
    assert len(warned) == (1 if told else 0) and all(told in text for text in warned)


def refused(path: Path, **options: object) -> str:
    with pytest.raises(il.FileFormatError) as caught:
        il.mesh(path, **options)  # type: ignore[arg-type]
    (mistake,) = caught.value.mistakes
    assert path.name in mistake.where and mistake.fix
    return mistake.what


def test_a_header_that_promises_too_much(tmp_path: Path) -> None:
    data = bytearray(box_bytes("stl"))
    data[80:84] = struct.pack("<I", 2**32 - 1)
    what = refused(written(tmp_path, "stl", bytes(data)))
    assert "its header announces 4294967295 triangles" in what


def test_vertices_that_are_no_numbers(tmp_path: Path) -> None:
    data = bytearray(box_bytes("stl"))
    data[84 + 12 : 84 + 16] = struct.pack("<f", float("nan"))
    assert "vertex 0 is [nan, " in refused(written(tmp_path, "stl", bytes(data)))


def test_references_that_lead_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(1000))
    home = tmp_path / "home"
    home.mkdir()
    (home / "link.bin").symlink_to(tmp_path / "secret.bin")
    for uri in ("../secret.bin", "%2e%2e/secret.bin", str(tmp_path / "secret.bin"),
                "file:///etc/passwd", "http://localhost/secret.bin", "link.bin"):  # fmt: skip
        tree = json.loads(gltf_bytes())
        tree["buffers"][0]["uri"] = uri
        what = refused(written(home, "gltf", json.dumps(tree).encode()))
        assert "refers to" in what and "outside its folder" in what
    text = OBJ.replace("box.mtl", "../secret.bin")
    assert "outside its folder" in refused(written(home, "obj", text.encode()))


def test_pictures_may_lie_in_the_package(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "materials.mtl").write_text(MTL)
    text = OBJ.replace("box.mtl", "../materials.mtl")
    path = written(tmp_path / "meshes", "obj", text.encode())
    assert len(il.mesh(path, folder=tmp_path).triangles) == 4
    assert "outside the folder" in refused(path, folder=tmp_path / "meshes" / "deeper")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("<COLLADA", '<!DOCTYPE C [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><COLLADA',
         "declares a document type or an entity"),
        ("<COLLADA", '<!DOCTYPE C SYSTEM "file:///etc/passwd"><COLLADA', "declares a document"),
        ('<node id="n">', '<node id="n"><instance_node url="#n"/>', "contains itself"),
        ('<node id="n">', "<node>" * 200 + '<node id="n">', "nested too deeply"),
        ('meter="0.01"', 'meter="-1"', "its unit is '-1' m"),
        ("</COLLADA>", "", "not well-formed XML"),
        ("<COLLADA", "<svg", "root element is <svg>"),
    ],
)  # fmt: skip
def test_hostile_collada(tmp_path: Path, old: str, new: str, text: str) -> None:
    assert text in refused(written(tmp_path, "dae", DAE.replace(old, new, 1).encode()))


def test_nodes_that_multiply(tmp_path: Path) -> None:
    levels = "".join(
        f'<node id="m{k}">' + f'<instance_node url="#m{k + 1}"/>' * 10 + "</node>" for k in range(9)
    )
    last = '<node id="m9"><instance_geometry url="#g"/></node>'
    library = f"<library_nodes>{levels}{last}</library_nodes><library_visual_scenes>"
    text = DAE.replace("<library_visual_scenes>", library)
    assert "used too often" in refused(written(tmp_path, "dae", text.encode()))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda tree: tree["accessors"][0].update(count=10**12), "counts 1000000000000"),
        (lambda tree: tree["nodes"][0].update(children=[0]), "contains itself"),
        (lambda tree: tree.update(accessors=3), "'accessors' is not a list"),
        (lambda tree: tree["accessors"][0].update(count="many"), "'count' is 'many'"),
    ],
)
def test_hostile_gltf(tmp_path: Path, change: Callable[[dict], None], text: str) -> None:
    tree = json.loads(gltf_bytes())
    change(tree)
    assert text in refused(written(tmp_path, "gltf", json.dumps(tree).encode()))


def test_limits_hold_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [written(tmp_path, kind, SOUND[kind]()) for kind in ("stl", "obj", "gltf")]
    monkeypatch.setattr(trimesh, "load_scene", None)  # nobody gets that far
    monkeypatch.setattr(mesh_checks, "MOST_TRIANGLES", 2)
    for path in paths:
        assert "triangles" in refused(path) or "elements" in refused(path)
    monkeypatch.setattr(given_file, "LARGEST_FILE", 100)
    assert "larger than" in refused(paths[0])


def test_a_missing_material_is_told(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"box.obj' is read without 'box.mtl': no such file"):
        found = il.mesh(written(tmp_path, "obj", OBJ.encode()))
    assert len(found.triangles) == 4


@pytest.mark.filterwarnings("ignore:mesh:UserWarning")  # of names of materials
@pytest.mark.parametrize("kind", SOUND)
def test_mutated_files_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    (tmp_path / "box.mtl").write_text(MTL)
    sound, dice, refusals = SOUND[kind](), random.Random(7), 0
    for _ in range(MUTATIONS):
        data = bytearray(sound)
        for _ in range(dice.choice([1, 2, 8])):
            act, at = dice.randrange(4), dice.randrange(len(data))
            if act == 0:
                data[at] = dice.randrange(256)
            elif act == 1:
                del data[at : at + dice.randrange(1, 40)]
            elif act == 2:
                data[at:at] = data[at : at + dice.randrange(1, 60)]
            else:
                del data[max(at, 1) :]
            data = data or bytearray(b"x")
        path = written(tmp_path, kind, bytes(data))
        try:
            found = il.mesh(path)
        except il.FileFormatError as error:
            refusals += 1
            assert path.name in error.mistakes[0].where and error.mistakes[0].fix
        else:
            assert np.all(np.isfinite(found.vertices))
    assert refusals > MUTATIONS // 10


def test_what_is_no_mesh(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    assert "meshes of kind '.txt' cannot be read" in refused(tmp_path / "a.txt")
    assert "cannot open" in refused(tmp_path / "none.stl")
    (tmp_path / "folder.stl").mkdir()
    assert "not a regular file" in refused(tmp_path / "folder.stl")
    path = written(tmp_path, "stl", box_bytes("stl"))
    for options, text in (({"unit": "mile"}, "the unit"), ({"up": "w"}, "up-axis"),
                          ({"scale": 0.0}, "the scale of mesh")):  # fmt: skip
        with pytest.raises(il.InputError, match=text):
            il.mesh(path, **options)


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, "stl", box_bytes("stl"))
    mesh = MeshFile(str(path), str(tmp_path))
    assert mesh.volume == pytest.approx(0.03, rel=1e-6)
    path.write_bytes(trimesh.creation.icosphere(3).export(file_type="stl"))
    assert mesh.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=0.02)
