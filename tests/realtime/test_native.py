"""The C of the loop and the mailbox: strict, without allocation, against damage; a C controller."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from realtime_arm import HANG, RATE

import inloop as il
from inloop.native import (
    BuildOptions,
    NativeLibrary,
    build_library,
    load_realtime,
    load_runtime,
    realtime_headers,
    realtime_sources,
    runtime_headers,
)
from inloop.plant.leaving.needed_sources import needed_sources
from inloop.simulate.export import plant_in_c

HERE = Path(__file__).parent
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
# what the loop may ask of the system: clocks, sleeping, threads, mapping; nothing that allocates
ALLOCATORS = {"malloc", "calloc", "realloc", "free", "posix_memalign", "printf", "fprintf", "fopen"}

Python = Callable[..., "subprocess.Popen[str]"]
Compile = Callable[..., Path]


@pytest.fixture(scope="module")
def compile_c(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """`compile_c("controller.c", "-O2")`: a program made of a file beside this one."""
    folder = tmp_path_factory.mktemp("programs")

    def build(source: str, *flags: str) -> Path:
        target = folder / f"{Path(source).stem}{len(list(folder.iterdir()))}"
        include = f"-I{il.include_dir()}"
        command = ["cc", *STRICT, include, *flags, str(HERE / source), "-o", str(target)]
        subprocess.run([*command, "-lpthread"], check=True)
        return target

    return build


def test_compiles_without_a_word() -> None:
    headers = {**runtime_headers(), **realtime_headers()}
    linked = {"libraries": ("-lpthread",), "linked": (load_runtime().path,)}
    strict = BuildOptions(strict=True, **linked)
    names = NativeLibrary(
        build_library(realtime_sources(), headers, options=strict)
    ).exported_symbols()
    assert {"il_loop_start", "il_loop_stop", "il_mailbox_use"} <= set(names)
    assert all(name.startswith("il_") for name in names)


def test_asks_for_nothing_that_allocates() -> None:
    assert not ALLOCATORS & set(load_realtime().needed_symbols())


def test_no_record_is_torn_between_threads(compile_c: Compile) -> None:
    program = compile_c("hammer.c", "-O2")
    done = subprocess.run([program, "torn", "0.5"], capture_output=True, text=True, check=False)
    complete, mixed = (int(word) for word in done.stdout.split()[::2])
    assert (done.returncode, mixed) == (0, 0)
    assert complete > 1000


SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def fuzz(compile_c: Compile, count: int, seed: int) -> None:
    program = compile_c("hammer.c", "-O1", *SANITIZED)
    done = subprocess.run(
        [program, "fuzz", str(count), str(seed)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    segments, attached = (int(word) for word in done.stdout.split()[::2])
    # the check lets good segments through, and not the others
    assert segments == count
    assert count / 20 < attached < count / 3


def test_damaged_segments_are_refused_or_harmless(compile_c: Compile) -> None:
    fuzz(compile_c, 20_000, 11)


@pytest.mark.long
def test_a_million_damaged_segments(compile_c: Compile) -> None:
    fuzz(compile_c, 1_000_000, 12)


@pytest.mark.parametrize(
    "count",
    [
        5_000,
        pytest.param(50_000, marks=pytest.mark.long),
        pytest.param(1_000_000, marks=pytest.mark.long),
    ],
)
def test_a_loop_under_the_sanitizer_survives_attacks(
    count: int, compile_c: Compile, plant: il.Plant, tmp_path: Path
) -> None:
    """Random bytes, heads and records of nonsense, in all three modes; the state stays finite."""
    # its plant is an arm without loops and contacts, too
    table = plant_in_c(plant, "rk4", 1e-3).table
    own = {**realtime_sources(), **realtime_headers()}
    called = re.findall(r"\w+", (HERE / "loop_fuzz.c").read_text())
    for file, text in needed_sources(table, own, methods=("rk4",), called=called).items():
        (tmp_path / file).write_text(text)
    sources = [str(path) for path in sorted(tmp_path.glob("*.c"))]
    # not optimized: it takes longer to compile than to be attacked
    program = compile_c("loop_fuzz.c", "-O0", *SANITIZED, f"-I{tmp_path}", *sources, "-lm")
    command = [program, str(count), "9"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rounds, steps = (int(word) for word in done.stdout.split()[::2])
    assert (rounds, steps > 100) == (count, True)


def test_the_header_is_good_for_cpp(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    text = '#include "inloop.h"\nint main() { inloop_mailbox b; return inloop_attach(&b, "-"); }\n'
    (tmp_path / "main.cpp").write_text(text)
    flags = ["-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{il.include_dir()}"]
    command = [require_program("c++"), *flags, "main.cpp", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 2


def test_a_running_loop_survives_whatever_is_in_its_segment(plant: il.Plant, name: str) -> None:
    """Random bytes over the whole segment, again and again: a paused state stays as it is."""
    rng = np.random.default_rng(17)
    for options in ({"paused": True}, {"mode": "free"}, {"clock": il.ScriptedClock()}):
        with il.start(plant, name=name, rate=2000, **options) as loop:
            paused = loop.options.paused
            attached = loop.mailbox._use()
            address, header = attached.box.base, attached.box.layout
            size = int(header.size)
            memory = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
            x = loop._wiring.instance.snapshot()
            for _ in range(3000):
                at = int(rng.integers(0, size - 4096))
                memory[at : at + int(rng.integers(1, 4096))] = rng.integers(0, 256)
                # heads and owners, where a damaged number does most
                for ring in range(4):
                    place = int(header.rings[ring].offset)
                    memory[place : place + 32] = rng.integers(0, 256, 32)
            if paused:
                np.testing.assert_array_equal(loop._wiring.instance.snapshot(), x)
            assert np.all(np.isfinite(loop._wiring.instance.snapshot()))


def test_a_controller_in_c(plant: il.Plant, name: str, compile_c: Compile) -> None:
    """Compiled against the installed header; in lock-step the same run as Python's, to the bit."""
    program, gain, steps = compile_c("controller.c", "-O2"), 0.75, 200
    with il.start(plant, name=name, rate=RATE, mode="lock-step") as loop:
        done = subprocess.run(
            [program, name, str(steps), str(gain)], capture_output=True, text=True, check=True
        )
        assert loop.report().steps == steps
    with il.start(plant, name=name, rate=RATE, mode="lock-step"), il.attach(name) as box:
        outputs = box.wait(HANG)
        for _ in range(steps):
            assert outputs is not None
            box.write(tau=-gain * outputs.qd)
            outputs = box.wait(HANG)
    answers, *q = done.stdout.split()
    assert int(answers) == steps
    assert outputs is not None
    np.testing.assert_array_equal([float(word) for word in q], outputs.q)


