"""Runs the measuring program on an emulated board."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inloop.errors import BuildError
from inloop.io.boards.building import Built, call

STEPS = 200  # of the measuring program
_FEW, _MORE = 2, 12  # for emulators that log a line per instruction


@dataclass(frozen=True)
class Measured:
    """Results of the measuring program.

    Attributes:
        size: size of an instance [bytes].
        start_stack, step_stack: stack observed during the start and the steps [bytes]; 0: unknown.
        instructions: average per step with its outputs.
        most_instructions: maximum of a step; 0: unknown.
        steps: number of measured steps.
        status: status after the last step.
        hash: hash of the bits of all outputs after each step.
        outputs: bits of the final outputs.
    """

    size: int
    start_stack: int
    step_stack: int
    instructions: float
    most_instructions: int
    steps: int
    status: int
    hash: int
    outputs: tuple[int, ...]


def measure(built: Built, files: Path, work: Path, steps: int = STEPS) -> Measured:
    """Run the plant for some steps on its emulated board.

    Args:
        built: the compiled plant.
        files: directory of the measuring program.
        work: directory for programs.
        steps: number of steps to measure.
    """
    program = _program(built, files, work / "measure.elf", steps)
    emulator = built.target.emulator
    values = _read(call(*emulator, program))
    counted, count, most = values["sum"][0] / max(steps, 1), steps, values["most"][0]
    if emulator and not built.target.bare:
        few = _traced(emulator[0], _program(built, files, work / "few.elf", _FEW))
        more = _traced(emulator[0], _program(built, files, work / "more.elf", _MORE))
        count = _MORE - _FEW
        counted, most = (more - few) / count, 0
    return Measured(
        values["bytes"][0],
        values["start_stack"][0],
        values["step_stack"][0],
        counted,
        most,
        count,
        values["status"][0],
        values["hash"][0],
        values.get("y", ()),
    )


def _program(built: Built, files: Path, program: Path, steps: int) -> Path:
    parts = [files / name for name in ("measure.c", *built.target.board)]
    built.link(program, parts, f"-I{files}", f"-DSTEPS={steps}")
    return program


def _read(text: str) -> dict[str, tuple[int, ...]]:
    values: dict[str, tuple[int, ...]] = {}
    try:
        for line in text.splitlines():
            name, value = line.split()
            values[name] = (*values.get(name, ()), int(value))
    except ValueError:
        raise BuildError(f"the measuring program failed: {text[-200:]!r}") from None
    if "hash" not in values:
        raise BuildError(f"the measuring program did not end: {text[-200:]!r}")
    return values


def _traced(emulator: str, program: Path) -> int:
    """Instructions of a whole program: with one per translation block, one log line each."""
    log = program.with_suffix(".log")
    # newer versions of qemu have a different option
    single = "-one-insn-per-tb" if "one-insn-per-tb" in call(emulator, "--help") else "-singlestep"
    call(emulator, single, "-d", "nochain,exec", "-D", log, program)
    with log.open("rb") as lines:
        count = sum(line.startswith(b"Trace") for line in lines)
    log.unlink()
    return count
