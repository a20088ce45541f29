"""Large files: the work grows with the file, not with its square; what is too large is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import inloop as il
from inloop.errors import MOST_MISTAKES

Calls = Callable[[Callable[[], object]], int]
INERTIAL = """<inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""


def urdf(path: Path, joints: int, parent: str) -> Path:
    """A star of links around a base; `parent` is what the joints call it."""
    lines = ['<robot name="star"><link name="base"/>']
    for k in range(joints):
        lines.append(f'<link name="arm_{k:04}">{INERTIAL}</link>')
        lines.append(
            f'<joint name="joint_{k:04}" type="revolute"><parent link="{parent.format(k=k)}"/>'
            f'<child link="arm_{k:04}"/><axis xyz="0 0 1"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
    path.write_text("\n".join([*lines, "</robot>"]))
    return path


def mbs(path: Path, bodies: int, parent: str) -> Path:
    """Bodies on the base; `parent` is what they call it."""
    lines = ["<mbsDescR7><mbsname>star</mbsname><base><gravity/></base><bodytree>"]
    lines += [
        f"<body><bodyname>arm_{k:04}</bodyname>"
        f"<parent><bodyname>{parent.format(k=k)}</bodyname><pointname>origin</pointname></parent>"
        "<joint><jointname>turn</jointname><type>R3</type></joint><mass>1</mass>"
        "<inertia><Ixx>1</Ixx><Iyy>1</Iyy><Izz>1</Izz></inertia></body>"
        for k in range(bodies)
    ]
    path.write_text("\n".join([*lines, "</bodytree></mbsDescR7>"]))
    return path


def refused(path: Path) -> il.InloopError:
    with pytest.raises(il.InloopError) as caught:
        il.load(path)
    return caught.value


def test_misspelt_parents_cost_no_more_than_their_number(tmp_path: Path, calls: Calls) -> None:
    small, large = (urdf(tmp_path / f"{n}.urdf", n, "bsae_{k}") for n in (150, 600))
    refused(small)  # imports and caches
    few, many = calls(lambda: refused(small)), calls(lambda: refused(large))
    # 4 times the file; what grows with the square would take 16 times the calls
    assert many < 5.0 * few


def test_only_so_many_mistakes_are_told(tmp_path: Path) -> None:
    error = refused(urdf(tmp_path / "star.urdf", 3 * MOST_MISTAKES, "bsae"))
    assert len(error.mistakes) == MOST_MISTAKES
    assert str(error).startswith(f"model 'star' has {MOST_MISTAKES} mistakes or more:")
    assert "joint 'joint_0000': its parent 'bsae' does not exist" in error.mistakes[0].what
    assert error.mistakes[0].fix == "Did you mean 'base'?"


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", [urdf, mbs])
def test_sound_files_are_read_in_linear_work(
    tmp_path: Path, kind: Callable[..., Path], calls: Calls
) -> None:
    small, large = (kind(tmp_path / f"{n}.xml", n, "base") for n in (100, 400))
    il.load(small)
    few, many = calls(lambda: il.load(small)), calls(lambda: il.load(large))
    assert many < 4.6 * few


def test_models_written_by_hand_stop_at_so_many_mistakes(calls: Calls) -> None:
    def wrong(n: int) -> il.ModelError:
        m = il.Model("wrong")
        for k in range(n):
            m.body(f"b_{k}", on="grond", joint=il.revolute("z"), mass=1.0, inertia=(1, 1, 1))
        with pytest.raises(il.ModelError) as caught:
            m.build()
        return caught.value

    assert len(wrong(500).mistakes) == MOST_MISTAKES
    few, many = calls(lambda: wrong(100)), calls(lambda: wrong(400))
    assert many < 4.6 * few


def test_more_elements_than_can_be_read_are_refused_before_work(tmp_path: Path) -> None:
    error = refused(urdf(tmp_path / "star.urdf", 2_500, "base"))
    assert error.mistakes[0].what == "the robot has 2501 links"
    assert error.mistakes[0].fix == "From 1 to 2000 links can be read."
    error = refused(mbs(tmp_path / "star.mbs", 2_500, "base"))
    assert error.mistakes[0].what == "the system has 2500 bodies"
