"""Fetch code and numbers before they are needed, if a long sleep has driven them out of the caches.

Functions that are needed together lie together, in a section of the program of their own: the
linker knows where it begins and ends. See `il_fetch.h`.
"""

from __future__ import annotations

from collections.abc import Mapping

TOGETHER = "TOGETHER"  # before the definition of such a function


def together(prefix: str) -> str:
    """C text that defines TOGETHER.

    Args:
        prefix: first part of all names.
    """
    return f"""#if defined(__ELF__) && defined(__GNUC__) && !defined(__TINYC__)
#define {TOGETHER} __attribute__((section("{_section(prefix)}")))
#else
#define {TOGETHER}
#endif
"""


def waking(
    prefix: str, found: Mapping[str, int], fetched: Mapping[str, int | str] | None
) -> list[str]:
    """Lines of C: a macro `WAKE(far)`, for use where all arrays have the names that they have here.

    Args:
        prefix: first part of all names.
        found: arrays whose pages are asked for, with their bytes. So are those of the code.
        fetched: arrays that are read besides the code if the line `far` is not in the caches; None
            where nothing is.
    """
    begin, end = (f"__{edge}_{_section(prefix)}" for edge in ("start", "stop"))
    code: dict[str, int | str] = {begin: f"{end} - {begin}"}
    read = [] if fetched is None else [f"if (il_is_far(far)) {_call('il_fetch', code | fetched)}"]
    statements = [_call("il_find", code | found), *read]
    return [
        "#ifdef IL_FETCHES",
        f"extern const char {begin}[], {end}[];",
        "#define WAKE(far) \\",
        *(f"    {statement} \\" for statement in statements[:-1]),
        f"    {statements[-1]}",
        "#else",
        "#define WAKE(far) (void)(far)",
        "#endif",
    ]


def _call(function: str, needed: Mapping[str, int | str]) -> str:
    each = ", ".join(f"{{{name}, {count}}}" for name, count in needed.items())
    return f"{function}((const il_needed[]){{{each}}}, {len(needed)});"


def _section(prefix: str) -> str:
    return f"{prefix}_together"
