"""Arrows point down only: the table of ARCHITECTURE.md, held against every import in the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "inloop"

# package → what it may import besides itself and `errors`
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "symbolic": set(),
    "joints": {"symbolic"},
    "geometry": set(),
    "model": {"joints", "geometry", "symbolic"},
    "formalisms": {"model", "joints", "symbolic"},
    "codegen": {"symbolic"},
    "native": set(),
    "linear": {"symbolic", "codegen", "native"},
    "plant": {"symbolic", "joints", "model", "formalisms", "codegen", "native"},
    "designs": {"plant"},
    "simulate": {"designs", "plant", "native"},
    "analysis": {"designs", "simulate", "plant"},
    "control": {"simulate"},
    "devices": {"simulate"},
    "observers": {"control", "simulate", "plant", "native"},
    "realtime": {"simulate", "plant", "native"},
    "io": {
        "symbolic",
        "joints",
        "geometry",
        "model",
        "codegen",
        "simulate",
        "realtime",
        "plant",
        "native",
        "devices",
        "studio",
        "pictures",
    },
    "links": {"realtime", "simulate"},
    "studio": {"realtime", "simulate", "plant", "model", "geometry", "native", "devices"},
    "pictures": {"studio", "realtime", "simulate", "plant", "model", "geometry", "native"},
    "bridges": {"simulate", "plant", "native", "formalisms", "model", "symbolic"},
    "gym": {"pictures", "simulate", "plant", "native"},
    "gallery": {"inloop"},  # the public API only
}
# what stands above all layers
MAY_IMPORT_ALL = {"inloop", "api", "cli", "__main__"}
# what takes long to import and few need: loaded where it is used
SLOW_TO_IMPORT = {
    "PIL",
    "SALib",
    "casadi",
    "imageio_ffmpeg",
    "inloop.gallery",
    "inloop.io.mjcf",
    "inloop.io.robotran",
    "inloop.io.sdf",
    "inloop.io.urdf",
    "jax",
    "matplotlib",
    "mcap",
    "pandas",
    "pyarrow",
    "ray",
    "rich",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.signal",
    "scipy.sparse",
    "scipy.spatial",
    "scipy.special",
    "scipy.stats",
    "trimesh",
    "xarray",
}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}


def layer_of(module: str) -> str:
    """`inloop.model.joint` → `model`; `inloop` itself → `inloop`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "inloop"


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    """Line and module of each import of ours, inside functions and type checks too."""
    for node in ast.walk(tree):
        for module in names_in(node, package):
            if module == "inloop" or module.startswith("inloop."):
                yield node.lineno, module


def names_in(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return from_import(node, package)
    if isinstance(node, ast.Call):
        return dynamic_import(node)
    return []


def from_import(node: ast.ImportFrom, package: str) -> list[str]:
    base = node.module or ""
    if node.level:
        parts = package.split(".")
        base = ".".join([*parts[: len(parts) - node.level + 1], *([base] if base else [])])
    if base != "inloop":
        return [base]
    # `from inloop import model` is an import of the package, `from inloop import Model` of the API
    known = MAY_IMPORT.keys() | MAY_IMPORT_ALL
    return [f"inloop.{alias.name}" if alias.name in known else base for alias in node.names]


def dynamic_import(node: ast.Call) -> list[str]:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name not in ("import_module", "__import__") or not node.args:
        return []
    first = node.args[0]
    return [first.value] if isinstance(first, ast.Constant) and isinstance(first.value, str) else []


def violations(text: str, module: str, *, is_package: bool) -> list[str]:
    layer = layer_of(module)
    if layer in MAY_IMPORT_ALL:
        return []
    if layer not in MAY_IMPORT:
        return [f"package '{layer}' has no row in the table of layers"]
    allowed = MAY_IMPORT[layer] | {layer, "errors"}
    package = module if is_package else module.rpartition(".")[0]
    return [
        f"{module}:{line}: '{layer}' may not import '{imported}'"
        for line, imported in imported_modules(ast.parse(text), package)
        if layer_of(imported) not in allowed
    ]


def source_files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_imports_point_down_only() -> None:
    found = [
        violation
        for path in source_files()
        for violation in violations(
            path.read_text(encoding="utf-8"), module_of(path), is_package=path.stem == "__init__"
        )
    ]
    assert not found, "\n".join(found)


def test_the_import_loads_nothing_slow() -> None:
    listing = "import inloop, sys; print(*sys.modules)"
    command = [sys.executable, "-c", listing]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "inloop.analysis" in done.stdout.split()
    assert not SLOW_TO_IMPORT & set(done.stdout.split())


def test_no_module_is_a_drawer_for_everything() -> None:
    names = {path: {path.stem, *path.relative_to(SOURCE).parts} for path in source_files()}
    found = [str(path) for path, parts in names.items() if parts & FORBIDDEN_NAMES]
    assert not found


def test_no_folder_holds_more_than_a_person_can_look_over() -> None:
    folders = Counter(path.parent for path in source_files())
    assert not {str(folder): count for folder, count in folders.items() if count > 25}


def test_the_table_has_no_cycle() -> None:
    done: set[str] = set()
    while len(done) < len(MAY_IMPORT):
        ready = {
            name
            for name, below in MAY_IMPORT.items()
            if name not in done and below - {"inloop"} <= done
        }
        assert ready, f"a cycle among {sorted(MAY_IMPORT.keys() - done)}"
        done |= ready


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("inloop.symbolic.expression", "import inloop.model"),
        ("inloop.symbolic.expression", "from inloop import model"),
        ("inloop.symbolic.expression", "from inloop import Model"),
        ("inloop.symbolic.expression", "from ..model import joint"),
        (
            "inloop.symbolic.expression",
            "def f():\n    from inloop.native.building.build import build_library",
        ),
        ("inloop.symbolic.expression", "if TYPE_CHECKING:\n    import inloop.model.body as b"),
        ("inloop.codegen.c", "importlib.import_module('inloop.formalisms')"),
        ("inloop.simulate.run", "from inloop.model import Model"),
        ("inloop.gallery.puma", "from inloop.model import Model"),
        ("inloop.surprise.thing", ""),
    ],
)
def test_a_wrong_import_is_found(module: str, text: str) -> None:
    assert violations(text, module, is_package=False)


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("inloop.symbolic.expression", "from inloop.errors import ExpressionError"),
        ("inloop.symbolic.expression", "from . import rules\nfrom .rules import fold"),
        ("inloop.plant.plant", "from ..native import build_library"),
        ("inloop.simulate.run", "from inloop import errors"),
        ("inloop.gallery.puma", "import inloop as il\nfrom inloop import Model"),
        ("inloop.cli.main", "from inloop.formalisms import rne"),
        ("inloop.api", "from inloop.io import urdf"),
        ("inloop.native.building.build", "import numpy as np"),
    ],
)
def test_a_right_import_passes(module: str, text: str) -> None:
    assert not violations(text, module, is_package=False)
