"""What generated C promises: symbols, purity, the same text on every run, room for long models."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from inloop.codegen import matlab, python
from inloop.codegen.c import emit_function
from inloop.codegen.c_library import emit_lanes, emit_library
from inloop.codegen.parts import LONGEST, TARGET, split
from inloop.native import BuildOptions, NativeLibrary, address_of, build_library, runtime_headers
from inloop.native.library import COUNT, POINTER
from inloop.symbolic import Expr, Graph, Input, Output, Program, hoist
from inloop.symbolic import functions as f
from inloop.symbolic.listing import Statement, Store, layout

Load = Callable[[Sequence[Program]], NativeLibrary]
FORBIDDEN = {"malloc", "calloc", "realloc", "free", "printf", "fprintf", "puts", "abort", "exit"}


def chain(bodies: int, name: str = "chain") -> Program:
    """A program with sections, labels, tables, sines and results on the way."""
    graph = Graph()
    q = Input("q", tuple(graph.symbol(f"q.joint{k}") for k in range(bodies)), "angles [rad]")
    p = Input("p", tuple(graph.symbol(f"p.m{k}") for k in range(3)), "masses [kg]")
    x, y = p.symbols[0], p.symbols[1]
    found: list[Expr] = []
    for k, angle in enumerate(q.symbols, start=1):
        graph.section = f"body {k}"
        x, y = f.cos(angle) * x - f.sin(angle) * y, f.sin(angle) * x + f.cos(angle) * y
        x = graph.label(x + f.table(y, [-1, 0.5, 2], [0.1, 0.7, 0.3]), f"x_{k}")
        found.append(x * p.symbols[2])
    outputs = (Output.vector("r", found, "places [m]"), Output.matrix("E", [[x, y], [y, -x]]))
    return Program(name, (p, q), outputs, "A chain.", "by hand")


def text_of(programs: Sequence[Program]) -> str:
    """All text of all languages."""
    files = emit_library(programs, "m", ["about"], {"name": "m"})
    lanes = [text for p in programs for text in emit_lanes(p, "m", ["about"]).values()]
    others = [
        python.emit_module(programs, "m", ["about"]),
        *matlab.emit_files(programs, "m", []).values(),
    ]
    return "\n".join([*files.sources.values(), *files.headers.values(), *lanes, *others])


def heap(bodies: int) -> Program:
    """Many bodies that share nothing, each with arrays of its own, in which most is zero."""
    graph = Graph()
    q = Input("q", tuple(graph.symbol(f"q.{k}") for k in range(bodies)), "angles [rad]")
    outputs = []
    for k, angle in enumerate(q.symbols):
        x = angle
        for _ in range(20):
            x = f.sin(x) + x * angle
        outputs.append(Output.vector(f"place_{k}", [x, x * angle, graph.constant(0.0)]))
    return Program("heap", (q,), tuple(outputs), "A heap.", "by hand")


def test_text_grows_with_the_number_of_results_and_not_with_its_square() -> None:
    few, many = (
        sum(map(len, emit_library([heap(n)], "m", ["about"], {}).sources.values()))
        for n in (100, 400)
    )
    assert len(split(layout(heap(200)))) > 5
    assert many < 4.3 * few


def test_only_the_functions_are_exported(c_library: Load) -> None:
    library = c_library([chain(5), chain(200, "long")])
    names = ("gen_chain", "gen_chain_rows", "gen_long", "gen_long_rows")
    assert library.exported_symbols() == names


def test_nothing_is_allocated_or_printed(c_library: Load) -> None:
    library = c_library([chain(5), chain(200, "long")])
    needed = {name for name in library.needed_symbols() if not name.startswith("_")}
    assert not needed & FORBIDDEN
    assert needed <= {"sin", "cos", "sincos", "memcpy"}


def test_two_calls_give_the_same_bits(c_library: Load) -> None:
    library = c_library([chain(5), chain(200, "long")])
    rng = np.random.default_rng(2)
    arrays = [rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 200), np.zeros(200), np.zeros(4)]
    call = library.bind("gen_long", *arrays, returns=None)
    call()
    first = [array.copy() for array in arrays]
    for array in arrays[2:]:
        array[:] = np.nan
    call()
    for before, after in zip(first, arrays, strict=True):
        np.testing.assert_array_equal(before, after)


def test_the_same_program_gives_the_same_text() -> None:
    assert text_of([chain(60)]) == text_of([chain(60)])


SCRIPT = """
import hashlib, importlib.util, sys
spec = importlib.util.spec_from_file_location("contract", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
text = module.text_of([module.chain(60), module.chain(200, "long")])
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_the_text_does_not_depend_on_the_hash_seed() -> None:
    here = hashlib.sha256(text_of([chain(60), chain(200, "long")]).encode()).hexdigest()
    # this process has a seed of its own, one of 2**32 if none was given
    seed = "4711" if os.environ.get("PYTHONHASHSEED") != "4711" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", SCRIPT, __file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here


def test_generated_text_reads_well() -> None:
    text = emit_function(chain(3), "arm").text
    for wanted in (
        "A chain.",
        "formalism: by hand",
        "angles [rad]",
        "/* ---- body 2 ---- */",
        "x_2 =",
    ):
        assert wanted in text
    assert "arm_chain(const real *restrict p, const real *restrict q, " in text


# parts


@pytest.mark.parametrize("bodies", [10, 200, 700])
def test_parts_cover_the_listing_once_and_in_order(bodies: int) -> None:
    listing = layout(chain(bodies))
    parts = split(listing)
    items = [item for part in parts for item in part.items]
    assert tuple(s for s in items if isinstance(s, Statement)) == listing.statements
    stores = [s for s in items if isinstance(s, Store)]
    assert sorted(stores, key=listing.stores.index) == list(listing.stores)


def test_parts_have_the_length_that_compilers_like() -> None:
    program = chain(900)
    total = program.operations()["total"]
    parts = split(layout(program))
    assert total > LONGEST
    assert 0.6 * total / TARGET < len(parts) < 1.8 * total / TARGET


def test_few_values_cross_from_part_to_part() -> None:
    """A chain hands on two values; sines that later parts need come on top of them."""
    for part in split(layout(chain(700)))[1:]:
        carried = [node for node in part.imports if node.op not in ("sin", "cos")]
        assert len(carried) <= 3


# prepare, and long manifests


def prepared() -> tuple[Program, Program, np.ndarray]:
    graph = Graph()
    par = Input("par", tuple(graph.symbol(f"par.{n}", static=True) for n in ("m", "k", "phi")))
    m, k, phi = par.symbols
    q = Input("q", (graph.symbol("q.x"), graph.symbol("q.y")))
    x, y = q.symbols
    exprs = [m * k * x + f.sin(phi) * y, f.sqrt(m) / k, f.sin(x + phi), k, f.maximum(m, 0.3) * y]
    step = Program("step", (q,), (Output.vector("f", exprs),))
    prepare, [hoisted] = hoist([step], par)
    return prepare, hoisted, np.array([1.7, 0.6, -0.4])


def test_prepare_and_step_in_c(c_library: Load, interpreter) -> None:
    prepare, step, par = prepared()
    library = c_library([prepare, step])
    pre, out, q = np.zeros(len(step.inputs[0].symbols)), np.zeros(5), np.array([0.3, -1.9])
    library.bind("gen_prepare", par, pre, returns=None)()
    library.bind("gen_step", pre, q, out, returns=None)()
    [want_pre] = interpreter([(prepare, {"par": par})])
    np.testing.assert_allclose(pre, want_pre["pre"], rtol=1e-15)
    [want] = interpreter([(step, {"pre": pre, "q": q})])
    np.testing.assert_allclose(out, want["f"], rtol=1e-14)


def test_a_long_manifest_is_strict_c(interpreter) -> None:
    prepare, step, _ = prepared()
    manifest = {"names": ['joint "1" \\ ??/ é'] * 600}
    files = emit_library([prepare, step], "gen", ["about"], manifest)
    options = BuildOptions(strict=True)
    headers = {**files.headers, **runtime_headers()}
    library = NativeLibrary(build_library(files.sources, headers, options=options))
    assert "gen_manifest" in library


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 9])
def test_any_number_of_rows(rows: int) -> None:
    """Lanes that are not filled neither read nor write beyond the arrays."""
    program = chain(3)
    options = BuildOptions(extra_flags=("-std=gnu99",))
    sources = emit_lanes(program, "gen", [])
    library = NativeLibrary(build_library(sources, runtime_headers(), options=options))
    function = library.function("gen_lanes_chain_rows", COUNT, *[POINTER] * 4, returns=None)
    rng = np.random.default_rng(rows)
    p, q = rng.uniform(-1, 1, (rows, 3)), rng.uniform(-1, 1, (rows, 3))
    r, e = np.full((rows + 2, 3), 7.5), np.full((rows + 2, 2, 2), 7.5)
    function(rows, *(address_of(array) for array in (p, q, r, e)))
    assert np.all(r[rows:] == 7.5) and np.all(e[rows:] == 7.5)
    assert np.all(r[:rows] != 7.5)
