"""Group sources into translation units.

Starting a compiler and reading the headers takes as long as compiling some thousand characters of
generated C. So short files are compiled as one, through a file that includes them. A file that
defines macros is compiled alone, because they would change the headers for those after it. So are
runtime files and grids of numbers, which several libraries may contain: they are linked once.

Groups follow from the text alone, not from the number of compilers: other groups give other last
bits (measured with gcc and the car), probably because a compiler decides by the whole translation
unit what to inline, and so which products and sums to contract.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">]+)[\">]", re.MULTILINE)
LONG = 30_000  # characters that take a compiler much longer than its start


def translation_units(
    sources: Mapping[str, str], spaces: Mapping[str, str] | None = None
) -> list[tuple[str, ...]]:
    """Names of sources in groups of about equal length; long text is split for several compilers.

    Args:
        sources: file name → C text.
        spaces: file name → name space; files of different ones are never compiled as one, and those
            of one are grouped as if there were no others.
    """
    alone = [(n,) for n, text in sources.items() if n.startswith("il_") or _MACRO.search(text)]
    lengths: dict[str, dict[str, int]] = {}
    for name, text in sources.items():
        if (name,) not in alone:
            lengths.setdefault((spaces or {}).get(name, ""), {})[name] = len(text)
    units: list[tuple[str, ...]] = [*alone]
    for of_space in lengths.values():
        pieces = max(sum(of_space.values()) // LONG, 1)
        units += _balanced(of_space, min(len(of_space), pieces))
    return units


def _balanced(lengths: Mapping[str, int], count: int) -> list[tuple[str, ...]]:
    """This many groups: longest file first, each to the shortest group."""
    groups: list[list[str]] = [[] for _ in range(count)]
    for name in sorted(lengths, key=lambda name: (-lengths[name], name)):
        min(groups, key=lambda group: sum(lengths[member] for member in group)).append(name)
    return [tuple(group) for group in groups]


def needed_headers(sources: Mapping[str, str], headers: Mapping[str, str]) -> dict[str, str]:
    """Headers that the sources include, directly or indirectly, in their order.

    Args:
        sources: file name → C text.
        headers: file name → C text; all others are the compiler's own.
    """
    needed: set[str] = set()
    left = list(sources.values())
    while left:
        found = {name for name in _included(left.pop()) if name in headers} - needed
        needed |= found
        left += (headers[name] for name in found)
    return {name: text for name, text in headers.items() if name in needed}


@functools.lru_cache(maxsize=200)  # runtime headers are requested repeatedly
def _included(text: str) -> tuple[str, ...]:
    return tuple(_INCLUDE.findall(text))


def including(names: tuple[str, ...]) -> str:
    """C text that includes all of these files."""
    return "".join(f'#include "{name}"\n' for name in names)


def merged_sources(sources: Mapping[str, str], prefix: str) -> dict[str, str]:
    """The same code with one file per translation unit, for compilers outside Python.

    Args:
        sources: file name → C text, of one name space.
        prefix: of the names of files that contain several.
    """
    merged: dict[str, str] = {}
    for names in translation_units(sources):
        name = names[0] if len(names) == 1 else f"{prefix}_together_{len(merged) + 1}.c"
        merged[name] = "\n".join(sources[part] for part in names)
    return merged
