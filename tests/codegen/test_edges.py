"""Programs at the edges of what a back end expects, in every language."""

from __future__ import annotations

import keyword

import numpy as np
import pytest

from inloop.codegen import matlab, python
from inloop.symbolic import Expr, Graph, Input, Output, Program
from inloop.symbolic import functions as f

Case = tuple[Program, dict[str, np.ndarray]]
X = np.array(
    [[0.7, -1.3, 2.9], [-0.2, 0.45, -3.1], [1.1, 1.2, 1.3], [-2.0, 0.6, 0.1], [3.0, -4.0, 5]]
)

# words that mean something in C, Python, MATLAB or in the generated text itself
WORDS = [
    *keyword.kwlist,
    *"""
    auto case const double enum extern float inline int register restrict signed struct switch
    typedef union unsigned void volatile real il_bits IL_LANES IL_SPLAT NAN INFINITY asm linux unix
    near far INT64_MAX y0 j1 gamma fabs memcpy end endif endfunction elseif classdef otherwise
    parfor persistent spmd until catch do methods events properties enumeration arguments
    unwind_protect end_try_catch function sin cos tan asin acos atan atan2 sqrt exp log tanh power
    abs sign min max zeros np pi eps inf NaN Inf e i j I J ans isnan isreal find il_where il_table1
    il_real il_sincos angle sine cosine shared nothing main t t1 t2 S_1 C_1 q y
    """.split(),  # noqa: SIM905
]


def inputs_of(graph: Graph) -> tuple[Input, Expr, Expr, Expr]:
    block = Input("q", tuple(graph.symbol(f"q.{name}") for name in "abc"))
    return block, *block.symbols


def no_inputs() -> Case:
    graph = Graph()
    exprs = [graph.constant(2.5), graph.constant(-1e-7), graph.zero]
    return Program("no_inputs", (), (Output.vector("y", exprs),)), {}


def empty_blocks() -> Case:
    graph = Graph()
    q, a, b, _ = inputs_of(graph)
    outputs = (Output.vector("nothing_here", []), Output.vector("y", [a * b]))
    program = Program("empty_blocks", (Input("u", ()), q, Input("w", ())), outputs)
    return program, {"u": np.zeros((5, 0)), "q": X, "w": np.zeros((5, 0))}


def empty_matrices() -> Case:
    graph = Graph()
    q, a, _, _ = inputs_of(graph)
    outputs = (Output("J", (), (0, 3)), Output("K", (), (3, 0)), Output("one", (a,), ()))
    return Program("empty_matrices", (q,), outputs), {"q": X}


def plain_outputs() -> Case:
    """Constants, inputs, negated inputs, and the same expression many times."""
    graph = Graph()
    q, a, b, c = inputs_of(graph)
    shared = a * b + c
    exprs = [graph.constant(-3.25), c, -b, shared, -shared, shared, graph.constant(1e22), a]
    outputs = (Output.vector("y", exprs), Output.matrix("M", [[shared, a], [-shared, b]]))
    return Program("plain_outputs", (q,), outputs), {"q": X}


def constants() -> Case:
    """Signs and exponents of numbers."""
    graph = Graph()
    q, a, b, _ = inputs_of(graph)
    values = [-0.0, -2.0, 1e-300, -1e-17, 1e22, 123456789012345680.0, 5e-324, 1 / 3, -1e-5]
    exprs = [function for v in values for function in (a + v, a - v, a * v, v - a)]
    exprs += [v / b for v in values] + [f.where(a < b, v, -v * a) for v in values]
    exprs += [-(a + b), a - (-b), (-a) * (-b), -(a / b), a / (-b), -a - b, -2.0 * (a - b)]
    return Program("constants", (q,), (Output.vector("y", exprs),)), {"q": X}


