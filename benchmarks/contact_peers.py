"""Peers that solve the same contact problems, each in a separate process.

Each peer runs with several tolerances of its own error measure, whose units differ from ours; the
fastest run that reaches the required residual counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks.contact_problems import Problem

PEERS = Path(__file__).with_name("peers")


@dataclass(frozen=True)
class Peer:
    """A program that solves contact problems.

    Attributes:
        name: name in tables.
        script: script that runs it, see siconos_contacts.py.
        python: interpreter in which it is installed.
        tolerances: of its own error measure, loosest first.
        advice: how to install it.
    """

    name: str
    script: str
    python: str
    tolerances: tuple[str, ...]
    advice: str


SICONOS = Peer(
    "Siconos",
    "siconos_contacts.py",
    os.environ.get("INLOOP_SICONOS_PYTHON", "/usr/bin/python3"),
    ("1e-7", "1e-8", "1e-9", "1e-10"),
    "Install python3-siconos, or name a Python that has it in INLOOP_SICONOS_PYTHON",
)
PINOCCHIO = Peer(
    "Pinocchio",
    "pinocchio_contacts.py",
    sys.executable,
    ("1e-8", "1e-9", "1e-10", "1e-11", "1e-12"),
    "pip install inloop[bench]",
)
CONTESTANTS = (SICONOS, PINOCCHIO)


class PeerError(RuntimeError):
    """A peer could not be run; the text says why."""


def residual(problem: Problem, r: np.ndarray) -> float:
    """Residual of given impulses, as our solver measures it."""
    return il.solve_contacts(
        problem.W, problem.q, problem.mu, compliance=problem.R, start=r,
        sweeps=0, newtons=0, tolerance=1e-300,
    ).residual  # fmt: skip


def times_of(peer: Peer, problems: list[Problem], tolerance: float) -> np.ndarray:
    """CPU time of each problem [µs] to the residual `tolerance`; NaN where that is missed."""
    with tempfile.TemporaryDirectory() as folder:
        posed, result = Path(folder, "posed.npz"), Path(folder, "result.npz")
        arrays = {}
        for k, p in enumerate(problems):
            arrays |= {f"{k}_W": p.W + np.diag(p.R), f"{k}_q": p.q, f"{k}_mu": p.mu}
        np.savez(posed, **arrays)
        command = [peer.python, str(PEERS / peer.script), str(posed), str(result)]
        done = subprocess.run(
            [*command, *peer.tolerances], capture_output=True, text=True, check=False
        )
        if done.returncode:
            words = done.stderr.strip().splitlines()
            raise PeerError(
                f"Without {peer.name}: {words[-1] if words else 'no word'}. {peer.advice}."
            )
        data = np.load(result)
    times = np.full((len(peer.tolerances), len(problems)), np.nan)
    for row, own in enumerate(peer.tolerances):
        for k, problem in enumerate(problems):
            if residual(problem, data[f"{own}_{k}_r"]) <= tolerance:
                times[row, k] = 1e6 * data[f"{own}_time"][k]
    met = ~np.isnan(times).all(axis=0)
    least = np.full(len(problems), np.nan)
    least[met] = np.nanmin(times[:, met], axis=0)
    return least
