"""What Python knows of the C headers is what the compiler makes of them, field by field."""

from __future__ import annotations

import ctypes
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
import pytest

from inloop.errors import BuildError
from inloop.native import (
    POINTER,
    Method,
    NativeLibrary,
    Status,
    build_library,
    realtime_headers,
    runtime_headers,
    variation_headers,
)
from inloop.native.c_declarations import Headers
from inloop.native.mirror import constant, enumeration, field_offset, mirror, own_headers, row_type
from inloop.native.realtime_functions import (
    COMMANDS,
    HAND,
    INPUTS,
    OUTPUTS,
    PARAMETERS,
    PULLS,
    RINGS,
)
from inloop.realtime import Flag, State
from inloop.realtime.mailboxes import commands, mailbox
from inloop.realtime.mailboxes.memory import MOST_MAILBOXES
from inloop.realtime.options import MODES, POLICIES

TEXTS = {**runtime_headers(), **realtime_headers(), **variation_headers()}
INTEGER, ADDRESS, REAL, STRUCT = 1, 5, 8, 12  # of __builtin_classify_type


def fields_of(structure: type[ctypes.Structure]) -> list[tuple[str, list[int]]]:
    """Offset, size, class, and whether it is signed, of each field as ctypes lays it out."""
    found = []
    for name, kind in structure._fields_:
        field = getattr(structure, name)
        while issubclass(kind, ctypes.Array):
            kind = kind._type_
        found.append((name, [field.offset, field.size, *_class(kind)]))
    return found


def _class(kind: Any) -> tuple[int, int]:
    if issubclass(kind, ctypes.Structure):
        return STRUCT, 0
    if kind is POINTER:
        return ADDRESS, 0
    if kind is ctypes.c_double:
        return REAL, 0
    return INTEGER, int(kind(-1).value == -1)


def compiled_layout(headers: Headers) -> dict[str, list[int]]:
    """The same by the compiler, from the real headers, for the fields that Python knows."""
    rows = {}
    for name in headers.struct_names:
        rows[name] = f"sizeof({name}), 0, 0, 0"
        for field, kind in headers.structure(name)._fields_:
            place = f"(({name} *)0)->{field}"
            element = place
            while issubclass(kind, ctypes.Array):
                element, kind = f"{element}[0]", kind._type_
            sign = f"(__typeof__({element}))-1 < 0" if _class(kind)[0] == INTEGER else "0"
            rows[f"{name}.{field}"] = (
                f"offsetof({name}, {field}), sizeof({place}), "
                f"__builtin_classify_type({element}), {sign}"
            )
    included = ["inloop.h", *(name for name in TEXTS if name != "inloop.h")]
    lines = [
        *(f'#include "{name}"' for name in included),
        "#include <stddef.h>",
        "IL_EXPORT void layout(int64_t *to);",
        "void layout(int64_t *to)",
        "{",
        "    const int64_t all[] = {" + ",\n        ".join(rows.values()) + "};",
        "    memcpy(to, all, sizeof all);",
        "}",
    ]
    library = NativeLibrary(build_library({"layout.c": "\n".join(lines) + "\n"}, TEXTS))
    numbers = np.zeros((len(rows), 4), np.int64)
    library.function("layout", POINTER, returns=None)(numbers.ctypes.data)
    return dict(zip(rows, numbers.tolist(), strict=True))


def mirrored_layout(headers: Headers) -> dict[str, list[int]]:
    rows = {}
    for name in headers.struct_names:
        structure = headers.structure(name)
        rows[name] = [ctypes.sizeof(structure), 0, 0, 0]
        rows |= {f"{name}.{field}": numbers for field, numbers in fields_of(structure)}
    return rows


def test_every_field_is_where_the_compiler_puts_it() -> None:
    """Offset, size and kind of every field of every struct of every header."""
    headers = own_headers()
    assert {"il_run", "il_loop", "il_rows", "inloop_statistics"} <= set(headers.struct_names)
    mirrored = mirrored_layout(headers)
    assert mirrored == compiled_layout(headers)
    assert len(mirrored) > 300


@pytest.mark.parametrize(
    ("header", "written", "instead", "wrong"),
    [
        # of the same size: only offsets tell
        ("il_run.h", "int64_t stride;\n    double sample_step;",
         "double sample_step; int64_t stride;", {"il_run.stride", "il_run.sample_step"}),
        # at the same place and of the same size: only the kind tells
        ("il_machine.h", "int64_t target; ", "double target; ", {"il_transition.target"}),
        ("inloop.h", "int64_t stamp; ", "uint64_t stamp; ", {"inloop_record.stamp"}),
    ],
)  # fmt: skip
def test_a_mirror_that_is_off_is_seen(
    header: str, written: str, instead: str, wrong: set[str]
) -> None:
    assert TEXTS[header].count(written) == 1
    other = Headers({**TEXTS, header: TEXTS[header].replace(written, instead)})
    mirrored, compiled = mirrored_layout(other), compiled_layout(other)
    assert {name for name in mirrored if mirrored[name] != compiled[name]} == wrong


