"""Sparse linear systems: factor with new values and solve, against general packages."""

from __future__ import annotations

import ctypes
import site
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

import inloop as il
from benchmarks.peers.cache import cached, content_key
from benchmarks.peers.toolchain import BuildError, compiler, compiler_identity
from benchmarks.report import Bar, Findings, note, progress, show
from benchmarks.sparse_matrices import Matrices, chain, of_mbdyn
from benchmarks.sparse_mechanisms import of_gallery
from benchmarks.sparse_rotor import rotor
from inloop.native import (
    POINTER,
    BuildOptions,
    NativeLibrary,
    build_library,
    load_runtime,
    runtime_headers,
)

CONTESTANTS = (
    "kernel",
    "arranged",
    "tables",
    "watched",
    "KLU",
    "UMFPACK",
    "naive",
    "Eigen",
    "LAPACK",
)
CORE_COLD, ALL_COLD = "cold (caches of the core)", "cold (all caches)"
HOW = {
    "hot": "mean over all value sets, best of many rounds in which all take turns",
    CORE_COLD: "a single call after 8 MB of data and 320 kB of code, in turns, median over sets",
    ALL_COLD: "a single call after 64 MiB of data, twice, in turns, median over sets",
}
PEERS = ("KLU", "naive", "SuperLU", "Eigen", "UMFPACK", "LAPACK")
HEADERS = ["factor and solve", "unknowns", "entries", "kind", "code kB", "operations", "µs",
           "arranged", "KLU/arranged", "watched", "tables", *PEERS, "error"]  # fmt: skip
LEGEND = """\
µs: {what}. arranged: the same from values that were written in the order in which the code reads
them. watched: `lu.solve_with` in C, residual included; tables: without straight-line code.
Peers: how many times slower than µs; their pivots or ordering are found once where they can be
(KLU refactor; UMFPACK, Eigen: symbolic part). SuperLU is called through SciPy, ordering included.
naive: a full array with lists of places in use, after the idea of MBDyn's. Values lie in compressed
columns for all but "arranged". error: componentwise backward error of the last solution by
il.SparseLU. Its pivots are chosen from the value sets that are timed; values that are the same in
all of them (±1, masses, coefficients of the step) are declared as constant."""
# (matrix, peer, hot or cold) → least ratio. Cold ones are judged with the caches of the core cold;
# with all caches cold they are shown beside.
BARS = {
    ("MBDyn's robot", "KLU", "hot"): 10.0,
    ("MBDyn's robot", "naive", "hot"): 25.0,
    ("MBDyn's robot", "UMFPACK", "hot"): 150.0,
    ("MBDyn's robot", "LAPACK", "hot"): 100.0,
    ("… with friction", "KLU", "hot"): 10.0,
    ("MBDyn's rotor", "KLU", "hot"): 18.0,
    ("rotor with 4 blades of 30 nodes", "KLU", "hot"): 18.0,
    ("our car", "KLU", "hot"): 12.0,
    ("chain of 100 bodies", "KLU", "hot"): 12.0,
    ("MBDyn's robot", "KLU", CORE_COLD): 3.0,
    ("… with friction", "KLU", CORE_COLD): 3.0,
    ("our rotor", "KLU", CORE_COLD): 3.0,
    ("chain of 10 bodies", "KLU", CORE_COLD): 3.0,
    ("chain of 30 bodies", "KLU", CORE_COLD): 3.0,
    ("our car", "KLU", CORE_COLD): 8.0,
    ("MBDyn's rotor", "KLU", CORE_COLD): 8.0,
    ("rotor with 4 blades of 30 nodes", "KLU", CORE_COLD): 8.0,
    ("chain of 100 bodies", "KLU", CORE_COLD): 8.0,
}
# maximum number of unknowns → maximum size of code and tables [kB]
SIZE_BARS = {350: 200.0, 2000: 100.0}


