"""Group sources into translation units.

Starting a compiler and reading the headers takes as long as compiling some thousand characters of
generated C. So short files are compiled as one, through a file that includes them. A file that
defines macros is compiled alone, because they would change the headers for those after it. So are
runtime files and grids of numbers, which several libraries may contain: they are linked once.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

_MACRO = re.compile(r"^\s*#\s*define\b", re.MULTILINE)
_INCLUDE = re.compile(r"^\s*#\s*include\s*[\"<]([^\">]+)[\">]", re.MULTILINE)
LONG = 30_000  # characters that take a compiler much longer than its start


def translation_units(
    sources: Mapping[str, str], side_by_side: int, spaces: Mapping[str, str] | None = None
) -> list[tuple[str, ...]]:
    """Names of sources in groups of about equal length, at least as many as compilers.

    A single compiler takes all at once; for several, long text is split further to balance them.

    Args:
        sources: file name → C text.
        side_by_side: number of parallel compilers.
        spaces: file name → name space; files of different ones are never compiled as one.
    """
    alone = [(n,) for n, text in sources.items() if n.startswith("il_") or _MACRO.search(text)]
    lengths: dict[str, dict[str, int]] = {}
    for name, text in sources.items():
        if (name,) not in alone:
            lengths.setdefault((spaces or {}).get(name, ""), {})[name] = len(text)
    idle = max(side_by_side - len(alone), 1)
    share = -(-idle // max(len(lengths), 1))  # groups of each name space, rounded up
    units: list[tuple[str, ...]] = [*alone]
    for of_space in lengths.values():
        pieces = sum(of_space.values()) // LONG if side_by_side > 1 else 1
        units += _balanced(of_space, min(len(of_space), max(share, pieces)))
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
