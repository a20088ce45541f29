"""The plant runs on an emulated board, and the command line runs its controller here."""

from __future__ import annotations

import json
import os
import pty
import termios
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.cli import main
from inloop.io.boards.building import call
from inloop.io.boards.targets import TARGETS
from inloop.links.serial import ControlledBoard

HANG = 120.0  # [s] after which something that should happen never will
SAMPLES = 40
# steps the plant each time a frame comes: no clock, so that the machine may be slow
PROGRAM = """
#include "board.h"
#define PLANT_SENT PLANT_OUT_HINGE_Q, PLANT_OUT_HINGE_QD
#define PLANT_TAKEN PLANT_IN_HINGE_TAU
#define PLANT_WIRED
#include "serial.c"
#define UART ((volatile uint32_t *)0x40004000u) /* data, state, control, interrupts, divider */
static unsigned char memory[PLANT_BYTES] __attribute__((aligned(IL_ALIGNMENT)));
static plant_number u[PLANT_INPUTS], y[PLANT_OUTPUTS];
uint32_t now_us(void)
{
    return 0;
}
void transmit(const uint8_t *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        while (UART[1] & 1u) {
        }
        UART[0] = bytes[k];
    }
}
int main(void)
{
    il_instance *instance = il_initialize(memory, PLANT(), PLANT_METHOD, PLANT_STEP);
    UART[4] = 16;
    UART[2] = 3;
    plant_connect();
    for (;;) {
        if (!(UART[1] & 2u) || !plant_received((uint8_t)UART[0])) continue;
        read_inputs(u);
        il_set_inputs(instance, u);
        const int status = il_advance(instance);
        if (status != IL_OK || il_outputs(instance, y) != IL_OK) stop_safely(status);
        else write_outputs(y);
    }
}
"""
# keeps what it has seen, and ends as by Ctrl-C
CONTROLLER = """
import json, pathlib
seen = []
def hold(t, outputs):
    seen.append([outputs["hinge.q"], outputs["hinge.qd"]])
    if len(seen) == SAMPLES:
        pathlib.Path("SEEN").write_text(json.dumps(seen))
        raise KeyboardInterrupt
    return {"hinge.tau": 3.0 - 8.0 * outputs["hinge.q"] - 0.5 * outputs["hinge.qd"]}
"""


@pytest.fixture
def board(tmp_path: Path, require_program: Callable[[str], str], begin: Any) -> tuple[str, Any]:
    """An emulated Cortex-M7 that runs a pendulum: its serial device, and the plant."""
    target = TARGETS["cortex-m7"]
    require_program(target.compiler)
    require_program(target.emulator[0])
    plant = pendulum()
    folder = tmp_path / "board"
    plant.export_board(folder, target="cortex-m7", method="rk4")
    (tmp_path / "main.c").write_text(PROGRAM)
    parts = [tmp_path / "main.c", folder / "emulator/mps2.c", folder / "serial/il_serial.c"]
    places = [f"-I{folder / name}" for name in ("src", "example", "serial", "emulator")]
    script = [f"-T{folder / 'emulator/mps2.ld'}", "-nostartfiles", "--specs=nosys.specs"]
    library = [next(folder.glob("lib*.a")), "-Wl,--gc-sections", "-lm"]
    strict = ["-Wall", "-Wextra", "-Werror"]
    image = tmp_path / "board.elf"
    call(target.compiler, *target.flags, *strict, *places, *parts, *script, *library, "-o", image)
    words = "qemu-system-arm -M mps2-an500 -display none -monitor none -serial pty -kernel"
    line = begin(*words.split(), str(image)).stdout.readline()
    assert "/dev/pts/" in line, line
    return str(line[line.index("/dev/pts/") :].split()[0]), plant


def pendulum() -> il.Plant:
    m = il.Model("hanging")
    hinge = il.revolute("y", name="hinge", initial=(0.3, 0.2))
    m.body("rod", on=m.ground, joint=hinge, mass=1.2, com=(0, 0, -0.4), inertia=(0.02, 0.03, 0.01))
    return m.compile()


@pytest.mark.long
def test_the_command_controls_a_plant_on_a_board(
    board: tuple[str, il.Plant], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each sample is a step there: the same here, with numbers rounded as on the line."""
    device, plant = board
    file, kept = tmp_path / "hold.py", tmp_path / "seen.json"
    file.write_text(CONTROLLER.replace("SAMPLES", str(SAMPLES)).replace("SEEN", str(kept)))
    names = ["--outputs", "hinge.q,hinge.qd", "--inputs", "hinge.tau"]
    # however slow the machine is: nothing is sent twice, nothing is too old
    patience = ["--rate", str(1 / HANG), "--stale-after", str(HANG)]
    words = ["link", "serial", device, "--controller", f"{file}:hold", *names, *patience, "--json"]
    assert main(words) == 130
    told = json.loads(capsys.readouterr().out)
    assert told["accepted"] == SAMPLES and told["damaged"] == told["lost"] == 0

    seen = json.loads(kept.read_text())
    stepper = plant.stepper(step=1e-3, method="rk4")
    tau = np.float32(0.0)
    for found in seen:
        stepper.tau["hinge"] = float(tau)
        stepper.step()
        expected = [stepper["hinge.q"], stepper["hinge.qd"]]
        np.testing.assert_allclose(found, expected, rtol=3e-7)
        tau = np.float32(3.0 - 8.0 * float(found[0]) - 0.5 * float(found[1]))
    assert abs(seen[-1][1] - seen[0][1]) > 0.05


def test_a_silent_board_gets_inputs_at_rest_and_names_are_checked(tmp_path: Path) -> None:
    end, other = pty.openpty()
    tty.setraw(end, termios.TCSANOW)
    device = os.ttyname(other)

    def push(t: float, outputs: Any) -> dict[str, float]:
        raise AssertionError

    with ControlledBoard(device, push, ["push"], ["q"], rate=1000.0) as link:
        link.run(seconds=0.01)
        assert link.silent > 0 and link.counts.accepted == 0
    for inputs, outputs in ((["a", "a"], ["q"]), ([], ["q"]), (["a"], ["q"] * 2)):
        with pytest.raises(il.LinkError, match="cannot be sent in a frame"):
            ControlledBoard(device, push, inputs, outputs)
    words = ["--outputs", "q", "--inputs", "push"]
    assert main(["link", "serial", device, "--controller", "nothing", *words]) != 0
    os.close(end)
    os.close(other)