def grouping() -> Case:
    """Every nesting of two arithmetic operations."""
    graph = Graph()
    q, a, b, c = inputs_of(graph)
    operations = [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
    ]
    exprs = []
    for outer in operations:
        for inner in operations:
            exprs += [outer(inner(a, b), c), outer(a, inner(b, c)), outer(-inner(a, b), -c)]
    return Program("grouping", (q,), (Output.vector("y", exprs),)), {"q": X}


def many_dimensions() -> Case:
    graph = Graph()
    q, a, b, c = inputs_of(graph)
    exprs = tuple(a * k + b * (k % 7) - c for k in range(24))
    outputs = (Output("T", exprs, (2, 3, 4)), Output("W", exprs[:6], (2, 3)), Output("s", (a,), ()))
    return Program("many_dimensions", (q,), outputs), {"q": X}


def words() -> Case:
    """Inputs and intermediates that are named like words of the languages."""
    graph = Graph()
    names = list(dict.fromkeys(WORDS))
    block = Input("q", tuple(graph.symbol(f"q.{name}") for name in names))
    exprs = [f.sin(s) * f.absolute(s) for s in block.symbols]
    exprs[::9] = [e * f.exp(-e) for e in exprs[::9]]
    labeled = [
        graph.label(e * e + s, n) for e, s, n in zip(exprs, block.symbols, names, strict=True)
    ]
    total = graph.zero
    for k, item in enumerate(labeled):
        total = f.where(item < total, f.maximum(total, item), total - (k + 0.5) * item)
    outputs = (Output.vector("y", [*labeled, total]),)
    values = np.random.default_rng(3).uniform(-1, 1, (5, len(names)))
    return Program("words", (block,), outputs), {"q": values}


def long_names() -> Case:
    graph = Graph()
    stem = "the_left_front_suspension_upper_wishbone_rear_bushing_" + "x" * 40
    block = Input("q", tuple(graph.symbol(f"q.{stem}{k}") for k in range(3)))
    a, b, c = block.symbols
    first, second = graph.label(a * b + c, f"{stem}_A"), graph.label(a * c - b, f"{stem}_B")
    outputs = (Output.vector("y", [first * second, first + second, f.sin(a) * first, a, b, c]),)
    return Program("long_names", (block,), outputs), {"q": X}


def strange_names() -> Case:
    """Names that are no identifiers, and names that become equal when they are made valid."""
    graph = Graph()
    names = ["a-b", "a b", "a_b", "_a_b_", "1st", "", "é", "x", "x_2", "a.b", "__", "T", "t"]
    block = Input("q", tuple(graph.symbol(f"q.{name}") for name in names))
    exprs = [
        graph.label(s * s + k, n) for k, (s, n) in enumerate(zip(block.symbols, names, strict=True))
    ]
    outputs = (Output.vector("y", [*exprs, exprs[0] * exprs[1]]),)
    values = np.random.default_rng(4).uniform(-1, 1, (5, len(names)))
    return Program("strange_names", (block,), outputs), {"q": values}


def documents() -> Case:
    """Texts of a user that look like the end of a comment or of a string."""
    graph = Graph()
    text = 'Ends */ here /* and """there""" \\ \\n \'\'\' %} { ??/ ... µ π² ' * 4
    graph.section = "body 1"
    q, a, b, c = inputs_of(graph)
    q = Input("q", q.symbols, "two\nlines */ \\")
    y = Output.vector("y", [graph.label(a * b + c, "n") * a, f.sin(a * b)], 'ends in """ and\n"')
    return Program("documents", (q,), (y,), text, 'by "hand"\\\n*/'), {"q": X}


def no_outputs() -> Case:
    graph = Graph()
    q, *_ = inputs_of(graph)
    return Program("no_outputs", (q,), ()), {"q": X}


EDGES = [
    no_inputs, empty_blocks, empty_matrices, plain_outputs, constants, grouping, many_dimensions,
    words, long_names, strange_names, documents, no_outputs,
]  # fmt: skip