@dataclass
class Measured:
    """One pattern: times [µs] of all contestants, hot and cold; NaN for missing ones."""

    matrices: Matrices
    lu: il.SparseLU
    times: dict[str, dict[str, float]]
    error: float

    def own(self, how: str) -> float:
        """Time of the code that `il.SparseLU` runs, without its checks."""
        return self.times[how]["tables" if self.lu.kind == "tables" else "kernel"]

    def ratio(self, peer: str, how: str, arranged: bool = False) -> float:
        """How many times slower a peer is."""
        own = self.times[how]["arranged"] if arranged else self.own(how)
        return self.times[how][peer] / own

    def cells(self, how: str) -> list[str]:
        """The line of the table."""
        times = self.times[how]
        ratios = [self.ratio(peer, how) for peer in PEERS]
        return [
            self.matrices.name,
            str(self.matrices.n),
            str(len(self.matrices.indices)),
            self.lu.kind,
            f"{self.lu.code_size / 1000:.0f}",
            f"{self.lu.operations}",
            f"{self.own(how):.2f}",
            _cell(times["arranged"], ""),
            _cell(self.ratio("KLU", how, arranged=True), "x"),
            *(_cell(times[name], "") for name in ("watched", "tables")),
            *(_cell(ratio, "x") for ratio in ratios),
            f"{self.error:.0e}",
        ]


def _cell(figure: float, unit: str) -> str:
    return "–" if np.isnan(figure) else f"{figure:.1f}{unit}" if unit else f"{figure:.2f}"


class Race:
    """All contestants in one process."""

    def __init__(self) -> None:
        source = Path(__file__).with_name("sparse_solves.c")
        options = BuildOptions(linked=(load_runtime().path,), libraries=("-lm", "-ldl"))
        library = NativeLibrary(
            build_library({source.name: source.read_text()}, runtime_headers(), options=options)
        )
        types = [POINTER] * 8 + [ctypes.c_int32] + [POINTER] * 6
        self._run = library.function("bench_sparse", *types)
        self._eigen = _eigen()
        self._gesv = _one_thread_of_lapack()

    def measure(self, m: Matrices) -> Measured:
        """Compile, run all, check that all results agree."""
        sets = [m.matrix(k) for k in range(len(m.values))]
        lu = il.SparseLU(sets, constant=m.constant)
        other = il.SparseLU(sets, constant=m.constant, arranged=True)
        arranged = np.ascontiguousarray(m.values[:, other.arrangement])
        b = np.random.default_rng(0).normal(size=m.n)
        values = np.ascontiguousarray(m.values)
        x = np.zeros((len(CONTESTANTS), m.n))
        found = np.zeros((len(HOW), len(CONTESTANTS)))
        eigen, context = None, None
        if self._eigen:
            start = self._eigen.eigen_begin
            start.restype, start.argtypes = POINTER, [ctypes.c_int32, *[POINTER] * 3]
            context = start(m.n, m.indptr.ctypes.data, m.indices.ctypes.data, values.ctypes.data)
            eigen = ctypes.cast(self._eigen.eigen_run, POINTER)
        status = self._run(
            *(*lu.addresses, *other.addresses, arranged.ctypes.data),
            *(each.ctypes.data for each in (m.indptr, m.indices, values)),
            len(values),
            *(b.ctypes.data, eigen, context, self._gesv),
            *(each.ctypes.data for each in (found, x)),
        )
        if status:
            raise RuntimeError(f"{m.name}: il.SparseLU ends with status {status}")
        times = {}
        for how, row in zip(HOW, found, strict=True):
            named = zip(CONTESTANTS, row, strict=True)
            times[how] = {
                name: 1e-3 * float(each) if each > 0.0 else np.nan for name, each in named
            }
            times[how]["SuperLU"] = _superlu(m, b) if how == "hot" else np.nan
        lu.solve_with(values[-1], b)
        return Measured(m, lu, times, lu.report.backward_error)


def _superlu(m: Matrices, b: np.ndarray) -> float:
    """Best time of SciPy's splu and solve [µs]."""
    best = np.inf
    for k in range(min(len(m.values), 8)):
        matrix = m.matrix(k)
        for _ in range(3):
            begin = time.perf_counter()
            scipy.sparse.linalg.splu(matrix).solve(b)
            best = min(best, time.perf_counter() - begin)
    return 1e6 * float(best)


