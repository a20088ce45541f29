"""Exhibits of installed packages: found by entry points; trouble is told and harms no other."""

from __future__ import annotations

import json
import re
import sys
import textwrap
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.cli.commands.midi import gallery_notes
from inloop.cli.controllers import controller_command, find_controller, known_controllers
from inloop.gallery.exhibition import catalog

CRANE = """
import inloop as il
from inloop.gallery import Controller, Exhibit, Notes

def crane() -> il.Model:
    m = il.Model("crane")
    m.body("load", on=m.ground, joint=il.prismatic("z", name="rope"), mass=3.0)
    return m

EXHIBIT = Exhibit(
    name="{name}", title="{title}", look_at="", make=crane, start="at rest", seconds=1.0,
    controllers={{"hold": Controller("holds the load", "{module}.hold")}},
    notes=Notes(speed="rope.qd", contact="rope.q<0", damped="rope.q>1"),
)
"""


class Site:
    """A folder on the path of Python with installed packages in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, package: str, entries: str, code: str | None = None) -> None:
        """A package with one module of its own name, as an installer leaves it."""
        facts = self.folder / f"{package}-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[inloop.exhibits]\n{entries}\n")
        if code is not None:
            (self.folder / f"{package}.py").write_text(textwrap.dedent(code))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    own = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    catalog._entries.cache_clear()
    yield Site(tmp_path)
    catalog._entries.cache_clear()
    for name in set(sys.modules) - own:
        if getattr(sys.modules[name], "__file__", None) == str(tmp_path / f"{name}.py"):
            del sys.modules[name]


def crane(name: str, title: str = "A crane", module: str = "cranes") -> str:
    return CRANE.format(name=name, title=title, module=module)


@pytest.fixture
def own_names() -> tuple[str, ...]:
    return catalog.TOUR


def test_a_package_adds_an_exhibit(
    site: Site, own_names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    site.install("cranes", "crane = cranes:EXHIBIT", crane("crane"))
    assert gallery.names() == (*own_names, "crane")
    assert "cranes" not in sys.modules  # a name costs no import
    assert gallery.get("crane").build().build().coordinates == ("rope",)
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["mechanisms"]
    assert listed[-1]["controllers"] == {"hold": "holds the load"}
    assert main(["describe", "crane"]) == 0
    assert "--controller hold: holds the load" in capsys.readouterr().out


def test_controllers_are_started_by_name(site: Site, tmp_path: Path) -> None:
    site.install("cranes", "crane = cranes:EXHIBIT", crane("crane"))
    exhibits = (gallery.get("crane"), gallery.get("pendulum"), None)
    for exhibit in exhibits:  # one of another exhibit may suit a plant as well
        found = find_controller("hold", exhibit)
        assert found is not None
        command = controller_command(found, "left", None, tmp_path)
        assert command == [sys.executable, "-m", "cranes.hold", "left"]
        assert find_controller("python3 -m mine", exhibit) is None
    assert set(known_controllers()) - set(known_controllers(settings=True)) == {
        "flexlink_pi", "flexlink_lq", "direct", "combined", "hold"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "speed"),
    [("crane", "rope.qd"), ("pendulum", "strike.hammer_speed"), ("", "strike.hammer_speed")],
)
def test_notes_are_those_of_the_exhibit_else_of_the_piano(
    site: Site, source: str, speed: str
) -> None:
    site.install("cranes", "crane = cranes:EXHIBIT", crane("crane"))
    box = SimpleNamespace(layout=SimpleNamespace(about=(("source", source),)))
    assert gallery_notes(box).speed == speed  # type: ignore[arg-type]


def test_programs_of_controllers_are_there() -> None:
    for exhibit in gallery.exhibits():
        for controller in exhibit.controllers.values():
            if isinstance(controller.program, gallery.CProgram):
                assert controller.program.source.is_file()
            else:
                assert find_spec(controller.program) is not None


@pytest.mark.parametrize(
    ("entry", "code", "told"),
    [
        ("crane = nothing_here:EXHIBIT", None, r"ModuleNotFoundError.*nothing_here"),
        ("crane = broken:EXHIBIT", "1 / 0", "ZeroDivisionError"),
        ("crane = broken:EXHIBIT", "raise SystemExit(3)", "SystemExit"),
        ("crane = broken:EXHIBIT", "", "AttributeError"),
        ("crane = broken:EXHIBIT", "EXHIBIT = 3", "is not an Exhibit but of type int"),
        ("crane = broken:EXHIBIT", crane("winch"), "calls itself 'winch'"),
        ("crane = what is this", None, "cannot be imported"),
    ],
)
def test_a_broken_one_is_told_and_harms_no_other(
    site: Site, own_names: tuple[str, ...], entry: str, code: str | None, told: str
) -> None:
    site.install("broken", entry, code)
    site.install("winches", "winch = winches:EXHIBIT", crane("winch"))
    assert gallery.names() == (*own_names, "crane", "winch")
    with pytest.raises(il.InputError, match=rf"exhibit 'crane' of package 'broken' .*{told}"):
        gallery.get("crane")
    with pytest.warns(UserWarning, match=r"'crane' of package 'broken'") as warned:
        found = [exhibit.name for exhibit in gallery.exhibits()]
    assert len(warned) == 1
    assert found == [*own_names, "winch"]


def test_a_name_of_inloop_stays_its_own(site: Site, own_names: tuple[str, ...]) -> None:
    site.install("other", "piano = other:EXHIBIT", crane("piano"))
    with pytest.warns(UserWarning, match="'piano' of package 'other' is left out: the gallery of"):
        assert gallery.names() == own_names
    assert gallery.get("piano").title == "Action of a grand piano"


def test_two_packages_with_one_name(site: Site) -> None:
    site.install("zeta", "crane = zeta:EXHIBIT", crane("crane", "of zeta"))
    site.install("alpha", "crane = alpha:EXHIBIT", crane("crane", "of alpha"))
    with pytest.warns(UserWarning, match=r"of package 'zeta' is left out: package 'alpha' has one"):
        assert gallery.get("crane").title == "of alpha"


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ("only a word", "entry_points.txt of package 'broken' cannot be read"),
        ("../crane = broken:EXHIBIT", "is left out: that is not an identifier"),
        (f"{'c' * 41} = broken:EXHIBIT", "is left out: that is not an identifier"),
    ],
)
def test_entries_that_mean_nothing(
    site: Site, own_names: tuple[str, ...], entries: str, told: str
) -> None:
    site.install("broken", entries)
    site.install("winches", "winch = winches:EXHIBIT", crane("winch"))
    with pytest.warns(UserWarning, match=re.escape(told)):
        assert gallery.names() == (*own_names, "winch")


def test_a_file_that_is_no_text(site: Site, own_names: tuple[str, ...]) -> None:
    site.install("broken", "crane = broken:EXHIBIT")
    (site.folder / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.warns(UserWarning, match=r"entry_points.txt of package 'broken' cannot be read"):
        assert gallery.names() == own_names


def test_the_command_line_tells_of_trouble(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.install("broken", "crane = broken:EXHIBIT", "1 / 0")
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as for users
        assert main(["list"]) == 0
    told = capsys.readouterr()
    assert "piano" in told.out and "crane" not in told.out
    assert "note: exhibit 'crane' of package 'broken' cannot be imported" in told.err


def test_every_file_of_the_gallery_is_an_exhibit_of_its_own_name() -> None:
    folder = Path(gallery.__file__).parent
    beside = {path.stem for path in folder.iterdir() if not path.name.startswith("__")}
    assert set(gallery.names()) == beside - {"exhibition"}
    assert all(gallery.get(name).name == name for name in gallery.names())
