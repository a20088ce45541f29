"""Checks of mesh files before they are passed to a reader: sizes, counts, cycles."""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn
from xml.parsers import expat

from inloop.geometry.mesh import MOST_TRIANGLES

DEEPEST_NESTING = 100
MOST_ELEMENTS = 1_000_000
MOST_NODES = 20_000
STL_HEADER, STL_TRIANGLE = 84, 50  # bytes
GLB_JSON = 0x4E4F534A


class RefusedError(Exception):
    """The file is rejected before reading; `fix` says what to do."""

    def __init__(self, what: str, fix: str = "Get a new copy from its source.") -> None:
        super().__init__(what)
        self.fix = fix


def check_stl(data: bytes) -> float | None:
    """The length must match the header, or the file must be text."""
    if len(data) >= STL_HEADER:
        count = struct.unpack_from("<I", data, STL_HEADER - 4)[0]
        if len(data) == STL_HEADER + STL_TRIANGLE * count:
            _check_count(count)
            return None
        if not data.lstrip()[:5].lower() == b"solid":
            raise RefusedError(
                f"its header announces {count} triangles, {STL_HEADER + STL_TRIANGLE * count} "
                f"bytes, but it has {len(data)} bytes"
            )
    if data.lstrip()[:5].lower() != b"solid" or b"endsolid" not in data[-1000:]:
        raise RefusedError("it is truncated, or not an STL file")
    _check_count(data.count(b"vertex") // 3)
    return None


def check_obj(data: bytes) -> float | None:
    """The file must be text with vertices and faces."""
    if b"\0" in data:
        raise RefusedError("it is not text")
    _check_count(data.count(b"\nf "))
    if b"v " not in data or b"f " not in data:
        raise RefusedError("it has no vertices or no faces")
    return None


def check_glb(data: bytes) -> float | None:
    """The container must be complete; its JSON is checked like that of glTF."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise RefusedError("it is not a binary glTF file")
    _, version, total, length, kind = struct.unpack_from("<4sIIII", data)
    if version != 2 or total > len(data) or kind != GLB_JSON or 20 + length > len(data):
        raise RefusedError("its header does not match its length, or its version is not 2")
    return check_gltf(data[20 : 20 + length])


def check_gltf(data: bytes) -> float | None:
    """Counts must be plausible, and nodes a forest."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"its description is not JSON: {str(error)[:100]}") from None
    if not isinstance(tree, dict):
        raise RefusedError("its description is not a JSON object")
    counts = [_entry(a, "count") for a in _list(tree, "accessors")]
    if any(not 0 <= count <= 3 * MOST_TRIANGLES for count in counts):
        raise RefusedError(f"an accessor counts {max(counts, key=abs)} elements")
    nodes = _list(tree, "nodes")
    children = {k: [c for c in _list(node, "children") if isinstance(c, int)]
                for k, node in enumerate(nodes)}  # fmt: skip
    parents = Counter(c for some in children.values() for c in some)
    if any(count > 1 for count in parents.values()):
        raise RefusedError("a node has two parents")
    _expanded(children, {k: 1 for k in children})
    uses = Counter(node.get("mesh") for node in nodes if isinstance(node.get("mesh"), int))
    meshes = _list(tree, "meshes")
    total = 0
    for k, mesh in enumerate(meshes):
        for part in _list(mesh, "primitives"):
            where = part.get("indices", _entry(part, "attributes", {}).get("POSITION"))
            if isinstance(where, int) and 0 <= where < len(counts):
                total += uses[k] * counts[where] // 3
    _check_count(total)
    return None


class _ColladaScan:
    """Scans a Collada file once, for hazards and for its unit."""

    def __init__(self) -> None:
        self.unit: float | None = None
        self._depth = self._count = 0
        self._nodes: list[str] = []
        self._refers: dict[str, list[str]] = {"": []}
        self._uses: Counter[str] = Counter()
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        # without a document type there are no entities: no expansion, no external files
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse

    def _refuse(self, *declaration: object) -> NoReturn:
        raise RefusedError(
            f"line {self.parser.CurrentLineNumber} declares a document type or an entity",
            "Remove it: for safety, such files are not read.",
        )

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > DEEPEST_NESTING or self._count > MOST_ELEMENTS:
            raise RefusedError("it has too many elements, or they are nested too deeply")
        tag = tag.rpartition(":")[2]
        if self._count == 1 and tag != "COLLADA":
            raise RefusedError(f"its root element is <{tag[:40]}>, not <COLLADA>")
        inner = self._nodes[-1] if self._nodes else ""
        if tag == "unit" and "meter" in attributes:
            self._read_unit(attributes["meter"])
        elif tag == "node":
            name = attributes.get("id") or f" {self._count}"
            self._refers.setdefault(name, [])
            if self._nodes:
                self._refers[inner].append(name)
            self._nodes.append(name)
        elif tag == "instance_node":
            self._refers[inner].append(attributes.get("url", "").removeprefix("#"))
        elif tag in ("instance_geometry", "instance_controller"):
            self._uses[inner] += 1

    def _read_unit(self, text: str) -> None:
        try:
            self.unit = float(text)
        except ValueError:
            self.unit = 0.0
        if not 1e-9 <= self.unit <= 1e9:
            raise RefusedError(f"its unit is {text[:40]!a} m")

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag.rpartition(":")[2] == "node" and self._nodes:
            self._nodes.pop()

    def check_nodes(self) -> None:
        """No node may contain itself, and their expansion must stay bounded."""
        _expanded(self._refers, {name: self._uses[name] + 1 for name in self._refers})


def check_collada(data: bytes) -> float | None:
    """No entities, bounded nesting, nodes without cycles; returns its unit [m]."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise RefusedError("it is not XML")  # compressed files are not supported
    scan = _ColladaScan()
    try:
        scan.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise RefusedError(
            f"not well-formed XML: {expat.ErrorString(error.code)} in line {error.lineno}"
        ) from None
    scan.check_nodes()
    return scan.unit


CHECKS: dict[str, Callable[[bytes], float | None]] = {
    "stl": check_stl,
    "obj": check_obj,
    "gltf": check_gltf,
    "glb": check_glb,
    "dae": check_collada,
}


def _check_count(count: int) -> None:
    if count > MOST_TRIANGLES:
        raise RefusedError(f"it has {count} triangles", f"Reduce them to at most {MOST_TRIANGLES}.")


def _expanded(children: Mapping[Any, Sequence[Any]], own: Mapping[Any, int]) -> None:
    """Reject cycles, and trees that become too large when expanded."""
    sizes: dict[Any, int] = {}
    for root in children:
        stack = [(root, False)]
        path: set[Any] = set()
        while stack:
            node, done = stack.pop()
            if done:
                path.discard(node)
                sizes[node] = own.get(node, 0) + sum(sizes.get(c, 0) for c in children[node])
                if sizes[node] > MOST_NODES:
                    raise RefusedError("its nodes are used too often")
            elif node in path:
                raise RefusedError(f"node {str(node)[:40]!a} contains itself")
            elif node not in sizes:
                path.add(node)
                stack.append((node, True))
                stack += [(c, False) for c in children[node] if c in children]


def _list(tree: Any, name: str) -> list[Any]:
    found = tree.get(name, []) if isinstance(tree, dict) else []
    if not isinstance(found, list) or len(found) > MOST_NODES:
        raise RefusedError(f"{name!a} is not a list, or is too long")
    if name != "children" and not all(isinstance(x, dict) for x in found):
        raise RefusedError(f"{name!a} has entries that are not objects")
    return found


def _entry(tree: Mapping[str, Any], name: str, default: Any = 0) -> Any:
    found = tree.get(name, default)
    if not isinstance(found, type(default)):
        raise RefusedError(f"{name!a} is {str(found)[:40]!a}")
    return found
