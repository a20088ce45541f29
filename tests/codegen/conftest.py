"""Every back end as one function: cases in, results out.

A case is a program and its inputs, one array of shape (N, n) for each block; `pre` and `par`, which
are the same for all states, have shape (n,). A runner takes a list of cases and returns, for each,
its outputs by name, of shape (N, *shape).
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inloop.codegen import matlab, python
from inloop.codegen.c_library import emit_lanes, emit_library
from inloop.codegen.tape import emit_tape
from inloop.native import (
    COUNT,
    DEFAULT_FLAGS,
    POINTER,
    BuildOptions,
    LoadedTape,
    NativeLibrary,
    address_of,
    build_library,
    runtime_headers,
    runtime_sources,
)
from inloop.symbolic import Program, interpret

Arrays = dict[str, np.ndarray]
Case = tuple[Program, Mapping[str, np.ndarray]]
Runner = Callable[[Sequence[Case]], list[Arrays]]

PORTABLE = BuildOptions(
    flags=("-std=c99", "-O2", "-fPIC", "-fvisibility=hidden"), strict=True, together=True
)
NATIVE = BuildOptions(flags=DEFAULT_FLAGS, strict=True, together=True)
LANES = BuildOptions(flags=(*DEFAULT_FLAGS, "-std=gnu99", "-Wall", "-Wextra", "-Werror"))


def count_rows(inputs: Mapping[str, np.ndarray]) -> int:
    return next((len(a) for a in inputs.values() if a.ndim == 2), 1)


def run_interpreter(cases: Sequence[Case]) -> list[Arrays]:
    return [interpret(program, **inputs) for program, inputs in cases]


def run_python(cases: Sequence[Case]) -> list[Arrays]:
    text = python.emit_module([program for program, _ in cases], "gen", ["cases of a test"])
    functions = python.load_module(text)
    results = []
    for program, inputs in cases:
        function = functions[f"gen_{program.name}"]
        values = function(*(inputs[block.name] for block in program.inputs))
        several = values if len(program.outputs) != 1 else (values,)
        names = [out.name for out in program.outputs]
        results.append(dict(zip(names, several, strict=True)))
    return results


def load_c(programs: Sequence[Program], options: BuildOptions) -> NativeLibrary:
    """The library of some programs, as a plant builds it."""
    files = emit_library(programs, "gen", ["cases of a test"], {})
    headers = {**files.headers, **runtime_headers()}
    return NativeLibrary(build_library(files.sources, headers, options=options))


def load_lanes(programs: Sequence[Program]) -> NativeLibrary:
    """The same with four states side by side."""
    sources: dict[str, str] = {}
    for program in programs:
        sources |= emit_lanes(program, "gen", ["cases of a test"])
    return NativeLibrary(build_library(sources, runtime_headers(), options=LANES))


def call_rows(library: NativeLibrary, name: str, case: Case) -> Arrays:
    program, inputs = case
    rows = count_rows(inputs)
    given = [np.ascontiguousarray(inputs[block.name], float) for block in program.inputs]
    results = {out.name: np.full((rows, *out.shape), np.nan) for out in program.outputs}
    pointers = [*given, *results.values()]
    function = library.function(name, COUNT, *[POINTER] * len(pointers), returns=None)
    function(rows, *(address_of(array) for array in pointers))
    return results


def run_portable_c(cases: Sequence[Case]) -> list[Arrays]:
    library = load_c([program for program, _ in cases], PORTABLE)
    return [call_rows(library, f"gen_{case[0].name}_rows", case) for case in cases]


def run_native_c(cases: Sequence[Case]) -> list[Arrays]:
    library = load_c([program for program, _ in cases], NATIVE)
    return [call_rows(library, f"gen_{case[0].name}_rows", case) for case in cases]


def run_lanes(cases: Sequence[Case]) -> list[Arrays]:
    library = load_lanes([program for program, _ in cases])
    return [call_rows(library, f"gen_lanes_{case[0].name}_rows", case) for case in cases]


def run_tape(cases: Sequence[Case]) -> list[Arrays]:
    """The interpreter of tapes, compiled as it is for runs."""
    return [on_tape(program, inputs) for program, inputs in cases]


def on_tape(program: Program, inputs: Mapping[str, np.ndarray]) -> Arrays:
    tape = emit_tape(program)
    loaded = LoadedTape(tape.instructions, tape.registers, tape.results, tape.tables, tape.inputs)
    count = count_rows(inputs)
    shapes = [(inputs[block.name], (count, len(block.symbols))) for block in program.inputs]
    blocks = [np.broadcast_to(a, shape) for a, shape in shapes]
    found = loaded.evaluate(np.hstack(blocks) if blocks else np.zeros((count, 0)))
    results, first = {}, 0
    for out in program.outputs:
        end = first + len(out.exprs)
        results[out.name], first = found[:, first:end].reshape(count, *out.shape), end
    return results


REPORT = """function report(x)
    y = permute(x, ndims(x):-1:1);
    printf('%d ', size(x));
    printf(';');
    printf(' %.17g', y(:));
    printf('\\n');
