"""A file that is edited while its plant runs: built beside it, put in its place, mistakes told."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inloop.studio.plants.file_watch import FileWatch

CRANE = """
import inloop as il
from sizes import MASS

m = il.Model("crane")
rope = m.parameter("rope", 1.7, unit="m", range=(0.5, 4.0))
trolley = m.body("trolley", on=m.ground, joint=il.prismatic("x", name="way"), mass=13.0)
swing = il.revolute("y", name="swing", initial=(0.4, 0.0))
load = m.body("load", on=trolley, joint=swing, mass=MASS, com=(0.0, 0.0, -rope))
"""


def test_a_change_counts_when_it_stays_and_when_it_is_one(tmp_path: Path) -> None:
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_text("1")
    other.write_text("2")
    watch = FileWatch([path, other])
    assert watch.changed() == []
    path.write_text("34")
    assert watch.changed() == []  # it may still be written
    path.write_text("345")
    assert watch.changed() == []
    assert watch.changed() == [path] and watch.changed() == []
    # the same again, as some editors write it
    os.utime(path, ns=(1, 1))
    assert watch.changed() == watch.changed() == []
    # replaced by another file, gone in between
    path.unlink()
    assert watch.changed() == watch.changed() == []
    (tmp_path / "new").write_text("6")
    os.replace(tmp_path / "new", path)
    assert watch.changed() == [] and watch.changed() == [path]
    watch.watch([other])
    path.write_text("78")
    assert watch.changed() == watch.changed() == []


def test_a_plant_is_replaced_when_its_file_changes(
    start_studio: Callable[..., Any], tmp_path: Path
) -> None:
    file, sizes = tmp_path / "crane.py", tmp_path / "sizes.py"
    sizes.write_text("MASS = 4.0\n")
    file.write_text(CRANE)
    studio = start_studio(str(file))

    async def act() -> None:
        async with studio.page() as page:
            await page.pass_time(0.5)
            changed = page.coming("parameters", lambda m: m["values"]["rope"] == 2.5)
            await page.do("set", parameter="rope", value=2.5)
            await page.while_time_passes(changed)
            # a mistake: the plant goes on, the page says where it is
            told = page.coming("state", lambda m: m["notice"] and m["notice"]["level"] == "error")
            file.write_text(CRANE + "load.fly()\n")
            notice = (await told)["notice"]
            assert "crane.py cannot be used" in notice["text"] and "fly" in notice["text"]
            assert f"{file}:{CRANE.count(chr(10)) + 1}" in notice["text"]
            assert "keeps running" in notice["fix"]
            first = page.box.process
            await page.pass_time(0.1)
            before = page.box.peek()
            # corrected, with one body more
            greeting, kept = page.coming("hello"), page.coming("notice")
            file.write_text(CRANE + 'm.body("hook", on=load, joint=il.revolute("y"), mass=1.0, '
                            "com=(0, 0, -0.2))\n")  # fmt: skip
            hello = await greeting
            assert (await kept)["text"].endswith("its state is kept; not kept: coordinate hook")
            page.detach()
            after = page.box.peek()
            assert page.box.process != first and studio.plant == page.box.name
            for name in ("way.q", "way.qd", "swing.q", "swing.qd"):
                assert after[name] == before[name] != 0.0
            assert (after.t, after["hook.q"]) == (before.t, 0.0)
            assert {p["name"]: p["value"] for p in hello["parameters"]} == {"rope": 2.5}
            assert [b["name"] for b in hello["scene"]["bodies"]][-1] == "hook"
            # and once more, by a file that it imports; time passes again
            await page.pass_time(0.1)
            again = page.coming("notice")
            sizes.write_text("MASS = 5.0\n")
            assert (await again)["text"] == "the file was reloaded, its state is kept"

    try:
        asyncio.run(act())
    finally:
        studio.end()


PUSHED = (
    CRANE.replace("from sizes import MASS", "MASS = 4.0")
    + """
drive = m.input("drive", unit="N")
m.joint_force("way", lambda q, qd: drive)

def push(t, outputs, *, force=3.0):
    "pushes the trolley"
    return {"drive": force}

controllers = [push]
"""
)
MORE = """
def pull(t, outputs, *, force=7.0):
    "pulls the trolley"
    return {"drive": -force}

controllers.append(pull)
"""


@pytest.mark.long
def test_the_file_stays_in_the_menu_and_its_controllers_follow_it(
    start_studio: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "crane.py"
    file.write_text(PUSHED)
    studio = start_studio(str(file))

    def offered(hello: dict[str, Any]) -> list[str]:
        return [each["name"] for each in hello["controllers"]["offered"]]

    async def act() -> None:
        async with studio.page() as page:
            hello = await page.until(
                lambda: next((m for m in page.texts if m["kind"] == "hello" and offered(m)), None)
            )
            assert offered(hello) == ["push"]
            assert hello["menu"][0] == {"name": str(file), "title": "crane.py", "options": []}
            greeting = page.coming("hello")
            file.write_text(PUSHED + MORE)
            hello = await greeting
            assert offered(hello) == ["push", "pull"]
            page.detach()
            # killed, and started again as it is now
            lost = page.coming("state", lambda m: m["state"] in ("lost", "ended"))
            os.kill(page.box.process, signal.SIGKILL)
            await lost
            page.detach()
            greeting = page.coming("hello", lambda m: m["scene"]["bodies"])
            await page.do("restart")
            assert offered(await greeting) == ["push", "pull"]
            # another one, and back to the file
            greeting = page.coming("hello", lambda m: m["plant"]["name"] == "pendulum")
            await page.do("choose", name="pendulum")
            await greeting
            greeting = page.coming("hello", lambda m: m["scene"]["bodies"])
            await page.do("choose", name=str(file))
            assert offered(await greeting) == ["push", "pull"]
            # no other file
            refused = page.coming("notice")
            await page.do("choose", name="other.py")
            assert "other.py" in (await refused)["text"]

    try:
        asyncio.run(act())
    finally:
        studio.end()


@pytest.mark.parametrize("name", ["crane.urdf", "crane.py"])
def test_only_files_of_the_folder_are_watched(name: str, tmp_path: Path) -> None:
    from inloop.cli.watched_files import files_of

    path = tmp_path / name
    path.touch()
    # pytest, NumPy and inloop are in use, and lie elsewhere
    assert files_of(path) == (path.resolve(),)
