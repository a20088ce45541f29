"""The piano of a live page: WebAssembly against native code, time per record and results."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop.cli.commands.studio_catalog import pace, stage_of
from inloop.cli.subject import Subject
from inloop.gallery import get
from inloop.io.page.export import Pace, carry
from inloop.io.page.page_file import page_text
from inloop.native import DEFAULT_FLAGS
from inloop.studio.messaging.page_types import TARGET

HERE = Path(__file__).parent
FINGER = 0.009  # [m] at once: a hard blow
ROUNDS = 5
RUNS = 3  # seconds of the piano in each round, the first of which is not timed
EXACT = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno")  # rounding as in WebAssembly
HEADERS = ["", "µs per record", "× native", "largest difference in 1 s"]
LEGEND = """\
A record of the piano is two steps of 0.1 ms; a key is pressed by 9 mm at once. Medians of rounds in
turn, Node and native. Differences are those of coordinates [rad or m] against native code; the
second line is native code without fused multiply-add, which WebAssembly does not have."""


def run(rounds: int = ROUNDS) -> Findings:
    """Time and compare."""
    exhibit = get("piano")
    subject = Subject(exhibit.build(), exhibit, {})
    plant, stage = subject.compile(), stage_of(subject)
    progress("piano to WebAssembly and to C")
    carried = carry(plant, Pace(*pace(exhibit)), None, stage)
    size = len(page_text(carried.title, carried.wasm, carried.facts, carried.meshes)) / 1e6
    with tempfile.TemporaryDirectory(prefix="page-") as name:
        folder = Path(name)
        (folder / "plant.wasm").write_bytes(carried.wasm)
        (folder / "facts.json").write_text(json.dumps(carried.facts))
        plant.export_c(folder / "c", step=1e-4)
        shutil.copy(HERE / "page_steps.c", folder / "c" / "main.c")
        flags = {"native": DEFAULT_FLAGS, "exact": EXACT}
        commands = {kind: [_built(folder, kind, x), folder / f"{kind}.f64"]
                    for kind, x in flags.items()}  # fmt: skip
        commands["wasm"] = ["node", HERE / "page_steps.mjs", TARGET.parent.as_uri(), folder]
        times: dict[str, list[float]] = {kind: [] for kind in commands}
        for _ in range(rounds):
            for kind, words in commands.items():
                times[kind] += _timed([*words, FINGER, RUNS])
        row = _compared(folder, plant.n) | {
            f"{k}_us": statistics.median(v) for k, v in times.items()
        }
    return _told(row | {"megabytes": size})


def _built(folder: Path, kind: str, flags: tuple[str, ...]) -> Path:
    target = folder / kind
    sources = sorted(str(file) for file in (folder / "c").glob("*.c"))
    subprocess.run(["cc", *flags, "-w", *sources, "-lm", "-o", target], check=True)
    return target


def _timed(words: list[object]) -> list[float]:
    done = subprocess.run([str(x) for x in words], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def _compared(folder: Path, n: int) -> Row:
    """Largest differences of coordinates over one second."""
    native, exact = (
        np.fromfile(folder / f"{k}.f64").reshape(5000, -1) for k in ("native", "exact")
    )
    wasm = np.fromfile(folder / "wasm.f64").reshape(5000, -1)[:, 1 : 1 + native.shape[1]]
    return {
        "exact_to_native": float(np.abs(exact - native)[:, :n].max()),
        "wasm_to_native": float(np.abs(wasm - native)[:, :n].max()),
        "wasm_to_exact": float(np.abs(wasm - exact)[:, :n].max()),
    }


def _told(row: Row) -> Findings:
    native = row["native_us"]
    rows = [
        ["native", f"{native:.1f}", "1", "0"],
        ["native, no fused multiply-add", f"{row['exact_us']:.1f}",
         f"{row['exact_us'] / native:.2f}", f"{row['exact_to_native']:.1e}"],
        ["WebAssembly", f"{row['wasm_us']:.1f}", f"{row['wasm_us'] / native:.2f}",
         f"{row['wasm_to_native']:.1e}"],
    ]  # fmt: skip
    show(HEADERS, rows)
    note(LEGEND)
    note(f"WebAssembly to native code without fused multiply-add: {row['wasm_to_exact']:.1e}")
    bars = [
        Bar("piano in a page, time per record × native", row["wasm_us"] / native, 2.5,
            at_least=False),
        Bar("size of its page", row["megabytes"], 1.5, "MB", at_least=False),
    ]  # fmt: skip
    return Findings([row], bars)
