"""An hour of a teacher: a pendulum in a notebook, on a machine of the school without a compiler."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from desk import Desk

COMPILER = False
LENGTH, ANGLE = 0.8, 1.9

CELLS = (
    f"""
import inloop as il

m = il.Model("pendulum", gravity=(0, 0, -9.81))
hinge = il.revolute("y", initial=({ANGLE}, 0.0))
bar = m.body("bar", on=m.ground, joint=hinge, mass=1.0, com=(0, 0, -{LENGTH}))
bar.point("bob", (0, 0, -{LENGTH}))
plant = m.compile()
""",
    """
result = plant.simulate(t_end=3.0, step=2e-3)
result.plot("bar.q")
""",
    """
result.animate("swing.html")
result
""",
    """
# from one turning point to the next is half a swing
velocity = result["bar.qd"]
turns = [k for k in range(1, len(velocity) - 1) if velocity[k] * velocity[k + 1] < 0]
k = turns[0]
half = result.t[k] - velocity[k] * (result.t[k + 1] - result.t[k]) / (velocity[k + 1] - velocity[k])
print(2 * half, plant.eigenmodes(q={"bar": 0.0}).frequencies[0])
""",
)
FILES = {
    "play.py": """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read("lesson.ipynb", 4)
NotebookClient(notebook, timeout=None, kernel_name="python3").execute()
nbformat.write(notebook, "played.ipynb")
""",
    "lesson.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "code", "execution_count": None, "id": f"cell-{k}", "metadata": {},
                 "outputs": [], "source": text.strip()}
                for k, text in enumerate(CELLS)
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
}  # fmt: skip
COMMANDS = ("inloop", "inloop run pendulum --seconds 1")


def swing(angle: float) -> float:
    """Period by the arithmetic-geometric mean, as Gauss found it [s]."""
    a, b = 1.0, math.cos(angle / 2.0)
    while a - b > 1e-15:
        a, b = (a + b) / 2.0, math.sqrt(a * b)
    return 2.0 * math.pi * math.sqrt(LENGTH / 9.81) / a


def outputs(desk: Desk) -> list[dict[str, Any]]:
    played = json.loads((desk.folder / "played.ipynb").read_text())
    return [output for cell in played["cells"] for output in cell["outputs"]]


@pytest.mark.long
def test_the_hour(desk: Desk) -> None:
    first, run = map(desk.types, COMMANDS)
    assert "inloop run" in first and "OK at t = 1 s" in run
    assert "pip install inloop[cc]" in desk.told  # one sentence, and everything works
    desk.types("python play.py")  # the user presses Shift-Enter in each cell
    shown = outputs(desk)
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"image/png", "text/html"} <= kinds
    printed = "".join("".join(o["text"]) for o in shown if o.get("name") == "stdout")
    period, frequency = map(float, printed.split())
    assert period == pytest.approx(swing(ANGLE), rel=1e-5)
    assert frequency == pytest.approx(math.sqrt(9.81 / LENGTH) / (2.0 * math.pi), rel=1e-6)
    page = (desk.folder / "swing.html").read_text()
    assert page.startswith("<!") and len(page) > 100_000
