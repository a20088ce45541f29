"""Worst-case stack depth: the deepest path through the call graph.

The compiler reports the frame size and the callees of each function (`-fcallgraph-info=su`). A
call through a pointer may reach every function of its type whose address is taken; a function
that is only assigned to struct members is reached through members of these names only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from inloop.errors import BuildError

# assumed frames of C library functions [bytes]: those of math.h, and others
MATH_FRAME, OTHER_FRAME = 1024, 256
_MATH = re.compile(r"(a?sin|a?cos|a?tan|atan2|exp|log|pow|tanh|fmod|hypot)f?$")

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]+)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"(?: label: "([^"]+)")?')
_FRAME = re.compile(r"(\d+) bytes \((\w[\w,]*)\)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DEFINITION = re.compile(r"^((?:[A-Za-z_][\w]*[ *]+)+)(\w+)\(([^;{}]*?)\)\s*\{", re.MULTILINE)
_POINTER = re.compile(r"([A-Za-z_][\w ]*?[ *]+)\(\*(?:const )?(\w+)\)\(((?:[^()]|\([^()]*\))*)\)")
_CALLED = re.compile(r"(\w+)\)?(?:\[[^\]]*\])?\s*\(")
_NAMED = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*\()")
_PUT_INTO = re.compile(r"(\w+)\s*=[^=,;{}]*$")
_BEFORE = 200  # characters of a statement before a name
INDIRECT = "__indirect_call"


@dataclass
class CallGraph:
    """Functions with their stack frames and callees.

    Attributes:
        frames: bytes by function, without functions of the C library.
        calls: by function, its direct callees.
        places: by function, its calls through pointers: file, line, column.
    """

    frames: dict[str, int] = field(default_factory=dict)
    calls: dict[str, set[str]] = field(default_factory=dict)
    places: dict[str, set[tuple[str, int, int]]] = field(default_factory=dict)


def read_call_graphs(texts: Iterable[str]) -> CallGraph:
    """Merge the call graphs that the compiler wrote for each object file.

    Raises:
        BuildError: a function has a stack frame of variable size.
    """
    graph = CallGraph()
    for text in texts:
        for title, label in _NODE.findall(text):
            if frame := _FRAME.search(label):
                if "dynamic" in frame[2] and "bounded" not in frame[2]:
                    raise BuildError(f"the stack of {title} depends on its arguments")
                graph.frames[title] = int(frame[1])
        for source, target, label in _EDGE.findall(text):
            if target == INDIRECT:
                file, line, column = label.rsplit(":", 2)
                place = (file.rsplit("/", 1)[-1], int(line), int(column))
                graph.places.setdefault(source, set()).add(place)
            else:
                graph.calls.setdefault(source, set()).add(target)
    return graph


class Pointers:
    """Which functions a call through a pointer can reach, from the text of the sources."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._lines = {name: text.splitlines() for name, text in sources.items()}
        texts = {name: _COMMENT.sub("", text) for name, text in sources.items()}
        self._types = _pointer_types(texts.values())
        self._taken = _taken_addresses(texts)

    def reached(self, place: tuple[str, int, int]) -> set[str]:
        """Functions that the call at a source position may reach."""
        file, line, column = place
        text = "\n".join([self._lines[file][line - 1][column - 1 :], *self._lines[file][line:]])
        called = _CALLED.search(text)
        if called is None:
            raise BuildError(f"the call at {file}:{line}:{column} cannot be read")
        name, count = called[1], _arguments(text[called.end() :])
        types = {each for each in self._types.get(name, ()) if each.count(",") + 1 == count}
        if not types:
            raise BuildError(f"it is not known what {name}(…) calls at {file}:{line}")
        return {
            function
            for function, taken in self._taken.items()
            if taken.signature in types and (not taken.members or name in taken.members)
        }


@dataclass
class _Taken:
    """A function whose address is taken: its type, and the members it is assigned to."""

    signature: str
    members: set[str]


def _arguments(text: str) -> int:
    """Number of arguments of a call, from the text after its opening parenthesis."""
    depth, count = 1, 1
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return count
        count += depth == 1 and letter == ","
    raise BuildError("a call in the sources does not end")


