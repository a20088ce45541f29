"""What is read from a file or from a wire never chooses what is run.

A Python file leaves a mark when it is run. Recordings, plants and stages name it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import struct
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.cli import main
from inloop.cli.commands.device import gallery_device
from inloop.cli.commands.studio_catalog import GalleryCatalog
from inloop.cli.subject import find_subject, subject_of_facts
from inloop.errors import FileFormatError
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.mailboxes.mirror import Mirror
from inloop.studio.drawing.stage import Stage, make_stage

LAYOUT = Layout(
    model="arm", coordinates=(Quantity("shoulder", "rad"),), states=(), signals=(),
    inputs=(Quantity("shoulder.tau", "N·m"),), parameters=(), stepper_states=2, period=1e-3,
)  # fmt: skip
MODEL = """
import inloop as il
open({mark!r}, "w").close()
m = il.Model("arm")
m.body("upper", on=m.ground, joint=il.revolute("y", name="shoulder"), mass=1.3, com=(0.2, 0, 0))
"""


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """There once the file was run."""
    return tmp_path / "mark"


@pytest.fixture
def source(tmp_path: Path, mark: Path) -> Path:
    """A model that a person may name, and data may not."""
    path = tmp_path / "crane.py"
    path.write_text(MODEL.format(mark=str(mark)))
    return path


def naming(source: Path) -> Layout:
    """The layout of a plant that came from a file."""
    about = (("source", str(source)), ("settings", "[]"), ("digest", "0" * 16), ("rate", "1000.0"),
             ("method", "rk4"), ("substeps", "1"))  # fmt: skip
    return replace(LAYOUT, about=about)


@pytest.fixture
def plant(source: Path) -> str:
    """Name of a plant whose segment, filled from a wire, names the file."""
    name = f"test-told-{os.getpid()}"
    with Mirror(name, naming(source), np.zeros(0)) as mirror:
        mirror.publish(np.zeros(mirror.layout.counts[0]))
        yield name


def write_recording(path: Path, layout: Layout) -> None:
    """An empty recording: magic, what it holds, an end."""
    from inloop.realtime.recordings.channels import FACTS, facts

    def text(word: str) -> bytes:
        return struct.pack("<I", len(word.encode())) + word.encode()

    def record(opcode: int, data: bytes) -> bytes:
        return struct.pack("<BQ", opcode, len(data)) + data

    items = b"".join(text(k) + text(v) for k, v in facts("arm-1", layout, 0).items())
    metadata = text(FACTS) + struct.pack("<I", len(items)) + items
    magic = b"\x89MCAP0\r\n"
    path.write_bytes(magic + record(12, metadata) + record(15, bytes(4)) + record(2, bytes(20))
                     + magic)  # fmt: skip


def test_a_replay_runs_only_what_the_person_names(
    source: Path, mark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcap"
    write_recording(path, naming(source))
    assert main(["replay", str(path)]) == 2
    said = capsys.readouterr().err
    assert str(source) in said and "inloop replay run.mcap FILE" in said
    assert main(["report", str(path)]) == 2  # it is empty
    assert not mark.exists()
    # the person says so; what is then compared is the hash
    assert main(["replay", str(path), str(source)]) == 2
    assert "the recording is of model 0000000000000000" in capsys.readouterr().err
    assert mark.exists()


def test_settings_of_the_person_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.mcap"
    facts = (("source", "n_pendulum"), ("settings", '["n=2"]'))
    write_recording(path, replace(LAYOUT, about=facts))
    assert main(["replay", str(path), "--set", "n=none"]) == 2
    assert "option 'n' of 'n_pendulum' cannot be 'none'" in capsys.readouterr().err


def test_a_studio_runs_only_what_the_person_names(plant: str, source: Path, mark: Path) -> None:
    catalog = GalleryCatalog()
    args = argparse.Namespace(mechanism=None, set=[], base=None)
    told = catalog.attached(plant, None, args)
    assert told.stage.sketch is None and str(source) in told.stage.look_at
    assert not mark.exists()
    named = catalog.attached(
        plant, None, argparse.Namespace(mechanism=str(source), set=[], base=None)
    )
    assert named.stage.sketch is not None
    assert mark.exists()
    with pytest.raises(il.InputError, match="and 'double_pendulum' have different coordinates"):
        catalog.attached(
            plant, None, argparse.Namespace(mechanism="double_pendulum", set=[], base=None)
        )


def test_a_device_runs_nothing(plant: str, mark: Path) -> None:
    with il.attach(plant) as box:
        assert gallery_device(box) is None
    assert not mark.exists()


def test_mechanisms_of_the_gallery_may_be_named() -> None:
    found = subject_of_facts({"source": "n_pendulum", "settings": '["n=3"]'})
    assert found.exhibit is not None and found.options == {"n": 3}


def test_a_file_that_settings_name_is_not_opened() -> None:
    """A road of the car; whoever names it at the command line may."""
    with pytest.raises(il.InputError, match="which is not opened"):
        subject_of_facts({"source": "car", "settings": '["road=track"]'})
    with pytest.raises(il.InputError, match="is a file, which cannot be chosen in the page"):
        GalleryCatalog().choose("car", {"road": "track"})
    words = argparse.Namespace(mechanism="car", set=["road=track", "speed=3"], base=None)
    assert find_subject(words).options == {"road": "track", "speed": 3.0}
    words.set = ["road=missing.xodr"]
    with pytest.raises(il.FileFormatError, match="cannot be read"):
        find_subject(words)


@pytest.mark.parametrize("settings", ["", "{}", "[1]", "[" * 10_000, '["n"]', '["n=1000000000"]'])
def test_settings_that_make_no_sense(settings: str) -> None:
    with pytest.raises(il.InloopError):
        subject_of_facts({"source": "n_pendulum", "settings": settings}).model.build()


@pytest.mark.parametrize("name", ["", "catalog", "../crane", "crane.py", "look", "n_pendulum\0"])
def test_only_exhibits_are_in_the_gallery(name: str) -> None:
    with pytest.raises(il.InputError, match="not in the gallery"):
        subject_of_facts({"source": name})


def test_a_stage_names_libraries_of_the_cache_alone(tmp_path: Path) -> None:
    m = il.Model("arm")
    m.body("upper", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.2, 0.0, 0.0))
    path = tmp_path / "stage.json"
    make_stage(m.build()).save(path)
    stage = Stage.load(path)
    assert stage.library is not None
    data = json.loads(path.read_text())
    foreign = tmp_path / "foreign" / "library.so"
    foreign.parent.mkdir()
    foreign.write_bytes(Path(stage.library.path).read_bytes())
    for place in (str(foreign), "library.so", "../library.so", "/etc/../library.so"):
        data["library"]["path"] = place
        path.write_text(json.dumps(data))
        with pytest.raises(FileFormatError, match="the build cache does not contain"):
            Stage.load(path)


# places that run text or bytes; each is reached from what a person names, or from our own text
ALLOWED = {
    ("cli/python_file.py", "run_path"),  # a file named on the command line
    ("codegen/python.py", "exec"),  # generated text
    ("codegen/python.py", "compile"),
    ("native/translated/loading.py", "exec"),  # the same, in place of a compiled library
    ("native/translated/loading.py", "compile"),
    ("native/translated/preprocessor.py", "eval"),  # an #if: numbers and signs alone
    ("gallery/exhibition/catalog.py", "import_module"),  # what lies in the package
    ("joints/kinds/__init__.py", "import_module"),  # the same
    ("__init__.py", "import_module"),  # two of our packages
    ("cli/main.py", "import_module"),  # the file of a command, from a table
    ("model/sensors/kinds/__init__.py", "import_module"),
}
RUNNERS = {"eval", "exec", "compile", "__import__", "import_module", "run_path", "run_module",
           "spec_from_file_location", "Unpickler"}  # fmt: skip


UNPACKERS = {"pickle", "marshal", "shelve", "dill"}
# a name stands in the text as it is, but for letters that Python takes for the same; of methods
# named compile and exec the test below takes no notice
ANYWHERE = "|".join(sorted((RUNNERS | UNPACKERS | {"allow_pickle"}) - {"compile", "exec"}))
SUSPICIOUS = re.compile(rf"\b(?:{ANYWHERE})\b|(?<![\w.])(?:compile|exec)\b")


def test_there_are_no_other_places_that_run_data() -> None:
    root = Path(il.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        name = str(path.relative_to(root))
        text = path.read_text(encoding="utf-8")
        if not SUSPICIOUS.search(unicodedata.normalize("NFKC", text)):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = [a.name for a in node.names] + [getattr(node, "module", "") or ""]
                assert not UNPACKERS & set(modules), name
            if isinstance(node, ast.Call):
                called = node.func
                plain = called.id if isinstance(called, ast.Name) else None
                attribute = called.attr if isinstance(called, ast.Attribute) else None
                # methods named compile are of models and patterns
                if plain in RUNNERS or attribute in RUNNERS - {"compile", "exec"}:
                    found.add((name, plain or attribute))
                if any(k.arg == "allow_pickle" for k in node.keywords):
                    found.add((name, "allow_pickle"))
    assert found <= ALLOWED
