"""The worst case of the stack, from call graphs and texts that are known by hand."""

from __future__ import annotations

import pytest

import inloop as il
from inloop.io.boards.stack import OTHER_FRAME, Pointers, deepest, read_call_graphs

SOURCE = """typedef int (*law)(double, const double *);
struct table { law force; law watch; int (*other)(int); };
static int weak(double t, const double *x) { return 0; }
int strong(double t, const double *x) { return weak(t, x); }
int looks(double t, const double *x) { return 1; }
int another(int k) { return k; }
int run(struct table *it, const double *x)
{
    return it->force(0.5, x);
}
void fill(struct table *it) { it->force = strong; it->watch = looks; it->other = another; }
"""
GRAPH = """graph: { title: "a.c"
node: { title: "a.c:weak" label: "weak\\na.c:3:12\\n40 bytes (static)" }
node: { title: "strong" label: "strong\\na.c:4:5\\n100 bytes (static)" }
node: { title: "looks" label: "looks\\na.c:5:5\\n5000 bytes (static)" }
node: { title: "another" label: "another\\na.c:6:5\\n7000 bytes (static)" }
node: { title: "run" label: "run\\na.c:7:5\\n16 bytes (static)" }
node: { title: "fill" label: "fill\\na.c:11:6\\n8 bytes (static)" }
edge: { sourcename: "strong" targetname: "a.c:weak" label: "a.c:4:55" }
edge: { sourcename: "run" targetname: "__indirect_call" label: "a.c:9:12" }
edge: { sourcename: "fill" targetname: "memcpy" }
}"""


def test_pointers_reach_what_was_put_into_their_member() -> None:
    graph, pointers = read_call_graphs([GRAPH]), Pointers({"a.c": SOURCE})
    assert pointers.reached(("a.c", 9, 12)) == {"strong"}
    assert deepest(graph, pointers, ["run"]) == 16 + 100 + 40
    assert deepest(graph, pointers, ["fill", "run"]) == 8 + OTHER_FRAME


def test_circles_and_stacks_of_any_size_are_told() -> None:
    circle = GRAPH.replace("memcpy", "fill")
    with pytest.raises(il.BuildError, match="fill → fill"):
        deepest(read_call_graphs([circle]), Pointers({"a.c": SOURCE}), ["fill"])
    with pytest.raises(il.BuildError, match="run"):
        read_call_graphs([GRAPH.replace("16 bytes (static)", "16 bytes (dynamic)")])


def test_a_pointer_of_unknown_type_is_told() -> None:
    hidden = SOURCE.replace("it->force(0.5, x)", "it->secret(0.5, x)")
    with pytest.raises(il.BuildError, match="secret"):
        deepest(read_call_graphs([GRAPH]), Pointers({"a.c": hidden}), ["run"])
