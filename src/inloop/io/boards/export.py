"""Export of a plant to a board: sources, static library, header, example, resource report."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inloop.errors import BuildError, InputError
from inloop.io.boards.building import Built, build, call, footprint, missing_programs
from inloop.io.boards.emulation import measure
from inloop.io.boards.report import BoardReport
from inloop.io.boards.sources import Leaving, board_file, board_sources, leave
from inloop.io.boards.stack import Pointers, deepest, read_call_graphs
from inloop.io.boards.targets import Target, target_named
from inloop.io.boards.texts import emit_board_readme, emit_cmake, emit_header, emit_makefile
from inloop.native import serial_files
from inloop.plant import BarePlant
from inloop.plant.arguments import file_path, real
from inloop.plant.keywords import checked_call

PRECISIONS = ("double", "float")
STEP_CALLS = ("il_set_inputs", "il_advance", "il_outputs")
START_CALLS = ("il_instance_size", "il_initialize", "il_reset")
_ROOM = 2 << 20  # room for an instance until its size is measured [bytes]


@checked_call
def export_board(
    plant: BarePlant,
    directory: str | Path,
    *,
    target: str,
    precision: str = "double",
    method: str | None = None,
    step: float = 1e-3,
) -> BoardReport:
    """Export a plant to a board: a static library, its header, timer examples, a report.

    The sources are those of `export_c`, without unused parts and with one integrator. With
    `float`, the same sources are converted to single precision. In double precision the outputs
    equal those of the same sources on this computer bit for bit, provided that the plant calls no
    function of `math.h` other than square roots; see `docs/boards.md`.

    Args:
        plant: the compiled mechanism.
        directory: created if missing; files of the same names are overwritten.
        target: "cortex-m7", "cortex-m4f", "aarch64-linux" or "riscv".
        precision: "double" or "float".
        method: integrator; None selects one by a rehearsal of 1 s.
        step: step size [s].

    Returns:
        Resources of the plant on the board; `remarks` lists what could not be measured because a
        program is not installed. The sources are written in any case.
    """
    board, folder = target_named(str(target)), file_path(directory, "directory")
    return export_for(plant, folder, board, str(precision), method, real(step, "step"))


def export_for(
    plant: BarePlant, folder: Path, target: Target, precision: str, method: str | None, step: float
) -> BoardReport:
    """`export_board` for any target."""
    if precision not in PRECISIONS:
        raise InputError(f"precision {precision!r} is unknown", fix="Use 'double' or 'float'.")
    if not (step > 0.0 and math.isfinite(step)):
        raise InputError(f"a step of {step} s makes no sense", fix="Use a positive number.")
    leaving = leave(plant, method, step)
    files = _files(leaving, target, precision)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    name = leaving.table.name
    report = BoardReport(
        plant=name,
        target=target.name,
        precision=precision,
        method=leaving.method,
        step=step,
        warnings=leaving.warnings,
    )
    if missing := missing_programs(target):
        report = replace(report, remarks=(f"Nothing was built or measured: {missing}.",))
    else:
        report = _Measuring(leaving, folder, target, precision).report(report)
    report.write(folder)
    return report


def _files(leaving: Leaving, target: Target, precision: str) -> dict[str, str]:
    table, name = leaving.table, leaving.table.name
    sources = board_sources(leaving, precision)
    header = emit_header(table, leaving.method, leaving.step, precision, _ROOM)
    emulator = ("board.h", "measure.c", "footprint.c", *target.board)
    return {
        **{f"src/{file}": text for file, text in sources.items()},
        "src/plant.h": header,
        **{f"example/{name}": board_file(file) for name, file in target.timers.items()},
        "example/serial.c": board_file("serial.c"),
        **{f"serial/{file}": text for file, text in serial_files().items()},
        **{f"emulator/{file}": board_file(file) for file in emulator},
        "Makefile": emit_makefile(name, target),
        "CMakeLists.txt": emit_cmake(name, target),
        "README.md": emit_board_readme(table, target, precision),
    }


@dataclass(frozen=True)
class _Measuring:
    """Builds and measures a plant whose sources are written."""

    leaving: Leaving
    folder: Path
    target: Target
    precision: str

    def report(self, report: BoardReport) -> BoardReport:
        """The report, completed by measurements."""
        emulator, sources = self.folder / "emulator", self.folder / "src"
        library = self.folder / f"lib{self.leaving.table.name}.a"
        with tempfile.TemporaryDirectory() as made:
            work = Path(made)
            built = build(self.target, sources, library, work)
            measured = measure(built, emulator, work)
            table, method, step = self.leaving.table, self.leaving.method, self.leaving.step
            header = emit_header(table, method, step, self.precision, measured.size)
            (sources / "plant.h").write_text(header, encoding="utf-8")
            size = footprint(built, work / "footprint.elf", emulator / "footprint.c")
            stacks = _stacks(built)
        remarks = stacks.pop("remarks")
        if measured.status != 0:
            remarks = (*remarks, f"the steps ended with status {measured.status}: see il_status.h")
        return replace(
            report,
            compiler=call(self.target.compiler, "--version").splitlines()[0],
            flash=size.flash,
            ram=size.ram,
            instance=measured.size,
            stack_seen=measured.step_stack,
            instructions=measured.instructions if self.target.emulator else None,
            most_instructions=measured.most_instructions,
            steps=measured.steps,
            hash=measured.hash,
            remarks=remarks,
            **stacks,
        )


def _stacks(built: Built) -> dict[str, Any]:
    """Worst-case stack depths, or why they are unknown."""
    try:
        graph = read_call_graphs(built.call_graphs().values())
        texts = {path.name: path.read_text("utf-8") for path in built.sources.glob("*.[ch]")}
        pointers = Pointers(texts)
        step, start = (deepest(graph, pointers, calls) for calls in (STEP_CALLS, START_CALLS))
        return {"stack": step, "start_stack": start, "remarks": ()}
    except BuildError as error:
        return {"stack": None, "start_stack": None, "remarks": (str(error),)}
