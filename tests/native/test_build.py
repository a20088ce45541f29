"""C text → library: what is built, what is cached, what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from inloop.errors import BuildError, InputError
from inloop.native import (
    DEFAULT_FLAGS,
    POINTER,
    BuildOptions,
    NativeLibrary,
    address_of,
    aligned_zeros,
    build_library,
    find_compiler,
    model_options,
)
from inloop.native.building.translation import LONG, merged_sources, translation_units

STRICT = BuildOptions(strict=True)


def weighted_sum(library: NativeLibrary, x: float, y: float) -> float:
    arrays = np.array([x, 0.3]), np.array([0.2, y]), np.zeros(1)
    function = library.function("weighted_sum", POINTER, POINTER, POINTER)
    assert function(*map(address_of, arrays)) == 7
    return float(arrays[2][0])


def test_built_function_computes(program) -> None:
    library = NativeLibrary(build_library(*program("computes"), options=STRICT))
    assert weighted_sum(library, 0.7, 1.9) == pytest.approx(2.5 * math.sin(0.7) + 1.9, rel=1e-15)


def test_bound_call_follows_its_arrays(program) -> None:
    library = NativeLibrary(build_library(*program("computes"), options=STRICT))
    x, y, result = aligned_zeros(2), aligned_zeros(2), aligned_zeros(1)
    call = library.bind("weighted_sum", x, y, result)
    for value in (0.4, -1.3):
        x[0], y[1] = value, 2 * value
        assert call() == 7
        assert result[0] == pytest.approx(2.5 * math.sin(value) + 2 * value, rel=1e-15)


def test_only_marked_functions_are_exported(program, require_program) -> None:
    require_program("nm")
    library = NativeLibrary(build_library(*program("computes"), options=STRICT))
    assert library.exported_symbols() == ("weighted_sum",)
    assert "sin" in library.needed_symbols()
    assert "weighted_sum" in library and "weigh" not in library
    with pytest.raises(BuildError, match="no function 'weigh'"):
        library.function("weigh")


def test_second_build_is_found_and_sources_are_kept(program, fresh_cache: Path) -> None:
    sources, headers = program("cached")
    steps: list[tuple[int, int, str]] = []

    def build() -> Path:
        return build_library(sources, headers, progress=lambda *step: steps.append(step))

    first = build()
    assert [step[:2] for step in steps] == [(1, 3), (2, 3), (3, 3)]
    assert build() == first
    assert len(steps) == 3
    names = {path.name for path in first.parent.iterdir()}
    sources_and_objects = {"sum.c", "weigh.c", "sum.h", "sum.o", "weigh.o"}
    assert names == {"library.so", "manifest.json", *sources_and_objects}
    assert (first.parent / "sum.c").read_text() == sources["sum.c"]
    assert not list((fresh_cache / "v1" / "work").iterdir())
    assert not list((fresh_cache / "v1" / "locks").iterdir())


def test_key_depends_on_text_name_header_and_flags(program, fresh_cache: Path) -> None:
    sources, headers = program("keys")
    renamed = {"other.c": sources["sum.c"], "weigh.c": sources["weigh.c"]}
    changed = {"sum.h": headers["sum.h"] + "/* more */\n"}
    libraries = [
        build_library(sources, headers),
        build_library(renamed, headers),
        build_library(sources, changed),
        build_library(sources, headers, options=BuildOptions(extra_flags=("-O1",))),
        build_library(dict(reversed(sources.items())), headers),
    ]
    assert len(set(libraries)) == 4
    assert libraries[-1] == libraries[0]


def test_headers_that_nobody_includes_change_nothing(program, fresh_cache: Path) -> None:
    """Of those that are included by others each one counts."""
    sources, headers = program("included")
    outer = {"sum.h": '# include "inner.h"\n' + headers["sum.h"], "inner.h": "/* inner */\n"}
    first = build_library(sources, outer | {"alien.h": "#error alien\n"})
    assert {path.name for path in first.parent.glob("*.h")} == {"sum.h", "inner.h"}
    assert build_library(sources, outer) == first
    assert build_library(sources, outer | {"inner.h": "/* other */\n"}) != first


@pytest.mark.parametrize(
    "name",
    [
        "../escape.c",
        "/etc/passwd.c",
        "-o.c",
        ".hidden.c",
        "a b.c",
        "a;rm.c",
        "naïve.c",
        "a\n.c",
        "a.c\n",
        "a\0.c",
        "header.h",
        "no_ending",
        "",
        "x" * 120 + ".c",
    ],
)
def test_hostile_file_names_are_refused(name: str, fresh_cache: Path) -> None:
    with pytest.raises(BuildError, match="cannot be the name of a C file"):
        build_library({name: "int x;\n"})
    assert not fresh_cache.exists()


def test_a_source_may_not_pass_as_header() -> None:
    with pytest.raises(BuildError, match=r"ending '\.h'"):
        build_library({"a.c": "int a;\n"}, {"b.c": "int b;\n"})
    with pytest.raises(BuildError, match="nothing to build"):
        build_library({})


def test_compiler_error_names_line_and_kept_source(program, fresh_cache: Path) -> None:
    sources, headers = program("broken")
    sources["weigh.c"] += "int broken( {\n"
    with pytest.raises(BuildError, match=r"weigh\.c:4:\d+: error") as caught:
        build_library(sources, headers)
    kept = Path(caught.value.mistakes[0].where)
    assert kept.read_text() == sources["weigh.c"]
    assert "error" in (kept.parent / "compiler_output.txt").read_text()
    assert not list((fresh_cache / "v1" / "work").iterdir())
    assert not list((fresh_cache / "v1" / "entries").iterdir())


def test_linker_error_names_the_symbol(fresh_cache: Path) -> None:
    text = "double nowhere(double); double f(double x) { return nowhere(x); }\n"
    options = BuildOptions(libraries=("-Wl,-z,defs", "-lm"))
    with pytest.raises(BuildError, match="nowhere"):
        build_library({"a.c": text}, options=options)


def test_strict_build_refuses_a_warning(fresh_cache: Path) -> None:
    text = "static int unused;\nint f(void) { return 0; }\n"
    assert build_library({"a.c": text}).exists()
    with pytest.raises(BuildError, match="unused"):
        build_library({"a.c": text}, options=STRICT)


def test_native_flags_keep_nan_and_infinity() -> None:
    text = """__attribute__((visibility("default"))) int f(const double *x, double *y)
{ y[0] = x[0] * 0.0; y[1] = x[0] != x[0]; return 0; }
"""
    library = NativeLibrary(build_library({"nan.c": text}, options=STRICT))
    x, y = np.array([np.nan]), np.zeros(2)
    library.bind("f", x, y)()
    assert np.isnan(y[0]) and y[1] == 1.0


def test_arrays_that_c_cannot_read_are_refused() -> None:
    with pytest.raises(InputError, match="float32"):
        address_of(np.zeros(3, dtype=np.float32))
    with pytest.raises(InputError, match="strides"):
        address_of(np.zeros((4, 3))[:, 1])


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (5, 3)])
def test_aligned_zeros_are_aligned(shape: tuple[int, ...]) -> None:
    array = aligned_zeros(*shape)
    assert array.shape == shape and not array.any()
    assert array.size == 0 or array.ctypes.data % 64 == 0


def test_a_library_that_is_none_gives_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "library.so").write_bytes(b"not a library")
    with pytest.raises(BuildError, match="cannot be loaded"):
        NativeLibrary(tmp_path / "library.so")


def test_many_files_build_in_parallel(fresh_cache: Path) -> None:
    assert find_compiler() is not None
    mark = '__attribute__((visibility("default")))'
    sources = {f"part_{k}.c": f"{mark} int part_{k}(void) {{ return {k}; }}\n" for k in range(20)}
    library = NativeLibrary(build_library(sources, options=BuildOptions(jobs=4)))
    assert [library.bind(f"part_{k}")() for k in range(20)] == list(range(20))


def test_files_that_share_a_name_space_are_compiled_together(fresh_cache: Path) -> None:
    mark = '__attribute__((visibility("default")))'
    sources = {f"part_{k}.c": f"{mark} int part_{k}(void) {{ return {k}; }}\n" for k in range(5)}
    options, steps = BuildOptions(strict=True, together=True, jobs=2), []
    path = build_library(sources, options=options, progress=lambda *step: steps.append(step))
    assert [step[:2] for step in steps] == [(1, 2), (2, 2)]
    library = NativeLibrary(path)
    assert [library.bind(f"part_{k}")() for k in range(5)] == list(range(5))


def test_every_source_is_compiled_once_in_groups_of_equal_length() -> None:
    lengths = (2 * LONG, LONG // 2, LONG // 3, LONG // 5, 90, 80, 70)
    sources = {f"{length}.c": "x" * length for length in lengths}
    units = translation_units(sources)
    assert len(units) == sum(lengths) // LONG
    assert sorted(name for unit in units for name in unit) == sorted(sources)
    assert (f"{2 * LONG}.c",) in units
    short = {name: text for name, text in sources.items() if len(text) < LONG // 2}
    assert len(translation_units(short)) == 1


def test_the_number_of_compilers_does_not_change_what_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another grouping would be inlined and rounded otherwise."""
    sources = {f"part_{k}.c": f"int part_{k}(void) {{ return {k}; }}\n" for k in range(5)}
    sources["long.c"] = "int x;\n" + "\n" * 2 * LONG
    found = []
    for jobs in (1, 2, 7):
        monkeypatch.setenv("INLOOP_CACHE", str(tmp_path / str(jobs)))
        path = build_library(sources, options=BuildOptions(together=True, jobs=jobs))
        groups = {file.name: file.read_text() for file in path.parent.glob("*.c")}
        found.append((path.parent.name, groups))
    assert found[0] == found[1] == found[2]
    assert "together_2.c" in found[0][1]