def test_a_controller_in_c_without_a_plant(name: str, compile_c: Compile) -> None:
    program = compile_c("controller.c")
    done = subprocess.run([program, name, "1", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no plant of this name" in done.stderr


QUIET = """
import ctypes, json, sys
sys.path.insert(0, sys.argv[2])
from realtime_arm import arm
import inloop as il
counted = ctypes.CDLL(None).counted
counted.argtypes, counted.restype = [ctypes.c_long], ctypes.c_uint64
plant = arm().compile()
def observer():
    return il.observer(plant, measured={"shoulder.q": 1e-4, "elbow.q": 1e-4}, period=1.0 / 2000)
start = il.start(plant, name=sys.argv[1], rate=2000, paused=True, bare_loop=True,
                 observer=observer())
plain = il.start(plant, name=sys.argv[1] + "-plain", rate=2000)
with start as loop, plain, il.observe(sys.argv[1] + "-plain", observer()) as beside:
    box = il.attach(sys.argv[1])
    thread = loop.mailbox.statistics().thread
    before = counted(thread)
    beside.mailbox.wait(60.0)
    thread_beside = beside.mailbox.statistics().thread
    before_beside = counted(thread_beside)
    box.resume()
    for k in range(200):
        outputs = box.wait(60.0)
        box.write(push=0.01 * k)
        if k % 20 == 0:
            box.parameters["stiffness"] = 5.0 + 0.1 * k
        if k == 100:
            box.reset()
        if k == 120:
            box.restore(outputs.snapshot)
        if k == 150:
            box.set_speed(2.0)
    # nobody writes any more: they become stale
    while (report := loop.report()).stale_inputs == 0 or report.steps <= 500:
        box.wait(60.0)
    after, after_beside = counted(thread), counted(thread_beside)
    updates = beside.report().steps
    box.close()
import threading
print(json.dumps({
    "calls": after - before, "steps": report.steps, "stale": report.stale_inputs,
    "beside": after_beside - before_beside, "updates": updates,
    "main": counted(threading.get_native_id()),
}))
"""


def test_the_thread_neither_allocates_nor_locks_nor_prints(
    python: Python, name: str, tmp_path: Path
) -> None:
    library = tmp_path / "counting.so"
    flags = ["-shared", "-fPIC", "-O1", "-fno-builtin"]
    source = str(HERE / "counting.c")
    subprocess.run(["cc", *flags, source, "-o", str(library), "-ldl"], check=True)
    process = python(QUIET, name, str(HERE), LD_PRELOAD=str(library))
    found = json.loads(process.communicate()[0])
    # the counter counts: Python allocates all the time
    assert found["main"] > 1000
    assert found["steps"] > 500
    assert found["stale"] > 0
    assert found["updates"] > 100
    assert found["calls"] == found["beside"] == 0
