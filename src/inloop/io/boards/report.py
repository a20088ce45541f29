"""Resources of a plant on a board, as text and as data."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from inloop.io.boards.stack import MATH_FRAME, OTHER_FRAME


@dataclass(frozen=True, kw_only=True)
class BoardReport:
    """Resources of a plant on a board.

    Attributes:
        plant, target, precision, method: what was exported.
        step: step size [s].
        compiler: compiler of the library.
        flash: code and constants [bytes].
        ram: without the stack: the instance, inputs and outputs [bytes].
        instance: bytes of an instance, part of `ram`.
        stack: computed worst case of a step with its outputs [bytes]; None: see `remarks`.
        start_stack: computed worst case of the start [bytes].
        stack_seen: stack observed during the steps in the emulator [bytes]; 0: not observed.
        instructions: average per step with its outputs, over `steps`; not cycles.
        most_instructions: maximum of these steps; 0: unknown.
        steps: number of measured steps.
        hash: hash of the bits of all outputs of these steps.
        remarks: what could not be measured, and why.
        warnings: why the method is unreliable at this step size, or not the first choice.
    """

    plant: str
    target: str
    precision: str
    method: str
    step: float
    compiler: str = ""
    flash: int | None = None
    ram: int | None = None
    instance: int | None = None
    stack: int | None = None
    start_stack: int | None = None
    stack_seen: int = 0
    instructions: float | None = None
    most_instructions: int = 0
    steps: int = 0
    hash: int = 0
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def rows(self) -> list[tuple[str, str]]:
        """Name and value of each figure."""
        most = f", {self.most_instructions} at most" if self.most_instructions else ""
        seen = f" ({self.stack_seen} seen)" if self.stack_seen else ""
        counted = self.instructions
        return [
            ("flash", _bytes(self.flash)),
            (
                "RAM without stack",
                f"{_bytes(self.ram)}, {_bytes(self.instance)} of it the instance",
            ),
            ("stack of a step, worst case", _bytes(self.stack) + seen),
            ("stack of the start, worst case", _bytes(self.start_stack)),
            (
                "instructions of a step",
                "not known" if counted is None else f"{counted:.0f} on average{most}",
            ),
        ]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write `REPORT.md` and `report.json`."""
        data = folder / "report.json"
        data.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        text = folder / "REPORT.md"
        rows = "\n".join(f"| {name} | {value} |" for name, value in self.rows())
        remarks = "".join(f"\n- {remark}" for remark in (*self.warnings, *self.remarks))
        compiled = f"compiled by {self.compiler}" if self.compiler else "not compiled yet"
        text.write_text(
            f"""# {self.plant} on {self.target}, in `{self.precision}`

Integrator {self.method}, steps of {self.step:g} s, {compiled}.

| | |
|---|---|
{rows}

Flash contains the plant, the runtime and, on boards without an operating system, the functions of
the C library that they call. The stack is the deepest path through the compiler's call graph. A
function of the C library counts as {MATH_FRAME} bytes if it is from `math.h`, otherwise as
{OTHER_FRAME}; add the frame of an interrupt (104 bytes on a Cortex-M with floating point).
Instructions were counted by the emulator over {self.steps} steps from the start, with the outputs
of each step: they are not cycles, which depend on flash wait states, caches and dual issue.
{remarks}
""",
            encoding="utf-8",
        )
        return text, data


def _bytes(count: int | None) -> str:
    return "not known" if count is None else f"{count} bytes"
