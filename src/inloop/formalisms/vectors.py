"""Vectors and symmetric tensors with symbolic components.

A `Vector` is (x, y, z); a `Tensor` is the symmetric (xx, yy, zz, xy, xz, yz).
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.symbolic import Expr, Graph

Vector = tuple[Expr, Expr, Expr]
Tensor = tuple[Expr, Expr, Expr, Expr, Expr, Expr]
Matrix = tuple[Vector, Vector, Vector]

AXES = ("x", "y", "z")
TENSOR_AXES = ("xx", "yy", "zz", "xy", "xz", "yz")


def as_vector(items: Sequence[Expr]) -> Vector:
    """Three expressions as a vector."""
    x, y, z = items
    return x, y, z


def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scale(k: Expr, a: Vector) -> Vector:
    """k a."""
    return k * a[0], k * a[1], k * a[2]


def dot(a: Vector, b: Vector) -> Expr:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return cross_entry(a, b, 0), cross_entry(a, b, 1), cross_entry(a, b, 2)


def cross_entry(a: Vector, b: Vector, k: int) -> Expr:
    """Component k of a × b."""
    i, j = (k + 1) % 3, (k + 2) % 3
    return a[i] * b[j] - a[j] * b[i]


def length(a: Vector) -> Expr:
    """|a|; its derivative at zero is taken as zero."""
    graph, square = a[0].graph, dot(a, a)
    some = graph.zero < square
    root = graph.call("sqrt", graph.call("where", some, square, graph.one))
    return graph.call("where", some, root, graph.zero)


def add_cross(v: Vector, a: Vector, b: Vector) -> Vector:
    """v + a × b, one component after the other."""
    x, y, z = (v[k] + cross_entry(a, b, k) for k in range(3))
    return x, y, z


def zero_vector(graph: Graph) -> Vector:
    """(0, 0, 0)."""
    return graph.zero, graph.zero, graph.zero


def zero_tensor(graph: Graph) -> Tensor:
    """The tensor of zeros."""
    z = graph.zero
    return z, z, z, z, z, z


def add_tensors(a: Tensor, b: Tensor) -> Tensor:
    """A + B."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


def tensor_times(t: Tensor, v: Vector) -> Vector:
    """T v."""
    xx, yy, zz, xy, xz, yz = t
    return (
        xx * v[0] + xy * v[1] + xz * v[2],
        xy * v[0] + yy * v[1] + yz * v[2],
        xz * v[0] + yz * v[1] + zz * v[2],
    )


def matrix_times(m: Matrix, v: Vector) -> Vector:
    """M v."""
    return dot(m[0], v), dot(m[1], v), dot(m[2], v)


def transpose(m: Matrix) -> Matrix:
    """Mᵀ."""
    return (
        (m[0][0], m[1][0], m[2][0]),
        (m[0][1], m[1][1], m[2][1]),
        (m[0][2], m[1][2], m[2][2]),
    )


def product(a: Matrix, b: Matrix) -> Matrix:
    """A B."""
    columns = [matrix_times(a, column) for column in transpose(b)]
    return transpose((columns[0], columns[1], columns[2]))


def label(graph: Graph, v: Vector, name: str) -> Vector:
    """Name the components `<name>_x`, `<name>_y`, `<name>_z` in generated code."""
    for component, axis in zip(v, AXES, strict=True):
        graph.label(component, f"{name}_{axis}")
    return v


def label_tensor(graph: Graph, t: Tensor, name: str) -> Tensor:
    """Name the components `<name>_xx`, … in generated code."""
    for component, axes in zip(t, TENSOR_AXES, strict=True):
        graph.label(component, f"{name}_{axes}")
    return t
