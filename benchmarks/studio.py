"""The studio: from a pointer in the browser to the loop, from the loop to the page, and its cost.

python -m benchmarks.studio [--mechanism NAME] [--seconds S]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Bar, Findings, Row, note, progress, show

MECHANISM, SECONDS = "piano", 20.0
TOUCHED = "double_pendulum"  # a body of it is pulled through a spring
HERE = Path(__file__).parent
HANDLE = """() => { const { pointer, view, hand } = inloop;
    const box = view.canvas.getBoundingClientRect(); const [x, y] = pointer.seen(pointer.handle());
    const along = Math.hypot(...hand.device.axis) / view.eye.perPixel(view.canvas.clientHeight);
    return [box.left + x, box.top + y, along]; }"""
# the last visible body, and its position
BODY = """() => { const { picking, view } = inloop, box = view.canvas.getBoundingClientRect();
    let found = null;
    for (let y = box.top + 4; y < box.bottom; y += 4)
        for (let x = box.left + 4; x < box.right; x += 4) {
            const at = picking.pick(x, y);
            if (at && at.index >= (found?.[0] ?? 0)) found = [at.index, x, y];
        }
    return found.slice(1); }"""
LEGEND = """\
Times in ms, with a browser that draws without a graphics card. Pointer: from the time that the
event carries to the stamp of the loop's first outputs that used it. Page: from the stamp of the
outputs to the page's script that gets them. Force: as pointer, of a body that the pointer pulls
through a spring, to the outputs of the first step with this force. Clocks are compared by questions
and answers between page and server; half of the quickest round trip is the uncertainty of both."""


def run(mechanism: str = MECHANISM, seconds: float = SECONDS) -> Findings:
    """Measure and print."""
    progress(f"studio: {mechanism} driven by a pointer for {seconds:g} s")
    found, cpu = _measure(mechanism, seconds, _press)
    progress(f"studio: a body of {TOUCHED} pulled by a pointer for {seconds:g} s")
    touched, _ = _measure(TOUCHED, seconds, _pull)
    return _findings(found, cpu, touched)


def _measure(
    mechanism: str, seconds: float, act: Callable[[Any, float], None]
) -> tuple[Row, float]:
    """Records of the page while a pointer was active, and cores used by the server."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise FileNotFoundError("the program 'chromium' is not installed")
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with started_studio(mechanism) as told, sync_playwright() as playwright:
        process = int(told["process"])
        browser = playwright.chromium.launch(executable_path=chromium, args=words)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(told["address"])
        wait_for(page, "window.inloop?.view.motion.frames.length > 60")
        page.evaluate((HERE / "studio.js").read_text())
        begin, cpu = time.monotonic(), _cpu(process)
        act(page, seconds)
        cpu = (_cpu(process) - cpu) / (time.monotonic() - begin)
        found = page.evaluate("window.finish()")
        browser.close()
    return found, cpu


def _press(page: Any, seconds: float) -> None:
    """Move the driven body back and forth, with about 60 events per second."""
    x, y, along = page.evaluate(HANDLE)
    page.mouse.move(x, y)
    page.mouse.down()
    begin = time.monotonic()
    while (t := time.monotonic() - begin) < seconds:
        page.mouse.move(x, y + along * (0.5 - 0.5 * math.cos(2.0 * math.pi * t)))
        time.sleep(1.0 / 60.0)
    page.mouse.up()


def _pull(page: Any, seconds: float) -> None:
    """Grab a body and drag it around, with about 60 events per second."""
    # a moving body would be elsewhere by the time the pointer arrives
    page.evaluate("inloop.connection.say({ do: 'pause' })")
    wait_for(page, "document.querySelector('#chip').textContent === 'paused'")
    x, y = page.evaluate(BODY)
    page.mouse.move(x, y)
    page.mouse.down()
    wait_for(page, "inloop.touch.grasp !== null")
    page.evaluate("inloop.connection.say({ do: 'go' })")
    begin = time.monotonic()
    while (t := time.monotonic() - begin) < seconds:
        turn = 2.0 * math.pi * t
        page.mouse.move(x + 25.0 * math.sin(turn), y - 25.0 + 25.0 * math.cos(turn))
        time.sleep(1.0 / 60.0)
    page.mouse.up()


def _to_loop(what: str, found: Row) -> Row:
    """Time from an event to the stamp of the first outputs that used it."""
    offset, used = min(found["offsets"])[1], np.array(found["used"])
    return _row(what, used[:, 0] - (used[:, 1] + offset))


def _findings(found: Row, cpu: float, touched: Row) -> Findings:
    least, offset = min(found["offsets"])
    poses = np.array(found["poses"])
    frames, pictures = (n / found["seconds"] for n in (len(poses), found["rendered"]))
    pointer = _to_loop("pointer event to the loop's input", found)
    force = _to_loop("pointer event to the force on a body", touched)
    script = _row("loop's output to the page", poses[:, 0] + offset - poses[:, 1])
    trips = _row("round trip page, server, page", np.array(found["offsets"])[:, 0])
    show(["what", "p50", "p99", "max"], [_cells(row) for row in (pointer, force, script, trips)])
    note(
        f"{frames:.1f} frames of data and {pictures:.1f} pictures a second, "
        f"{found['lost']} samples lost, server {100.0 * cpu:.1f} % of a core; "
        f"clocks known to {0.5 * least:.2f} ms."
    )
    note(LEGEND)
    note(f"Load of the machine: {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores.")
    rates = {"frames": frames, "pictures": pictures, "lost": found["lost"], "server_cpu": cpu}
    bars = [
        Bar("studio: pointer event to the loop's input", pointer["p50"], 30.0, "ms", False),
        Bar("studio: pointer event to the force on a body", force["p50"], 5.0, "ms", False),
        Bar("studio: loop's output to the page's script", script["p50"], 20.0, "ms", False),
        Bar("studio: frames of data a second", frames, 59.0, "/s"),
        Bar("studio: server, of a core", 100.0 * cpu, 15.0, "%", False),
    ]
    return Findings([pointer, force, script, trips, {"what": "rates", **rates}], bars)


def _row(what: str, times: Any) -> Row:
    p50, p99, most = np.quantile(times, (0.5, 0.99, 1.0)).tolist()
    return {"what": what, "count": len(times), "p50": p50, "p99": p99, "max": most}


def _cells(row: Row) -> list[str]:
    return [row["what"], *(f"{row[name]:.2f}" for name in ("p50", "p99", "max"))]


def _cpu(process: int) -> float:
    """Processor time that a process has used [s]."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(page: Any, expression: str, patience: float = 120.0) -> None:
    end = time.monotonic() + patience
    while not page.evaluate(expression):
        if time.monotonic() > end:
            raise TimeoutError(expression)
        time.sleep(0.1)


@contextlib.contextmanager
def started_studio(mechanism: str) -> Iterator[dict[str, Any]]:
    """A studio in a separate process: address, plant, process."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "inloop.cli", "studio", mechanism, "--port", "0"]
        command += ["--no-browser", "--json", "--recordings", directory]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        text = ""
        try:
            for line in process.stdout:
                text += line
                with contextlib.suppress(ValueError):
                    yield json.loads(text)
                    break
        finally:
            process.terminate()
            process.communicate(timeout=20.0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mechanism", default=MECHANISM)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    run(options.mechanism, options.seconds)
