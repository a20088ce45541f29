"""Our own generated C as a contestant, compiled with the flags the product uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import inloop as il
from benchmarks.native import native_program
from benchmarks.peers.build import model_files
from benchmarks.peers.cache import cached, content_key
from benchmarks.peers.run import Contestant
from benchmarks.peers.states import read_states
from benchmarks.peers.toolchain import HERE
from inloop.codegen import emit_library
from inloop.native import DEFAULT_FLAGS, find_compiler, runtime_headers

# the peers' names of the functions → ours
FUNCTIONS = {"rnea": "inverse_dynamics", "aba": "direct_dynamics", "crba": "mass_matrix"}
ARGUMENTS = {"q": "Q(i)", "qd": "QD(i)", "qdd": "QDD(i)", "tau": "TAU(i)"}
REFERENCE = {"rnea": "TAU_REF(i)", "aba": "QDD_REF(i)", "crba": "MASS_REF(i)"}


def compiled(model: str) -> il.Plant:
    """The plant of a benchmark model."""
    return il.load(model_files(model).inloop_urdf, mimic=False).compile()


def compiled_free(model: str) -> il.Plant:
    """The same with a quaternion for the orientation of its floating base."""
    return il.load(model_files(model).peer_urdf, base="free", mimic=False).compile()


def contestant(model: str, function: str, plant: il.Plant, label: str = "inloop") -> Contestant:
    """Our function as a program that times itself."""
    name = FUNCTIONS[function]
    library = emit_library([plant.program(name)], plant.name, (), {})
    files = written(f"{model}-{function}", {**library.sources, **library.headers})
    program = native_program(f"{model}-{function}", _calls(plant, function), files, command())
    counts = plant.operations[name]
    return Contestant(label, function, (program, states_file(model, plant)), counts)


def command(extra_flags: Sequence[str] = ()) -> list[str]:
    """The product's compiler and flags; the harness is C11, which changes nothing in our code."""
    compiler = find_compiler()
    if compiler is None:
        raise il.BuildError("there is no C compiler", fix="apt-get install gcc")
    flags = tuple("-std=c11" if flag == "-std=c99" else flag for flag in DEFAULT_FLAGS)
    return [*compiler.command, *compiler.spelled((*flags, *extra_flags))]


def written(label: str, sources: Mapping[str, str]) -> list[Path]:
    """Generated C and the headers of the runtime as files in the cache."""
    texts = {**sources, **runtime_headers()}

    def make(work: Path) -> None:
        for name, text in texts.items():
            (work / name).write_text(text)

    folder = cached(f"ours-{label}", content_key(*texts, *texts.values()), make)
    return [folder / name for name in texts]


def states_file(model: str, plant: il.Plant) -> Path:
    """The states in our order of coordinates."""
    files, names = model_files(model), list(plant.coordinates)
    is_free = plant.nq > plant.n
    original = files.peer_states if is_free else files.inloop_states
    known = read_states(original)
    states = known.with_free_base(names) if is_free else known.in_order(names)
    key = content_key(original, HERE / "states.py", " ".join(names))
    return cached(f"states-{model}", key, lambda work: states.write(work / "states")) / "states"


def prepared_text(plant: il.Plant, function: str) -> str:
    """The prepared quantities as a C array (C has no empty ones)."""
    values = [repr(float(value)) for value in plant.prepared(function)] or ["0.0"]
    return f"static const double pre[] = {{{', '.join(values)}}};"


def _calls(plant: il.Plant, function: str) -> str:
    """Code with which the timing program calls our function (see native_main.c)."""
    name = f"{plant.name}_{FUNCTIONS[function]}"
    program = plant.program(FUNCTIONS[function])
    arguments = [ARGUMENTS[block.name] for block in program.inputs if block.name != "pre"]
    prototype = ", ".join(["const double *"] * len(program.inputs) + ["double *"])
    size = len(program.exprs)
    return "\n".join(
        [
            f"void {name}({prototype});",
            prepared_text(plant, program.name),
            f"static double out[{size}];",
            "#define SETUP() (void)0",
            f"#define CALL(i) {name}(pre, {', '.join(arguments)}, out)",
            f"#define ERROR(i) relative_error(out, {REFERENCE[function]}, {size})",
            "",
        ]
    )