def _signature(result: str, parameters: str) -> str:
    """The type of a function, without parameter names."""
    kinds = []
    for parameter in parameters.split(","):
        text = re.sub(r"\b(restrict|const)\b", "", parameter).strip()
        text = re.sub(r"\breal\b", "double", re.sub(r"\bfloat\b", "double", text))
        text = re.sub(r"^struct ", "", text)
        words = re.match(r"(\w+)\s*(\**)", text)
        kinds.append(f"{words[1]}{words[2]}" if words else text)
    result = re.sub(r"\b(static|inline|const|IL_\w+|extern|struct)\b", "", result)
    return f"{''.join(result.split())}({','.join(kinds)})"


def _pointer_types(texts: Iterable[str]) -> dict[str, set[str]]:
    """Function types by name of pointer: typedefs, members, parameters."""
    types: dict[str, set[str]] = {}
    all_texts = list(texts)
    for text in all_texts:
        for result, name, parameters in _POINTER.findall(text):
            result = result.replace("typedef", "")
            types.setdefault(name, set()).add(_signature(result, parameters))
    named = dict(types)
    for text in all_texts:
        # members, parameters and variables of such a type
        for kind in set(re.findall(r"\b\w+\b", text)) & named.keys():
            for name in re.findall(rf"\b{kind} \*?(?:const )?(\w+)", text):
                types.setdefault(name, set()).update(named[kind])
            for names in re.findall(rf"^\s*(?:const )?{kind} ([\w, *]+);", text, re.MULTILINE):
                for name in re.findall(r"\w+", names):
                    types.setdefault(name, set()).update(named[kind])
    return types


def _taken_addresses(texts: Mapping[str, str]) -> dict[str, _Taken]:
    """Functions whose address is taken, by their name in call graphs."""
    signatures: dict[str, tuple[str, str]] = {}
    for file, text in texts.items():
        for result, name, parameters in _DEFINITION.findall(text):
            title = f"{file}:{name}" if "static" in result else name
            signatures[title] = (name, _signature(result, parameters))
    uses = _uses(texts, {name for name, _ in signatures.values()})
    taken: dict[str, _Taken] = {}
    for title, (name, signature) in signatures.items():
        inside = title.split(":")[0] if ":" in title else None  # for static functions: their file
        members = {member for where, member in uses.get(name, ()) if inside in (None, where)}
        if members:
            # "": assigned to something unnamed, so any member of the type may hold it
            taken[title] = _Taken(signature, set() if "" in members else members)
    return taken


def _uses(texts: Mapping[str, str], names: set[str]) -> dict[str, set[tuple[str, str]]]:
    """Where functions are named without a call: file, and the member they are assigned to."""
    uses: dict[str, set[tuple[str, str]]] = {}
    for file, text in texts.items():
        for use in _NAMED.finditer(text):
            if use[0] in names:
                member = _PUT_INTO.search(text[max(0, use.start() - _BEFORE) : use.start()])
                uses.setdefault(use[0], set()).add((file, member[1] if member else ""))
    return uses


def deepest(graph: CallGraph, pointers: Pointers, roots: Iterable[str]) -> int:
    """Maximum stack depth of calls of the roots [bytes].

    Raises:
        BuildError: the call graph has a cycle, so that there is no worst case.
    """
    known: dict[str, int] = {}
    reached = {place: pointers.reached(place) for each in graph.places.values() for place in each}

    def depth(function: str, way: tuple[str, ...]) -> int:
        if function in way:
            circle = " → ".join((*way[way.index(function) :], function))
            raise BuildError(f"the stack has no worst case: {circle}")
        if function not in known:
            if function not in graph.frames:
                return MATH_FRAME if _MATH.match(function) else OTHER_FRAME
            targets = set(graph.calls.get(function, ()))
            for place in graph.places.get(function, ()):
                targets |= reached[place]
            below = [depth(target, (*way, function)) for target in sorted(targets)]
            known[function] = graph.frames[function] + max(below, default=0)
        return known[function]

    return max(depth(root, ()) for root in roots)
