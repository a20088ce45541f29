"""A plant that leaves Python takes along what it calls, and nothing twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pytest

from inloop import gallery
from inloop.codegen.c_program import METHODS, emit_main
from inloop.native import runtime_headers, runtime_sources
from inloop.plant.leaving.exported import ExportedPlant
from inloop.plant.leaving.needed_sources import needed_sources, usable_methods
from inloop.simulate.export import plant_in_c

# declared in headers of the runtime; one that is static there has its body there
DECLARED = re.compile(r"^(?!static|typedef|#|\s).*?\b(il_\w+)\([^;{]*\);", re.MULTILINE)
DEFINED = re.compile(r"^(?!static|typedef|#|\s).*?\b(il_\w+)\([^;]*?\)\s*\{", re.MULTILINE)
CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def leaving(name: str) -> ExportedPlant:
    plant = gallery.get(name).make().compile()
    return plant_in_c(plant, "moreau" if name == "box_stack" else "rk4", 1e-3)


def program(exported: ExportedPlant, methods: tuple[str, ...]) -> dict[str, str]:
    main = emit_main(exported.table.name, methods[0], 1e-3, 1.0)
    return needed_sources(exported.table, {**exported.files, "main.c": main}, methods=methods)


def sources(files: Mapping[str, str]) -> dict[str, str]:
    return {name: CODE.sub(" ", text) for name, text in files.items() if name.endswith(".c")}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["pendulum", "four_bar", "bouncing_ball", "box_stack"])
def test_all_that_is_called_is_there_and_once(name: str) -> None:
    exported = leaving(name)
    files = program(exported, usable_methods(exported.table))
    bodies = sources(files)
    names = {each for text in runtime_headers().values() for each in DECLARED.findall(text)}
    defined = Counter(name for text in bodies.values() for name in DEFINED.findall(text))
    assert set(defined.values()) == {1}
    called = {name for text in bodies.values() for name in re.findall(r"\bil_\w+(?=\()", text)}
    assert called & names <= set(defined)
    assert runtime_headers().keys() <= files.keys()


def test_a_pendulum_takes_along_a_third_of_the_runtime() -> None:
    exported = leaving("pendulum")
    all_methods = usable_methods(exported.table)
    assert set(METHODS) - set(all_methods) == {"moreau", "event_driven", "alpha"}
    taken = program(exported, all_methods).keys() & runtime_sources().keys()
    assert 3 * len(taken) < len(runtime_sources())
    alone = program(exported, ("rk4",)).keys() & runtime_sources().keys()
    assert taken - alone >= {"il_euler.c", "il_rosenbrock.c", "il_implicit.c"}
    assert "il_rk4.c" in alone


def test_what_a_plant_has_stays() -> None:
    exported = leaving("box_stack")
    assert {"moreau", "event_driven"} <= set(usable_methods(exported.table))
    taken = program(exported, ("moreau",))
    assert "il_contacts.c" in taken and "il_without_contacts.c" not in taken
    assert "il_without_loops.c" in taken and "il_reduction.c" not in taken