end
"""


def octave_lines(cases: Sequence[Case]) -> list[str]:
    """A script that calls every function for every row and reports every result."""
    lines = []
    for program, inputs in cases:
        rows = count_rows(inputs)
        arguments = []
        for block in program.inputs:
            array = np.broadcast_to(inputs[block.name], (rows, len(block.symbols)))
            texts = ["  " + ", ".join(map(repr, row)) for row in array.tolist()]
            body = "[\n" + ";\n".join(texts) + "\n]" if array.size else f"zeros({rows}, 0)"
            lines.append(f"in_{block.name} = {body.replace('nan', 'NaN').replace('inf', 'Inf')};")
            arguments.append(f"in_{block.name}(row, :)")
        names = [f"out_{out.name}" for out in program.outputs]
        lines.append(f"for row = 1:{rows}")
        left = f"[{', '.join(names)}] = " if names else ""
        lines.append(f"  {left}gen_{program.name}({', '.join(arguments)});")
        lines += [f"  report({name});" for name in names] + ["end"]
    return lines


def parse_report(line: str, shape: tuple[int, ...]) -> np.ndarray:
    size, values = line.split(";")
    # numbers and vectors are columns; trailing dimensions of 1 vanish
    matlab_size = [int(k) for k in size.split()]
    wanted = list((*shape, 1, 1)[: max(2, len(shape))])
    while len(wanted) > 2 and wanted[-1] == 1:
        wanted.pop()
    assert matlab_size == wanted
    return np.array([float(v) for v in values.split()]).reshape(shape)


@pytest.fixture
def octave(tmp_path: Path, require_program: Callable[[str], str]) -> Runner:
    """The MATLAB files in one process of GNU Octave."""
    program = require_program("octave-cli")

    def run(cases: Sequence[Case]) -> list[Arrays]:
        texts = matlab.emit_files([p for p, _ in cases], "gen", ["cases of a test"])
        for name, text in {**texts, "report.m": REPORT}.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "driver.m").write_text("\n".join(["1;", *octave_lines(cases)]) + "\n")
        command = [program, "--norc", "--no-history", "--quiet", "driver.m"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, done.stderr
        lines = iter(done.stdout.splitlines())
        return [read_case(case, lines) for case in cases]

    return run


def read_case(case: Case, lines: Any) -> Arrays:
    program, inputs = case
    rows = [
        [parse_report(next(lines), out.shape) for out in program.outputs]
        for _ in range(count_rows(inputs))
    ]
    columns = zip(*rows, strict=True)
    return {out.name: np.array(c) for out, c in zip(program.outputs, columns, strict=True)}


@pytest.fixture(scope="session")
def interpreter() -> Runner:
    """The oracle."""
    return run_interpreter


COMPILED = {
    "portable C": run_portable_c,
    "native C": run_native_c,
    "lanes": run_lanes,
    "tape": run_tape,
}


@pytest.fixture(scope="session")
def python_text() -> Runner:
    """The Python text, executed."""
    return run_python


@pytest.fixture(scope="session", params=COMPILED)
def compiled(request: pytest.FixtureRequest) -> Runner:
    """C in four ways: strict C99 for any machine, for this machine, four states side by side, and
    the interpreter of tapes."""
    return COMPILED[request.param]


@pytest.fixture
def to_the_bit(monkeypatch: pytest.MonkeyPatch) -> tuple[Runner, Runner]:
    """Strict C99 and the interpreter of tapes, compiled alike: neither contracts a*b + c, nor
    computes functions of the C library at compile time."""
    plain = replace(PORTABLE, extra_flags=("-fno-builtin",))
    apart = replace(plain, together=False)
    texts = {"il_tape.c": runtime_sources()["il_tape.c"]}
    tapes = NativeLibrary(build_library(texts, runtime_headers(), options=apart))
    monkeypatch.setattr("inloop.native.running.tapes.load_runtime", lambda: tapes)

    def run_c(cases: Sequence[Case]) -> list[Arrays]:
        library = load_c([program for program, _ in cases], plain)
        return [call_rows(library, f"gen_{case[0].name}_rows", case) for case in cases]

    return run_c, run_tape


@pytest.fixture(scope="session")
def c_library() -> Callable[[Sequence[Program]], NativeLibrary]:
    """The strict C99 library of some programs."""
    return lambda programs: load_c(programs, PORTABLE)


@pytest.fixture(scope="session")
def agree() -> Callable[..., None]:
    """`agree(got, expected)`: all results of all cases, to 1e-12 of the largest entry."""

    def check(got: list[Arrays], expected: list[Arrays], tolerance: float = 1e-12) -> None:
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert one.keys() == other.keys()
            for name, want in other.items():
                finite = np.abs(want[np.isfinite(want)])
                scale = max(1.0, finite.max(initial=0.0))
                np.testing.assert_allclose(
                    one[name], want, rtol=tolerance, atol=tolerance * scale, err_msg=name
                )

    return check