def _one_thread_of_lapack() -> int | None:
    """Address of dgesv in SciPy's own OpenBLAS, limited to one thread."""
    folder = Path(scipy.__file__).parent.with_name("scipy.libs")
    for path in folder.glob("libscipy_openblas*"):
        library = ctypes.CDLL(str(path))
        if hasattr(library, "scipy_dgesv_"):
            library.scipy_openblas_set_num_threads(1)
            return ctypes.cast(library.scipy_dgesv_, POINTER).value
    return None


def _eigen() -> ctypes.CDLL | None:
    """Eigen's SparseLU as a library; None without its headers or a C++ compiler."""
    source = Path(__file__).parent / "peers" / "eigen_sparse.cpp"
    near = Path(site.getsitepackages()[0]) / "cmeel.prefix" / "include" / "eigen3"
    include = next((path for path in (near, Path("/usr/include/eigen3")) if path.is_dir()), None)
    flags = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC"]

    def make(work: Path) -> None:
        command = [compiler("g++"), *flags, f"-I{include}", str(source), "-o", "eigen.so"]
        subprocess.run(command, cwd=work, check=True, capture_output=True)

    if include is None:
        note("Without Eigen: its headers are not there (pip install inloop[bench]).")
        return None
    try:
        key = content_key(source, " ".join(flags), compiler_identity("g++"))
        return ctypes.CDLL(str(cached("eigen-sparse", key, make) / "eigen.so"))
    except (BuildError, OSError, subprocess.CalledProcessError) as error:
        note(f"Without Eigen: {str(error).splitlines()[0]}")
        return None


def run() -> Findings:
    """Measure, print, and return the figures."""
    progress("sparse: building")
    race, found = Race(), []
    for m in [*of_mbdyn(), *of_gallery(), rotor(), chain(10), chain(30), chain(100)]:
        progress(f"sparse: {m.name}")
        found.append(race.measure(m))
    for how, what in HOW.items():
        note(f"\n{how}")
        show(HEADERS, [each.cells(how) for each in found])
        note(LEGEND.format(what=what))
    return Findings([_row(each) for each in found], _bars(found))


def _row(each: Measured) -> dict[str, object]:
    facts = {"matrix": each.matrices.name, "unknowns": each.matrices.n, "kind": each.lu.kind}
    facts |= {
        "code_bytes": each.lu.code_size,
        "operations": each.lu.operations,
        "error": each.error,
    }
    return {**facts, **{f"{how}_us": times for how, times in each.times.items()}}


def _bar(each: Measured, peer: str, how: str, arranged: bool, least: float) -> Bar:
    """A ratio and its bar; a cold one names the ratio with all caches cold, too."""
    what = f"{each.matrices.name}, {how}{', arranged' if arranged else ''}, over {peer}"
    if how == CORE_COLD:
        what += f"; all caches: {each.ratio(peer, ALL_COLD, arranged):.2f}x"
    return Bar(what, each.ratio(peer, how, arranged), least)


def _bars(found: list[Measured]) -> list[Bar]:
    by_name = {each.matrices.name: each for each in found}
    bars = [
        _bar(by_name[name], peer, how, arranged, least)
        for (name, peer, how), least in BARS.items()
        if name in by_name and not np.isnan(by_name[name].times[how][peer])
        for arranged in (False, True)
    ]
    above = 0
    for most, size in SIZE_BARS.items():
        sizes = [each.lu.code_size / 1000 for each in found if above < each.matrices.n <= most]
        bars += [Bar(f"code up to {most} unknowns, in kB", max(sizes), size, at_least=False)]
        above = most
    every = [each.ratio(peer, how) for each in found for peer in PEERS for how in HOW]
    bars.append(Bar("any matrix, over the best peer", float(np.nanmin(every)), 4.0))
    most = max(each.error for each in found)
    bars.append(Bar("backward error, in 1e-12", most / 1e-12, 1.0, at_least=False))
    return bars
