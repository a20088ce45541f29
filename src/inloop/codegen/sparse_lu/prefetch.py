"""Prefetch code and data that a long sleep has evicted from the caches.

Functions that run one after the other are placed in a linker section of their own, whose begin and
end the linker provides. See `il_prefetch.h`.
"""

from __future__ import annotations

from collections.abc import Mapping

Sizes = Mapping[str, int | str]  # name of an array → its size, or a C expression of it [bytes]
TOGETHER = "TOGETHER"  # attribute of such a function, before its definition


def together(prefix: str) -> str:
    """C text that defines TOGETHER.

    Args:
        prefix: prefix of all names.
    """
    return f"""#if defined(__ELF__) && defined(__GNUC__) && !defined(__TINYC__)
#define {TOGETHER} __attribute__((section("{_section(prefix)}")))
#else
#define {TOGETHER}
#endif
"""


def prefetch_macro(prefix: str, touched: Sizes, fetched: Sizes | None) -> list[str]:
    """Lines of C: a macro `PREFETCH(probe)`, for a function whose arrays have the names used here.

    Args:
        prefix: prefix of all names.
        touched: arrays whose pages are prefetched in any case, with their sizes [bytes]; the pages
            of the code are added.
        fetched: arrays that are read as a whole, together with the code, if the cache line at
            `probe` is not cached, with their sizes [bytes]; None to read nothing.
    """
    begin, end = (f"__{edge}_{_section(prefix)}" for edge in ("start", "stop"))
    code: Sizes = {begin: f"{end} - {begin}"}
    statements = [_call("il_prefetch_pages", {**code, **touched})]
    if fetched is not None:
        statements += [f"if (il_is_far(probe)) {_call('il_read_ahead', {**code, **fetched})}"]
    return [
        "#ifdef IL_PREFETCHES",
        f"extern const char {begin}[], {end}[];",
        "#define PREFETCH(probe) \\",
        *(f"    {statement} \\" for statement in statements[:-1]),
        f"    {statements[-1]}",
        "#else",
        "#define PREFETCH(probe) (void)(probe)",
        "#endif",
    ]


def _call(function: str, ranges: Sizes) -> str:
    each = ", ".join(f"{{{name}, {count}}}" for name, count in ranges.items())
    return f"{function}((const il_range[]){{{each}}}, {len(ranges)});"


def _section(prefix: str) -> str:
    return f"{prefix}_together"
