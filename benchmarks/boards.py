"""Cost of exhibits of the gallery on a Cortex-M7: the table of docs/boards.md.

    python -m benchmarks.boards [NAME ...] > table.md

Each is exported in single precision if its method allows it, otherwise in double, with steps of
1 ms, and run in the emulator. The larger ones take about a minute each.
"""

from __future__ import annotations

import sys
import tempfile

import inloop as il
from inloop import gallery
from inloop.io.boards import BoardReport

TARGET = "cortex-m7"


def measured(name: str, precision: str) -> BoardReport:
    plant = gallery.get(name).build().compile()
    with tempfile.TemporaryDirectory() as folder:
        return plant.export_board(folder, target=TARGET, precision=precision)


def row(name: str) -> str:
    try:
        report = measured(name, "float")
    except il.InputError:
        report = measured(name, "double")
    flash, ram = f"{(report.flash or 0) / 1024:.1f}", f"{(report.ram or 0) / 1024:.1f}"
    stack = "–" if report.stack is None else f"{report.stack / 1024:.1f}"
    count = f"{report.instructions or 0:,.0f}".replace(",", " ")
    for remark in report.remarks:
        print(f"{name}: {remark}", file=sys.stderr)
    cells = (f"`{name}`", f"`{report.precision}`", report.method, flash, ram, stack, count)
    return f"| {' | '.join(cells)} |"


def main() -> None:
    names = sys.argv[1:] or gallery.names()
    print("| plant | precision | integrator | flash [KiB] | RAM [KiB] | stack [KiB] |", end="")
    print(" instructions per step |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for name in names:
        print(row(name), flush=True)


if __name__ == "__main__":
    main()