def test_merged_files_hold_what_is_compiled_as_one() -> None:
    sources = {"a.c": "int a;\n", "b.c": "int bb;\n", "wide.c": "#define WIDE\n"}
    merged = merged_sources(sources, "car")
    assert merged == {"wide.c": "#define WIDE\n", "car_together_2.c": "int bb;\n\nint a;\n"}


def test_sources_of_other_name_spaces_are_not_compiled_as_one() -> None:
    sources = {f"{k}.c": "int x;\n" for k in range(6)}
    spaces = {f"{k}.c": "even" if k % 2 == 0 else "odd" for k in range(6)}
    units = translation_units(sources, spaces)
    assert sorted(map(sorted, units)) == [["0.c", "2.c", "4.c"], ["1.c", "3.c", "5.c"]]


def test_a_source_with_macros_of_its_own_is_compiled_alone() -> None:
    sources = {"a.c": "int a;\n", "wide.c": "#ifdef W\n# define IL_LANES 8\n#endif\n", "b.c": "\n"}
    assert sorted(translation_units(sources)) == [("a.c", "b.c"), ("wide.c",)]


def test_flags_of_the_environment_have_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INLOOP_CFLAGS", "-O1 -DNAME='two words'")
    flags = model_options(("-O3",)).compile_flags
    assert flags[-3:] == ("-O3", "-O1", "-DNAME=two words")
    monkeypatch.delenv("INLOOP_CFLAGS")
    assert model_options(("-O3",)).compile_flags == (*DEFAULT_FLAGS, "-O3")
    # the hand-written part is the same for all
    monkeypatch.setenv("INLOOP_CFLAGS", "-O1")
    assert BuildOptions().compile_flags == DEFAULT_FLAGS
