"""What all tests share: one build cache for all workers, and programs from outside Python."""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

from inloop.native.building.locking import exclusive

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).parent))  # for what several folders import: warm_python


# no verdict depends on how fast the machine is
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# in CI the same random cases in every run; elsewhere others each time
settings.register_profile("ci", UNHURRIED, derandomize=True, print_blob=True)
settings.register_profile("elsewhere", UNHURRIED)


def pytest_configure(config: pytest.Config) -> None:
    in_ci = os.environ.get("CI", "").lower() in ("true", "1")
    settings.load_profile("ci" if in_ci else "elsewhere")
    # kept between runs and shared by all workers: what has been compiled once is not compiled again
    os.environ["INLOOP_CACHE"] = str(REPOSITORY / ".cache" / "inloop-tests")
    os.environ["INLOOP_JOBS"] = "1"  # the workers of the tests keep all CPUs busy
    # models of tests are compiled more often than they run long; empty: as for users
    os.environ.setdefault("INLOOP_CFLAGS", "-O0")
    named = os.environ.get("INLOOP_CC") or os.environ.get("CC")
    if not named and all(map(shutil.which, ("tcc", "cc", "ld"))):
        os.environ["INLOOP_CC"] = str(REPOSITORY / "tests" / "quick_cc")
    # tests start many processes: each would translate all modules anew
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # started in the background by a shell, a process ignores Ctrl-C; tests press it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most cases of tests that are `thinned` to long runs; begin with those that wait."""
    met: Counter[str] = Counter()
    for item in items:
        thinned = item.get_closest_marker("thinned")
        if thinned is not None:
            name = item.nodeid.partition("[")[0]
            if met[name] % thinned.args[0]:
                item.add_marker(pytest.mark.long)
            met[name] += 1
    # a stable sort: the others keep their order
    items.sort(key=lambda item: item.get_closest_marker("begins_first") is None)


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over modules and tests, which stay to the end.

    Derivations make many objects, so it comes often; with some 5,000 tests to look through each
    time it took two fifths of a derivation. What they make lives as long as the derivation does,
    so that looking at it after every 700 objects finds nothing.
    """
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty build cache for one test."""
    directory = tmp_path / "cache"
    monkeypatch.setenv("INLOOP_CACHE", str(directory))
    return directory