def test_a_wrong_name_is_an_error() -> None:
    run = mirror("il_run")(t0=2.0, stride=3)
    assert (run.t0, run.stride, run.h) == (2.0, 3, 0.0)
    assert mirror("il_run") is type(run)
    with pytest.raises(AttributeError, match="strid"):
        mirror("il_run")(strid=3)
    with pytest.raises(AttributeError, match="strid"):
        run.strid = 3


class Overtaken(Headers):
    """Another thread makes the same structure while this one is at it."""

    first: type[ctypes.Structure] | None = None

    def _fields(self, struct: Any, text: str, line: int) -> Any:
        if self.first is None:
            self.first = ctypes.Structure  # once
            self.first = self.structure(struct.name)
        return super()._fields(struct, text, line)


def test_a_struct_is_one_class_for_all_threads() -> None:
    headers = Overtaken(TEXTS)
    assert headers.structure("il_system") is headers.first


def test_rows_of_arrays() -> None:
    rows = np.zeros(3, row_type("il_event"))
    rows[1] = (0.5, 1, 2, 3, 4, (5.0, 6.0, 7.0))
    second = mirror("il_event").from_buffer(rows, ctypes.sizeof(mirror("il_event")))
    assert (second.t, second.next_mode, second.record.restitution) == (0.5, 3, 7.0)
    assert field_offset("il_event", "record") == 8 * 5


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("il_status", Status),
        ("il_method_id", Method),
        ("inloop_flags", Flag),
        ("inloop_state", State),
    ],
)
def test_enums_are_those_of_the_headers(name: str, members: type[IntEnum | IntFlag]) -> None:
    assert bare(enumeration(name)) == {member.name: member.value for member in members}


def test_numbers_are_those_of_the_headers() -> None:
    rings = {"OUTPUTS": OUTPUTS, "INPUTS": INPUTS, "PARAMETERS": PARAMETERS, "COMMANDS": COMMANDS}
    rings |= {"HAND": HAND, "PULLS": PULLS}
    assert bare(enumeration("inloop_ring_id")) == {**rings, "RINGS": len(RINGS)}
    errors = bare(enumeration("inloop_error"))
    assert errors == {name: getattr(mailbox, name) for name in errors}
    numbers = bare(enumeration("inloop_command"))
    assert numbers.pop("NO_COMMAND") == 0
    assert numbers == {name: getattr(commands, name) for name in numbers}
    words = {"stop": "END", "lock-step": "LOCK_STEP"}
    for name, options in (("il_pace", MODES), ("il_policy", POLICIES)):
        spelled = {words.get(word, word.upper()): number for word, number in options.items()}
        assert bare(enumeration(name)) == spelled
    assert len(mirror("il_loop")().policy) == len(Status)
    assert 2 ** constant("INLOOP_MAILBOX_BITS") == MOST_MAILBOXES + 1
    assert constant("INLOOP_MAGIC").to_bytes(8, "little") == b"INOPLBOX"
    assert constant("INLOOP_MOST_SLOTS") == 2**24


def bare(numbers: dict[str, int]) -> dict[str, int]:
    return {name.partition("_")[2]: number for name, number in numbers.items()}