@pytest.mark.parametrize("make", EDGES)
def test_python(interpreter, python_text, make) -> None:
    case = make()
    [got], [want] = python_text([case]), interpreter([case])
    assert got.keys() == want.keys()
    for name, expected in want.items():
        assert got[name].shape == expected.shape
        np.testing.assert_array_equal(got[name], expected)


@pytest.mark.thinned(4)
def test_compiled(interpreter, compiled, agree) -> None:
    """All in one library."""
    cases = [make() for make in EDGES]
    wanted = interpreter(cases)
    # without inputs the interpreter knows of one state, the driver of rows
    wanted[0] = {name: array[None] for name, array in wanted[0].items()}
    agree(compiled(cases), wanted)


def test_octave(interpreter, octave, agree) -> None:
    cases = [make() for make in EDGES if make is not no_inputs]
    agree(octave(cases), interpreter(cases))
    [got], [want] = octave([no_inputs()]), interpreter([no_inputs()])
    np.testing.assert_array_equal(got["y"][0], want["y"])


def nan_case(*, power: bool = True) -> Case:
    """What has no real value, and NaN and infinity that come in."""
    graph = Graph()
    q, a, b, c = inputs_of(graph)
    exprs = [f.sqrt(a), f.log(a), f.asin(a), f.acos(a), a / b, 1.0 / b, f.atan2(a, b)]
    exprs += [f.power(a, b)] if power else []
    exprs += [f.minimum(a, b), f.maximum(a, b), f.minimum(b, c), f.maximum(b, c), f.max0(a)]
    exprs += [a < b, b <= a, f.where(a, b, c), f.sign(a), f.absolute(a), f.sin(a), f.cos(b)]
    exprs += [f.where(a > 0.0, f.sqrt(a), b), f.table(a, [0, 1, 2], [1, 3, 2.0]), f.tanh(a)]
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, -2.5, 1.5]
    values = np.array([[x, y, 0.5] for x in special for y in special])
    return Program("nan", (q,), (Output.vector("y", exprs),)), {"q": values}


def test_nan_in_python(interpreter, python_text) -> None:
    case = nan_case()
    [got], [want] = python_text([case]), interpreter([case])
    np.testing.assert_array_equal(got["y"], want["y"])


def test_nan_in_c(interpreter, compiled, agree) -> None:
    agree(compiled([nan_case()]), interpreter([nan_case()]))


def test_nan_in_octave(interpreter, octave, agree) -> None:
    # powers of negative numbers with infinite exponents are complex there and NaN in our text
    case = nan_case(power=False)
    agree(octave([case]), interpreter([case]))


def test_one_state_and_many_states_in_python() -> None:
    program, inputs = many_dimensions()
    function = python.load_module(python.emit_module([program], "m", []))["m_many_dimensions"]
    many, one = function(inputs["q"]), function(inputs["q"][2])
    assert [array.shape for array in one] == [(2, 3, 4), (2, 3), ()]
    assert [array.shape for array in many] == [(5, 2, 3, 4), (5, 2, 3), (5,)]
    for a, b in zip(many, one, strict=True):
        np.testing.assert_array_equal(a[2], b)


def test_text_is_not_too_wide() -> None:
    programs = [make()[0] for make in (constants, grouping, strange_names, plain_outputs)]
    texts = matlab.emit_files(programs, "gen", ["header"]).values()
    for text in (*texts, python.emit_module(programs, "gen", ["header"])):
        assert max(map(len, text.splitlines())) <= 100


def test_python_module_stands_alone() -> None:
    text = python.emit_module([many_dimensions()[0]], "gen", ["one", "two"])
    assert text.startswith("# one\n# two\nimport numpy as np\n")
    assert "inloop" not in text
    assert "_lookup" not in text


def test_names_fit_into_matlab(octave) -> None:
    text = matlab.emit_function(long_names()[0], "gen")
    names = [line.split(" = ")[0].strip() for line in text.splitlines() if " = " in line]
    assert names and max(map(len, names)) <= matlab.LONGEST_NAME