@pytest.fixture(scope="module")
def shipped_flags() -> Iterator[None]:
    """Models are compiled as for users, for tests of speed or of bits against other programs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("INLOOP_CFLAGS", raising=False)
        yield


@pytest.fixture(scope="session")
def calls() -> Callable[[Callable[[], object]], int]:
    """`calls(work)`: how many functions of Python and C it calls; work without a clock."""

    def count_calls(work: Callable[[], object]) -> int:
        count = 0

        def see(frame: FrameType, event: str, argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(see)
        try:
            work()
        finally:
            sys.setprofile(before)
        return count

    return count_calls


@pytest.fixture(scope="session")
def wheel(of_all_workers: Path) -> Path:
    """As `make wheel` builds it, with the libraries that an earlier build has fetched; once."""
    vendor = REPOSITORY / "src" / "inloop" / "studio" / "vendor" / "VENDOR.json"
    if not vendor.exists():
        miss(f"{vendor} is not there (npm)")
    place = of_all_workers / "wheel"
    with exclusive(place.with_suffix(".lock"), patience=600.0):
        if not place.exists():
            words = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(place)]
            command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", *words]
            # no npm there: nothing is fetched
            path = str(Path(sys.executable).parent)
            environment = {"PATH": path, "HOME": str(place.parent)}
            subprocess.run([*command, str(REPOSITORY)], check=True, env=environment)
    (found,) = place.glob("inloop-*.whl")
    return found


@pytest.fixture(scope="session")
def clean(wheel: Path) -> Path:
    """The programs of an environment that has the wheel and what it depends on; made once."""
    place = wheel.parent.parent / "clean"
    with exclusive(place.with_suffix(".lock"), patience=600.0):
        if not place.exists():
            _install(wheel, place)
    return place / "bin"


def _install(wheel: Path, place: Path) -> None:
    """Make an environment that is lent what the wheel depends on."""
    venv.create(place)
    python = place / "bin" / "python"
    install = ["-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([sys.executable, *install, "--quiet", str(wheel)], check=True)
    lent = place / "lent"
    lent.mkdir()
    for name in ("numpy", "numpy.libs", "scipy", "scipy.libs"):
        spec = importlib.util.find_spec(name.partition(".")[0])
        assert spec is not None and spec.origin is not None
        source = Path(spec.origin).parent.parent / name
        if source.exists():
            (lent / name).symlink_to(source)
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    found = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    (Path(found) / "lent.pth").write_text(f"{lent}\n")


@pytest.fixture(scope="session")
def of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run of the tests, the same for all of its workers."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def make(of_all_workers: Path) -> Callable[..., Path]:
    """`make(folder, "CC=clang")`: the program of exported C, made as a person does.

    Objects of the runtime are those of the first program of this run of the tests that had the same
    file, the same headers and was made with the same words.
    """
    kept = of_all_workers / "made_of_the_runtime"
    kept.mkdir(exist_ok=True)

    def run(folder: Path, *words: str) -> Path:
        headers = [path.read_bytes() for path in sorted(folder.glob("il_*.h"))]
        common = hashlib.sha1(repr((words, headers)).encode())
        objects: dict[Path, Path] = {}
        for source in folder.glob("il_*.c"):
            own = common.copy()
            own.update(source.read_bytes())
            objects[source.with_suffix(".o")] = kept / f"{own.hexdigest()}.o"
        for target, known in objects.items():
            if known.exists():
                shutil.copyfile(known, target)  # newer than its source: not compiled again
        subprocess.run(["make", "-s", "-C", str(folder), *words], check=True)
        for target, known in objects.items():
            if not known.exists():
                fresh = known.with_suffix(f".{os.getpid()}")
                shutil.copyfile(target, fresh)
                fresh.replace(known)  # at once: other workers look for it, too
        first = (folder / "Makefile").read_text().splitlines()[0]
        return folder / first.split("./")[1].split()[0]

    return run


@pytest.fixture(scope="session")
def require_program() -> Callable[[str], str]:
    """`require_program("octave")`: its path; without it, fail in CI and skip elsewhere."""
    return find_program


@pytest.fixture(scope="session")
def walkman() -> Path:
    """The humanoid's file beside the repository; without it, fail in CI and skip elsewhere."""
    path = REPOSITORY.parent / "shared" / "data" / "walkman.mbs"
    if not path.exists():
        miss("walkman.mbs is not beside the repository")
    return path


@pytest.fixture(scope="session")
def require_file() -> Callable[[str, str], None]:
    """`require_file(path, package)`: without the file, fail in CI and skip elsewhere."""

    def look(path: str, package: str) -> None:
        if not Path(path).exists():
            miss(f"{path} is not there (Debian: {package})")

    return look


@pytest.fixture(scope="session")
def require_package() -> Callable[[str], Path]:
    """`require_package("gymnasium")`: its folder, not imported; without it as for programs."""

    def look(name: str) -> Path:
        found = importlib.util.find_spec(name)
        if found is None or not found.submodule_search_locations:
            miss(f"the package '{name}' is not installed")
        return Path(found.submodule_search_locations[0])

    return look


def find_program(name: str) -> str:
    """Path of a program."""
    path = shutil.which(name)
    if path is None:
        miss(f"the program '{name}' is not installed")
    return path


def miss(message: str) -> NoReturn:
    """What a test needs is not there: in CI that is a failure, elsewhere a reason to skip."""
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(f"{message}; in CI it must be there")
    pytest.skip(message)
