"""The formulation as an option of commands."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.cli.commands.studio_catalog import GalleryCatalog
from inloop.cli.formulations import formulation_of_facts
from inloop.cli.subject import Subject

Capture = pytest.CaptureFixture[str]
REDUNDANT = ["--formulation", "redundant", "--damping", "0.4"]
COMPILED = """
import inloop as il
m = il.Model("rod")
m.body("rod", on=m.ground, joint=il.revolute("y"), mass=1.0, com=(0.0, 0.0, -1.0))
plant = m.compile()
"""


def test_a_run_in_redundant_coordinates(capsys: Capture) -> None:
    """With the step of the exhibit and a method of its own: other digits of the same motion."""
    words = ["run", "pendulum", "--seconds", "0.5", "--json"]
    ends = []
    for more in (REDUNDANT, []):
        assert main([*words, *more]) == 0
        ends.append(json.loads(capsys.readouterr().out))
    (found,), (known,) = (list(end["q"].values()) for end in ends)
    assert found == pytest.approx(known, abs=1e-5)
    assert found != known


def test_what_does_not_fit_is_refused_in_words_of_the_shell(capsys: Capture) -> None:
    assert main(["run", "pendulum", "--method", "alpha", "--seconds", "0.1"]) == 2
    assert "Use --formulation redundant" in capsys.readouterr().err
    assert main(["run", "pendulum", "--damping", "0.4", "--seconds", "0.1"]) == 2
    assert "only to --formulation redundant" in capsys.readouterr().err
    assert main(["run", "wall", *REDUNDANT[:2], "--seconds", "0.1"]) == 2
    assert "Leave out --formulation" in capsys.readouterr().err
    assert main(["run", "piano", *REDUNDANT, "--experiment", "regulation"]) == 2
    assert "Remove --formulation" in capsys.readouterr().err


def test_a_file_that_has_compiled_its_plant(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "compiled.py"
    path.write_text(COMPILED)
    assert main(["run", str(path), *REDUNDANT, "--seconds", "0.1"]) == 2
    assert "m.compile(formulation=...)" in capsys.readouterr().err


def test_the_method_of_an_exhibit_is_for_its_reduced_equations() -> None:
    exhibit = gallery.get("stick_slip")
    subject = Subject(exhibit.build(), exhibit, {})
    assert subject.integrator == ("rodas", 1e-9)
    bodies = Subject(subject.model, exhibit, {}, formulation={"formulation": "redundant"})
    assert bodies.integrator == (None, None)


def test_all_that_a_studio_shows_is_written_down_so() -> None:
    given = {"formulation": "redundant", "damping": 0.4}
    catalog = GalleryCatalog(formulation=given)
    named = argparse.Namespace(mechanism="pendulum", set=[], base=None, q=[], held=None, **given)
    for choice in (catalog.subject(named), catalog.choose("double_pendulum", {})):
        command = list(choice.command)
        place = command.index("--formulation")
        assert command[place : place + 4] == REDUNDANT


def test_a_recording_says_how_it_was_written_down() -> None:
    facts = {"formulation": "redundant", "damping": "0.4", "solves": "2", "rate": "1000.0"}
    found = formulation_of_facts(facts)
    assert found == {"formulation": "redundant", "damping": 0.4, "solves": 2}
    assert formulation_of_facts({"rate": "1000.0"}) == {}
    with pytest.raises(il.InputError, match="damaged"):
        formulation_of_facts({"damping": "much"})
