"""Plants on emulated boards: the same bits as here, what they take, a timer that steps them."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.io.boards.building import build, call
from inloop.io.boards.emulation import Measured, measure
from inloop.io.boards.export import export_for
from inloop.io.boards.targets import HOST, TARGETS, Target

QUICK_HOST = replace(HOST, machine=("-O0",))  # other code than a board's, and the same numbers
STEPS = 200


@pytest.fixture(scope="module")
def puma() -> il.Plant:
    return gallery.get("puma560").build().compile()


def needs(target: Target, require_program: Callable[[str], str]) -> None:
    require_program(target.compiler)
    require_program(target.emulator[0])


def here(folder: Path, work: Path) -> Measured:
    """Exported sources compiled and run on this computer."""
    work.mkdir()
    for name in ("measure.c", "board.h", "linux.c"):
        text = (Path(il.__file__).parent / "io/boards/c" / name).read_text()
        (work / name).write_text(text)
    built = build(QUICK_HOST, folder / "src", work / "lib.a", work)
    return measure(built, work, work, STEPS)


def values_of(measured: Measured, kind: str) -> list[float]:
    size = struct.calcsize(kind)
    return [struct.unpack(kind, bits.to_bytes(size, "little"))[0] for bits in measured.outputs]


def test_puma_in_double_on_a_cortex_m7_to_the_bit(
    puma: il.Plant, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    needs(TARGETS["cortex-m7"], require_program)
    folder = tmp_path / "m7"
    report = puma.export_board(folder, target="cortex-m7")
    assert report.remarks == () and report.steps == STEPS
    same = here(folder, tmp_path / "here")
    assert report.hash == same.hash
    # it is the plant of Python: the same but for the rounding of contracted operations
    run = puma.simulate(t_end=STEPS * 1e-3, step=1e-3, method="rk4")
    arrived = values_of(same, "<d")
    expected = [*run.q[-1], *run.qd[-1]]
    assert max(map(abs, expected)) > 0.1
    assert arrived == pytest.approx(expected, rel=1e-11, abs=1e-12)
    # what it takes: the worst case holds what was seen, and what is linked holds the instance
    assert report.stack is not None and report.start_stack is not None
    assert 200 < report.stack_seen <= report.stack < 8192
    assert report.instance is not None and report.ram is not None and report.flash is not None
    assert report.instance < report.ram < report.instance + 2048
    assert f"PLANT_BYTES = {report.instance}," in (folder / "src/plant.h").read_text()
    assert 589 * 4 < report.instructions <= report.most_instructions  # four evaluations of rk4
    assert (folder / "libpuma560.a").read_bytes().startswith(b"!<arch>")
    told = json.loads((folder / "report.json").read_text())
    assert told["flash"] == report.flash
    stepped = steps_by_a_timer(folder, tmp_path, "cortex-m7", cortex_m7(folder))
    assert stepped == same.outputs


# counts steps of an example of a timer, then writes the outputs to the bit and ends
TIMER_PROGRAM = """
#define PLANT_CONNECTED
#include "EXAMPLE"
#include <string.h>
#include "board.h"
static volatile int steps;
static void write_hex(uint64_t value)
{
    char text[20] = {0};
    for (int k = 0; k < 16; k++) text[k] = "0123456789abcdef"[(value >> (60 - 4 * k)) & 15];
    text[16] = '\\n';
    board_write(text);
}
void read_inputs(plant_number *u) { (void)u; }
void stop_safely(int status) { board_exit(status); }
void write_outputs(const plant_number *y)
{
    if (++steps < STEPS) return;
    for (int k = 0; k < PLANT_OUTPUTS; k++) {
        uint64_t bits = 0;
        memcpy(&bits, &y[k], sizeof y[k]);
        write_hex(bits);
    }
    board_exit(0);
}
#ifdef CLOCK
int main(void)
{
    if (plant_start(CLOCK) != IL_OK) return 98;
    for (;;) __asm__ volatile("wfi");
}
#else
int main(void) { return plant_run(-1); }
#endif
"""


@dataclass(frozen=True)
class TimerBoard:
    """Where an example of a timer runs: its file, the board it starts on, how it is run."""

    example: str
    board: tuple[Path, ...]
    options: tuple[str, ...]
    emulator: tuple[str, ...]


def cortex_m7(folder: Path) -> TimerBoard:
    board = folder / "emulator/mps2.c", folder / "emulator/mps2.ld"
    # one nanosecond for an instruction: a step is over long before the next interrupt
    words = tuple(word.replace("shift=10", "shift=0") for word in TARGETS["cortex-m7"].emulator)
    options = ("-DCLOCK=25000000", "-nostartfiles", "--specs=nosys.specs")
    return TimerBoard("timer.c", board, options, words)


def linux(folder: Path, target: str) -> TimerBoard:
    board = (folder / "emulator/linux.c",)
    return TimerBoard("timer_linux.c", board, ("-static",), TARGETS[target].emulator)


def bare_riscv() -> TimerBoard:
    words = "qemu-system-riscv64 -M virt -bios none -display none -monitor none -serial stdio"
    options = ("-DCLOCK=10000000", "-nostartfiles", "-static", "-fno-pie", "-no-pie")
    board = tuple(Path(__file__).parent / name for name in ("virt.c", "virt.ld"))
    return TimerBoard("timer.c", board, options, (*words.split(), "-kernel"))


def steps_by_a_timer(folder: Path, work: Path, target: str, board: TimerBoard) -> tuple[int, ...]:
    """Bits of the outputs after some steps of an example, compiled as a user would, and run."""
    program, image = work / "stepped.c", work / "stepped.elf"
    example = str(folder / "example" / board.example)
    program.write_text(TIMER_PROGRAM.replace("EXAMPLE", example))
    texts = [file for file in board.board if file.suffix == ".c"]
    scripts = [f"-T{file}" for file in board.board if file.suffix == ".ld"]
    places = [f"-DSTEPS={STEPS}", f"-I{folder / 'src'}", f"-I{folder / 'emulator'}"]
    strict = ("-Wall", "-Wextra", "-Werror")
    library = next(folder.glob("lib*.a"))
    compiler, flags = TARGETS[target].compiler, TARGETS[target].flags
    call(compiler, *flags, *strict, *board.options, *places, program, *texts, *scripts, library,
         "-Wl,--gc-sections", "-lm", "-o", image)  # fmt: skip
    return tuple(int(line, 16) for line in call(*board.emulator, image).split())


@pytest.mark.long
def test_puma_in_float_on_a_cortex_m4f(
    puma: il.Plant, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    needs(TARGETS["cortex-m4f"], require_program)
    folder = tmp_path / "m4f"
    options = ["--target", "cortex-m4f", "--precision", "float", "--out", str(folder)]
    assert main(["export", "puma560", *options]) == 0
    report = json.loads((folder / "report.json").read_text())
    same = here(folder, tmp_path / "here")
    assert report["hash"] == same.hash
    # no arithmetic in double is left: the unit of an M4 has none, and it would be slow
    flags = ["-Wdouble-promotion", "-Wfloat-conversion", "-Werror", "-fsyntax-only"]
    target = TARGETS["cortex-m4f"]
    call(target.compiler, *target.flags, *flags, *sorted((folder / "src").glob("*.c")))
    run = puma.simulate(t_end=STEPS * 1e-3, step=1e-3, method="rk4")
    expected = [*run.q[-1], *run.qd[-1]]
    error = [a - b for a, b in zip(values_of(same, "<f"), expected, strict=True)]
    assert max(map(abs, expected)) > 0.1
    assert 0.0 < max(map(abs, error)) < 2e-5


@pytest.mark.long
@pytest.mark.parametrize("target", [pytest.param("aarch64-linux", marks=pytest.mark.long), "riscv"])
def test_linux_of_another_processor_to_the_bit(
    target: str, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    needs(TARGETS[target], require_program)
    plant = gallery.get("pendulum").build().compile()
    folder = tmp_path / "board"
    report = plant.export_board(folder, target=target)
    assert report.remarks == ()
    same = here(folder, tmp_path / "here")
    assert report.hash == same.hash
    assert report.instructions is not None and report.instructions > 100.0
    assert steps_by_a_timer(folder, tmp_path, target, linux(folder, target)) == same.outputs
    if target == "riscv":
        # its machine timer, without a system
        require_program("qemu-system-riscv64")
        assert steps_by_a_timer(folder, tmp_path, target, bare_riscv()) == same.outputs


@pytest.mark.long
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["pendulum", "four_bar", "bouncing_ball", "stick_slip"])
def test_boards_agree_with_this_computer(
    name: str, target: str, precision: str, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    needs(TARGETS[target], require_program)
    plant = gallery.get(name).build().compile()
    method = "implicit" if name == "stick_slip" else "rk4"
    folder = tmp_path / "board"
    report = plant.export_board(folder, target=target, precision=precision, method=method)
    assert report.remarks == ()
    assert report.hash == here(folder, tmp_path / "here").hash


def test_what_single_precision_cannot_do_is_refused(tmp_path: Path) -> None:
    plant = gallery.get("pendulum").build().compile()
    with pytest.raises(il.InputError, match="double precision"):
        plant.export_board(tmp_path, target="cortex-m7", precision="float", method="rodas")
    with pytest.raises(il.InputError, match="cortex-m7"):
        plant.export_board(tmp_path, target="cortex-m70")
    with pytest.raises(il.InputError, match="precision"):
        plant.export_board(tmp_path, target="cortex-m7", precision="half")
    with pytest.raises(il.InputError, match="step"):
        plant.export_board(tmp_path, target="cortex-m7", step=math.nan)


def test_without_a_compiler_the_sources_are_there_and_told(tmp_path: Path) -> None:
    plant = gallery.get("pendulum").build().compile()
    absent = replace(TARGETS["cortex-m7"], cross="no-such-compiler-")
    report = export_for(plant, tmp_path, absent, "float", "rk4", 1e-3)
    assert "no-such-compiler-gcc" in report.remarks[0] and "apt-get" in report.remarks[0]
    assert report.flash is None and (tmp_path / "src/plant.h").exists()
    assert "not known" in (tmp_path / "REPORT.md").read_text()
