"""Ctrl-C in every phase of long work ends it at once, says so, and leaves nothing behind.

A child process tells on its standard output when it has entered the phase, and goes on into work
that takes minutes; then the test presses Ctrl-C and waits for its end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import textwrap
from pathlib import Path

import pytest

from warm_python import WarmPython

BOUND = 120.0  # [s]: far above what anything here takes
HEAD = """
    import sys
    import numpy as np
    import inloop as il
    from inloop import gallery

    def announced(owner, name, when=lambda *args: True):
        '''Let a function say that it begins.'''
        function = getattr(owner, name)
        def call(*args, **options):
            if when(*args):
                print("ENTERED", flush=True)
            return function(*args, **options)
        setattr(owner, name, call)

    def waiting(owner, name):
        '''Let a function say that it begins, and wait for as long as it takes.'''
        def call(*args, **options):
            print("ENTERED", flush=True)
            sys.stdin.read()
        setattr(owner, name, call)
"""


class Child:
    """A process that runs code, up to the moment at which it tells that it has entered a phase."""

    def __init__(self, code: str, **environment: str) -> None:
        self.process = WarmPython(
            ["-c", textwrap.dedent(HEAD) + textwrap.dedent(code)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )

    def wait_for_phase(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line == "ENTERED\n":
                return
        pytest.fail(f"the phase was not reached: {self.process.communicate()[1]}")

    def press(self) -> tuple[int, str, str]:
        """Press Ctrl-C; exit status, and what it says from then on."""
        self.process.send_signal(signal.SIGINT)
        try:
            out, errors = self.process.communicate(timeout=BOUND)
        finally:
            self.process.kill()
            self.process.wait()
        out = out.replace("ENTERED\n", "")
        return self.process.returncode, out, errors


def pressed(code: str, **environment: str) -> tuple[int, str, str]:
    child = Child(code, **environment)
    child.wait_for_phase()
    return child.press()


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("phase", "work"),
    [
        ("derivation", """
            from inloop.formalisms import Derivation
            announced(Derivation, "program")
            model = gallery.get("chain").build(n=400)
            model.compile()
        """),
        ("assembly", """
            model = gallery.get("four_bar").build(loops=100)
            import inloop.plant.formulation.positions.closed_positions as positions
            announced(positions, "explore")
            model.compile(backend="python")
        """),
        ("equilibrium", """
            from inloop.analysis import newton
            plant = gallery.get("double_pendulum").build().compile()
            announced(newton, "solve")
            while True:
                plant.equilibrium(q=[0.1, 0.1])
        """),
        ("reference", """
            plant = gallery.get("double_pendulum").build().compile()
            import inloop.simulate.run as run
            announced(run, "solve")
            plant.simulate(t_end=1e7, step=1e4, method="scipy")
        """),
    ],
)  # fmt: skip
def test_work_in_python(phase: str, work: str) -> None:
    code, out, errors = pressed(work)
    assert code == -signal.SIGINT, errors
    assert out == ""
    assert errors.splitlines()[-1] == "KeyboardInterrupt"


def test_many_runs_keep_those_that_are_done() -> None:
    code, out, errors = pressed("""
        from inloop.native.progress import ProgressLine
        plant = gallery.get("double_pendulum").build().compile()
        announced(ProgressLine, "say", lambda self, text: not text.startswith("simulating: 0 "))
        try:
            plant.simulate_many(t_end=100.0, runs=100_000, method="rk4")
        except KeyboardInterrupt as error:
            done = [k for k, status in enumerate(error.result.status) if status == "OK"]
            print(len(done) > 0, np.isfinite(error.result.q[done]).all(), str(error)[:17])
            print(error.result.status[-1], error.result.reasons[len(error.result) - 1])
            raise
    """)
    assert code == -signal.SIGINT, errors
    assert out == "True True interrupted after\nSTOPPED STOPPED: interrupted\n"


RUNS = {
    "tree": ("double_pendulum", "step=1e-3, method='rk4', sample=10.0"),
    "adaptive": ("double_pendulum", "tolerance=1e-9, sample=10.0"),
    "closed": ("slider_crank", "step=1e-4, method='rk4', sample=10.0"),
    "modes": ("bouncing_ball", "step=1e-6, sample=10.0"),
    "default method": ("double_pendulum", "step=1e-3, sample=10.0"),
}


@pytest.mark.thinned(6)
@pytest.mark.parametrize(("exhibit", "options"), RUNS.values(), ids=RUNS.keys())
def test_runs_keep_what_was_computed(exhibit: str, options: str) -> None:
    code, out, errors = pressed(f"""
        from inloop.simulate.progress import Progress
        plant = gallery.get("{exhibit}").build().compile()
        announced(Progress, "__call__", lambda self, fraction: fraction > 0.0)
        try:
            while True:  # a program that runs one after the other ends as a whole
                plant.simulate(t_end=1e7, {options})
        except KeyboardInterrupt as error:
            print(f"kept {{error.result.t[-1]:g}}", error, error.result.status)
            print(np.isfinite(error.result.q).all(), len(error.result.t) > 1)
            raise
    """)
    kept, finite = out.splitlines()
    assert code == -signal.SIGINT, errors
    assert kept.startswith("kept ") and " interrupted at t = " in kept and kept.endswith("STOPPED")
    assert float(kept.split()[1]) > 0.0
    assert finite == "True True"
    assert errors.splitlines()[-1].startswith("KeyboardInterrupt: interrupted at t = ")


def test_the_check_of_the_steps_keeps_the_run() -> None:
    code, out, errors = pressed("""
        from inloop.simulate.progress import Progress
        plant = gallery.get("double_pendulum").build().compile()
        announced(Progress, "__call__", lambda self, _: self._doing == "checking the steps")
        try:
            plant.simulate(t_end=2000.0, step=1e-3, method="rk4", sample=10.0)
        except KeyboardInterrupt as error:
            print(f"{error.result.t[-1]:g}", error.result.status)
            raise
    """)
    assert code == -signal.SIGINT, errors
    assert out == "2000 OK\n"
    assert "KeyboardInterrupt: interrupted while checking the steps" in errors


@pytest.mark.thinned(2)
@pytest.mark.parametrize("where", ["time_to_singular", "cross"])
def test_between_pieces(where: str) -> None:
    """A four-bar passes its first singular position about 0.7 s after its start."""
    code, out, _ = pressed(f"""
        import inloop.simulate.pieces as pieces
        plant = gallery.get("four_bar").build().compile()
        before = pieces.{where}
        waiting(pieces, "{where}")
        try:
            plant.simulate(t_end=2.0, step=1e-3, method="rk4")
        except KeyboardInterrupt as error:
            kept = error.result
        pieces.{where} = before
        whole = plant.simulate(t_end=2.0, step=1e-3, method="rk4")
        rest = plant.simulate(t_end=2.0, step=1e-3, method="rk4", start=kept)
        print(0.5 < kept.t[-1] < 1.0, np.array_equal(kept.q[:-1], whole.q[:len(kept.t) - 1]))
        print(np.abs(rest.q[-1] - whole.q[-1]).max() < 1e-9)
    """)
    assert code == 0
    assert out.split() == ["True", "True", "True"]


def test_sweeps_keep_what_was_found() -> None:
    code, out, errors = pressed("""
        import importlib
        sweep = importlib.import_module("inloop.analysis.sweep")
        m = il.Model("m")
        k = m.parameter("k", 2.0)
        slide = il.prismatic("x")
        m.body("a", on=m.ground, joint=slide, mass=1.0, inertia=(1, 1, 1))
        m.joint_force("a", lambda q: 3.0 - k * q)
        plant = m.compile()
        calls = []
        announced(sweep._Follower, "go", lambda *_: calls.append(0) or len(calls) == 4)
        try:
            plant.sweep("k", np.linspace(1.0, 2.0, 1_000_000), ["a.q"])
        except KeyboardInterrupt as error:
            found = error.result
            print(len(found.values) >= 3, np.allclose(found["a.q"], 3.0 / found.values))
            print(plant.parameters["k"])
            raise
    """)
    assert code == -signal.SIGINT, errors
    assert out.split() == ["True", "True", "2.0"]
    assert "interrupted: the sweep over 'k'" in errors.splitlines()[-1]


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("words", "announce"),
    [
        (["derive", "chain", "--set", "n=400"],
         "import inloop.formalisms as f; announced(f.Derivation, 'program')"),
        (["run", "chain", "--set", "n=400", "--headless"],
         "import inloop.formalisms as f; announced(f.Derivation, 'program')"),
        (["check", "pendulum", "four_bar"],
         "from inloop.simulate.progress import Progress; announced(Progress, '__call__', "
         "lambda self, done: done > 0.0); run = il.Plant.simulate; il.Plant.simulate = lambda "
         "self, t_end, step, **k: run(self, t_end=1e7, step=1e-3, sample=10.0)"),
        (["run", "pendulum", "--headless", "--seconds", "1e7", "--json"],
         "from inloop.simulate.progress import Progress; announced(Progress, '__call__', "
         "lambda self, done: done > 0.0)"),
    ],
    ids=["derive", "compile", "check", "run"],
)  # fmt: skip
def test_the_command_line_says_one_line(words: list[str], announce: str) -> None:
    code, out, errors = pressed(f"""
        from inloop.cli import main
        {announce}
        sys.exit(main({words!r}))
    """)
    assert code == 130, errors
    assert len(errors.splitlines()) == 1 and errors.startswith("interrupted: ")
    assert "Traceback" not in out


@pytest.fixture
def compiler_with_children(tmp_path: Path) -> tuple[Path, Path]:
    """A compiler that starts another program, as gcc does, and the pipe that both hold open."""
    held, script = tmp_path / "held", tmp_path / "cc"
    os.mkfifo(held)
    script.write_text(f"""#!/bin/sh
case "$*" in
  *probe*|*--version*) exec cc "$@";;
esac
exec 9>{held}
(echo begun >&9; sleep {BOUND}; echo late >&9) &
wait
""")
    script.chmod(0o700)
    return script, held


def test_compilers_end_with_all_that_they_started(
    compiler_with_children: tuple[Path, Path], tmp_path: Path
) -> None:
    script, held = compiler_with_children
    cache = tmp_path / "cache"
    child = Child(
        "gallery.get('pendulum').build().compile()", INLOOP_CC=str(script), INLOOP_CACHE=str(cache)
    )
    with held.open() as pipe:
        assert pipe.readline() == "begun\n"
        code, _, errors = child.press()
        # it ends as soon as nobody holds it any more
        assert pipe.read() == ""
    assert code == -signal.SIGINT, errors
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    left = [path for room in ("work", "locks", "entries") for path in (cache / room).glob("*")]
    assert not left