def test_reads_the_c_of_our_headers() -> None:
    text = """
        #define ROWS 3 /* not 4 */
        enum { FEW = 2, MORE, HEX = 0x10u };
        typedef int (*law)(void *context, double t);
        typedef struct { char tag[FEW]; } inner;
        struct outer {
            const double *const a, *volatile b, c; // ";" is no end
            volatile int flag; /* int hidden; */
            double table[ROWS][MORE];
            inner one; struct inner_two *two;
            law first;
            void (*second)(const double *x,
                           double *y);
            unsigned char raw[HEX], more[0x4];
        };
    """
    found = Headers({"some.h": text}).structure("outer")

    class Inner(ctypes.Structure):
        _fields_ = (("tag", ctypes.c_char * 2),)

    class Outer(ctypes.Structure):
        _fields_ = (
            ("a", POINTER), ("b", POINTER), ("c", ctypes.c_double), ("flag", ctypes.c_int),
            ("table", ctypes.c_double * 3 * 3), ("one", Inner), ("two", POINTER),
            ("first", POINTER), ("second", POINTER), ("raw", ctypes.c_ubyte * 16),
            ("more", ctypes.c_ubyte * 4),
        )  # fmt: skip

    assert fields_of(found) == fields_of(Outer)
    assert ctypes.sizeof(found) == ctypes.sizeof(Outer)


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("float x;", "type 'float' is not known"),
        ("long x;", "type 'long' is not known"),
        ("unsigned x;", "type 'unsigned' is not known"),
        ("enum color x;", "type 'enum color' is not known"),
        ("union both x;", "type 'union both' is not known"),
        ("struct nowhere x;", "type 'struct nowhere' is not known"),
        ("stranger *x;", "type 'stranger' is not known"),
        ("ALIGNED double x;", "type 'ALIGNED double' is not known"),
        ("_Alignas(16) double x;", "'_Alignas(16) double x' is not a field"),
        ("int x : 3;", "'int x : 3' is not a field"),
        ("int : 0;", "'int : 0' is not a field"),
        ("int x, y : 3;", "'int x, y : 3' is not a field"),
        ("int *x, (*y)(void);", "is not a field"),
        ("int (*x)[3];", "'int (*x)[3]' is not a field"),
        ("void (*x[2])(int);", "is not a field"),
        ("void (*x)(int (*)(int));", "is not a field"),
        ("int x[];", "'int x[]' is not a field"),
        ("int x[0];", "an array of 0"),
        ("int x[010];", "an array of '010'"),
        ("int x[2 * 3];", "'int x[2 * 3]' is not a field"),
        ("int x[UNKNOWN];", "integer 'UNKNOWN' is declared 0 times"),
        ("int x[1.5];", "is not a field"),
        ("FIELDS", "'FIELDS' does not end"),
        ("FIELDS;", "'FIELDS' is not a field"),
        ("FIELD(int, x);", "'FIELD(int, x)' is not a field"),
        ("int x __attribute__((aligned(64)));", "is not a field"),
        ("\n#ifdef WIDE\n int64_t x;\n#endif\n", "is not a field"),
        ("union { int x; double y; };", "a struct, union or enum inside it"),
        ("struct { int x; } inside;", "a struct, union or enum inside it"),
        ("int 3x;", "is not a field"),
        ("x;", "'x' is not a field"),
    ],
)
def test_refuses_what_it_does_not_know(field: str, reason: str) -> None:
    text = f"/* one\n   two */\ntypedef struct odd {{\n    double good;\n    {field}\n}} odd;\n"
    with pytest.raises(BuildError) as error:
        Headers({"odd.h": text}).structure("odd")
    told = str(error.value)
    assert reason in told and "struct 'odd' cannot be mirrored" in told and "odd.h, line" in told


def test_tells_the_line() -> None:
    text = "/* one\n   two */\nstruct odd {\n    double good;\n\n    /* why */ float x;\n};\n"
    with pytest.raises(BuildError, match=r"odd\.h, line 6"):
        Headers({"odd.h": text}).structure("odd")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("struct odd { char a; int b; } __attribute__((packed));", "stands behind its fields"),
        ("typedef struct odd { int b; } __attribute__((packed)) odd;", "stands behind its fields"),
        ("struct odd { int a; } variable;", "stands behind its fields"),
        ("#pragma pack(1)\nstruct odd { char a; int b; };", "packs structs"),
        ("struct odd { int a; };\nstruct odd { int b; };", "declared 2 times"),
        ("struct __attribute__((packed)) odd { char a; int b; };", "declared 0 times"),
        ("union odd { int a; double b; };", "declared 0 times"),
        ("struct odd;", "declared 0 times"),
        ("/* struct odd { int a; }; */", "declared 0 times"),
    ],
)
def test_refuses_structs_that_lie_otherwise(text: str, reason: str) -> None:
    with pytest.raises(BuildError, match=reason):
        Headers({"odd.h": text}).structure("odd")


@pytest.mark.parametrize(
    "text",
    [
        "#define N 010", "#define N 3.0", "#define N (1 + 2)", "#define N OTHER", '#define N "3"',
        "enum { N = 1 + 2 };", "enum { N = OTHER };", "#define N 1\n#define N 2", "",
    ],
)  # fmt: skip
def test_refuses_numbers_that_it_does_not_know(text: str) -> None:
    with pytest.raises(BuildError, match=r"odd\.h, line 1|declared [02] times"):
        Headers({"odd.h": text}).constant("N")
