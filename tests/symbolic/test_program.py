"""Programs: counts, shapes, evaluation, hoisting, factoring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inloop.errors import InputError
from inloop.symbolic import (
    Expr,
    Graph,
    Input,
    Output,
    Program,
    count_operations,
    evaluate,
    hoist,
    interpret,
    reachable,
)
from inloop.symbolic.factor import factor, use_counts
from inloop.symbolic.functions import cos, exp, maximum, sin, sqrt, table, where

Symbols = tuple[Expr, Expr, Expr]
XYZ = (0.73, -1.31, 2.17)
PRS = (0.59, -1.83, 1.45)


def counted(**kinds: int) -> dict[str, int]:
    """A full table of counts from the kinds that occur."""
    zeros = {"mul": 0, "add": 0, "div": 0, "sincos": 0, "function": 0}
    return {**zeros, **kinds, "total": sum(kinds.values())}


def program_of(moving: Symbols, static: Symbols, *exprs: Expr) -> Program:
    inputs = (Input("q", moving), Input("par", static))
    return Program("step", inputs, (Output.vector("out", exprs),))


# counts


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (lambda x, y, z: [x], counted()),
        (lambda x, y, z: [x * y + z], counted(mul=1, add=1)),
        (lambda x, y, z: [-(x * y)], counted(mul=1, add=1)),
        (lambda x, y, z: [(x - y) / (x + z)], counted(add=2, div=1)),
        (lambda x, y, z: [x / 2.6], counted(mul=1)),
        (lambda x, y, z: [x**5], counted(mul=3)),
        (lambda x, y, z: [sin(x) * cos(x)], counted(mul=1, sincos=1)),
        (lambda x, y, z: [sin(x) + cos(y)], counted(add=1, sincos=2)),
        (lambda x, y, z: [sin(x + y), cos(x + y), sin(x)], counted(add=1, sincos=2)),
        (lambda x, y, z: [sqrt(x) + exp(y)], counted(add=1, function=2)),
        (lambda x, y, z: [where(x < y, x, z)], counted(function=2)),
        (
            lambda x, y, z: [maximum(x, abs(y)) + table(z, [0.3, 1.7], [1.1, 2.2])],
            counted(add=1, function=3),
        ),
        (lambda x, y, z: [x * y, x * y + z, sin(x * y)], counted(mul=1, add=1, sincos=1)),
    ],
)
def test_counts_by_hand(moving: Symbols, written: Any, expected: dict[str, int]) -> None:
    assert count_operations(written(*moving)) == expected


def test_dead_code_is_not_counted(moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    wanted = x * y
    sin(wanted) / (z + exp(x * z))
    program = program_of(moving, static, wanted)
    assert program.operations() == counted(mul=1)
    assert repr(program) == "Program step(q[3], par[3]) -> out[1]: 1 operations"


# shapes


def test_outputs_have_a_shape(moving: Symbols) -> None:
    x, y, z = moving
    assert Output.vector("tau", [x, y, z]).shape == (3,)
    matrix = Output.matrix("M", [[x, y, z], [z, x, y]])
    assert (matrix.shape, matrix.exprs) == ((2, 3), (x, y, z, z, x, y))
    assert Output.matrix("M", []).shape == (0, 0)
    with pytest.raises(AssertionError, match="output M: shape and size differ"):
        Output("M", (x, y, z), (2, 2))


def test_with_exprs_keeps_names_and_shapes(moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    outputs = (Output.matrix("M", [[x, y]], "inertia"), Output.vector("c", [z]))
    program = Program("crb", (Input("q", moving),), outputs, "doc", "composite bodies")
    other = program.with_exprs([y, z, x], (Input("qd", moving),))
    assert other.exprs == [y, z, x]
    assert [(o.name, o.shape, o.doc) for o in other.outputs] == [
        ("M", (1, 2), "inertia"),
        ("c", (1,), ""),
    ]
    assert [i.name for i in other.inputs] == ["qd"]
    assert (other.name, other.doc, other.formalism) == ("crb", "doc", "composite bodies")
    assert program.with_exprs([y, z, x]).inputs == program.inputs


def test_the_graph_of_a_program(graph: Graph, moving: Symbols) -> None:
    block = Input("q", moving)
    assert Program("f", (), (Output.vector("out", [moving[0]]),)).graph is graph
    assert Program("f", (block,), (Output.vector("out", []),)).graph is graph
    assert len(Program("f", (), ()).graph) == 2


# evaluation


@pytest.fixture
def example(moving: Symbols, static: Symbols) -> Program:
    x, y, z = moving
    p, r, s = static
    rows = [[p * x, r * y, x * z], [x - y, s / z, x * y * z]]
    outputs = (Output.matrix("M", rows), Output.vector("c", [sin(x) * r]), Output.vector("n", []))
    return Program("example", (Input("q", moving), Input("par", static)), outputs)


def by_hand(q: Any, par: Any) -> tuple[np.ndarray, np.ndarray]:
    (x, y, z), (p, r, s) = q, par
    return np.array([[p * x, r * y, x * z], [x - y, s / z, x * y * z]]), np.array([np.sin(x) * r])


def test_one_state(example: Program) -> None:
    result = interpret(example, q=XYZ, par=list(PRS))
    M, c = by_hand(XYZ, PRS)
    assert list(result) == ["M", "c", "n"]
    assert result["M"].shape == (2, 3)
    assert result["M"] == pytest.approx(M, rel=1e-15)
    assert result["c"] == pytest.approx(c, rel=1e-15)
    assert result["n"].shape == (0,)
    assert {array.dtype for array in result.values()} == {np.dtype(float)}


def test_many_states(example: Program) -> None:
    q = np.array([XYZ, (-0.41, 1.64, 0.28), (1.92, 0.57, -0.86), (0.12, -0.67, 1.38)])
    par = np.array([PRS, (1.2, 0.4, -0.7), (-0.9, 2.3, 0.8), (0.35, 1.1, -2.6)])
    both, shared = interpret(example, q=q, par=par), interpret(example, q=q, par=PRS)
    assert both["M"].shape == shared["M"].shape == (4, 2, 3)
    assert both["c"].shape == (4, 1)
    assert both["n"].shape == (4, 0)
    for k in range(4):
        assert both["M"][k] == pytest.approx(by_hand(q[k], par[k])[0], rel=1e-14)
        assert both["c"][k] == pytest.approx(by_hand(q[k], par[k])[1], rel=1e-14)
        assert shared["M"][k] == pytest.approx(by_hand(q[k], PRS)[0], rel=1e-14)


def test_constant_outputs_fill_the_batch(graph: Graph, moving: Symbols) -> None:
    outputs = (Output.vector("out", [graph.constant(2.6), moving[1]]),)
    result = interpret(Program("f", (Input("q", moving),), outputs), q=np.array([XYZ, XYZ[::-1]]))
    assert result["out"].tolist() == [[2.6, -1.31], [2.6, -1.31]]


def test_results_are_copies(moving: Symbols) -> None:
    q = np.array(XYZ)
    program = Program("f", (Input("q", moving),), (Output.vector("out", moving),))
    result = interpret(program, q=q)["out"]
    result[0] = 9.9
    assert q.tolist() == list(XYZ)
    assert interpret(program, q=q)["out"].tolist() == list(XYZ)


@pytest.mark.parametrize("shape", [(2,), (4,), (), (5, 2), (3, 4), (0,)])
def test_wrong_lengths_are_refused(example: Program, shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"input 'q' has shape \(.*\), needs 3 entries. The last"):
        interpret(example, q=np.full(shape, 0.73), par=PRS)


def test_too_many_axes_are_refused(example: Program) -> None:
    with pytest.raises(InputError, match="'q'"):
        interpret(example, q=np.full((2, 4, 3), 0.73), par=PRS)


def test_batches_of_different_length_are_refused(example: Program) -> None:
    with pytest.raises(InputError, match="'par'"):
        interpret(example, q=np.full((2, 3), 0.73), par=np.full((4, 3), 0.59))


def test_a_missing_input_is_named(example: Program) -> None:
    with pytest.raises(InputError, match="'par'"):
        interpret(example, q=XYZ)


def test_an_unknown_input_is_named(example: Program) -> None:
    with pytest.raises(InputError, match="'qd'"):
        interpret(example, q=XYZ, par=PRS, qd=XYZ)


# hoisting


def hoisted_result(programs: list[Program], parameters: Input, **inputs: Any) -> list[Any]:
    """Results by way of prepare, with parameters withheld from the steps."""
    prepare, steps = hoist(programs, parameters)
    pre = interpret(prepare, **{parameters.name: inputs[parameters.name]})["pre"]
    # where: a step that still read a parameter would return NaN
    hidden = {**inputs, parameters.name: np.full(len(parameters.symbols), np.nan)}
    return [interpret(step, pre=pre, **hidden) for step in steps]


def test_hoist_splits_a_program(moving: Symbols, static: Symbols) -> None:
    x, y, _ = moving
    p, r, s = static
    expr = (p * r + s) * x + sin(p) * y + x * y / r
    program = program_of(moving, static, expr, p * s)
    prepare, (step,) = hoist([program], program.inputs[1])
    assert prepare.inputs == (program.inputs[1],)
    # p*r + s, sin(p), 1/r and p*s
    assert set(prepare.exprs) == {p * r + s, sin(p), 1.0 / r, p * s}
    assert prepare.outputs[0].name == "pre"
    assert prepare.operations() == counted(mul=2, add=1, div=1, sincos=1)
    # three products with prepared factors, x*y, two sums; p*s is only copied
    assert step.operations() == counted(mul=4, add=2)
    assert [block.name for block in step.inputs] == ["pre", "q", "par"]
    (x0, y0, _), (p0, r0, s0) = XYZ, PRS
    expected = (p0 * r0 + s0) * x0 + np.sin(p0) * y0 + x0 * y0 / r0
    (result,) = hoisted_result([program], program.inputs[1], q=XYZ, par=PRS)
    assert result["out"] == pytest.approx([expected, p0 * s0], rel=1e-14)


def test_prepared_quantities_keep_their_names(
    graph: Graph, moving: Symbols, static: Symbols
) -> None:
    x, y, z = moving
    p, r, s = static
    graph.label(p * r, "inertia")
    graph.label(p * s, "inertia")
    graph.label(r * s, "inertia_2")
    graph.label(r - s, "k_7")
    exprs = [p * r * x, p * s * y, r * s * z, p * z, sin(r) * x, cos(s) * x, (r - s) * y]
    _, (step,) = hoist([program_of(moving, static, *exprs)], Input("par", static))
    names = {symbol.name for symbol in step.inputs[0].symbols}
    assert len(names) == len(step.inputs[0].symbols) == 7
    assert {"pre.inertia", "pre.inertia_2", "pre.p", "pre.k_7"} <= names


def test_programs_share_what_is_prepared(moving: Symbols, static: Symbols) -> None:
    x, y, _ = moving
    p, r, _ = static
    programs = [program_of(moving, static, p * r * x), program_of(moving, static, sin(p * r * y))]
    prepare, steps = hoist(programs, Input("par", static))
    assert prepare.exprs == [p * r]
    assert steps[0].inputs[0] == steps[1].inputs[0]
    (x0, y0, _), (p0, r0, _) = XYZ, PRS
    first, second = hoisted_result(programs, Input("par", static), q=XYZ, par=PRS)
    assert first["out"] == pytest.approx([p0 * r0 * x0], rel=1e-15)
    assert second["out"] == pytest.approx([np.sin(p0 * r0 * y0)], rel=1e-15)


def test_nothing_to_hoist(moving: Symbols) -> None:
    x, y, _ = moving
    program = Program("f", (Input("q", moving),), (Output.vector("out", [2.6 * x + y]),))
    prepare, (step,) = hoist([program], Input("par", ()))
    assert prepare.exprs == []
    assert step.exprs == program.exprs


@settings(max_examples=100)
@given(data=st.data())
def test_prepare_and_step_equal_the_program(
    data: st.DataObject, recipes: Any, points: Any, agree: Callable[..., None]
) -> None:
    recipe, point = data.draw(recipes), data.draw(points)
    bounds = recipe.bounds(point)[-3:]
    program = recipe.program()
    parameters = program.inputs[1]
    agree(interpret(program, q=point[:3], par=point[3:])["out"], bounds)
    (result,) = hoisted_result([program], parameters, q=point[:3], par=point[3:])
    agree(result["out"], bounds)
    prepare, (step,) = hoist([program], parameters)
    # nothing in the step depends on parameters, nothing in prepare on anything else
    assert all(node.is_constant for node in reachable(step.exprs) if node.static)
    assert all(node.static for node in reachable(prepare.exprs))
    assert not {node for node in reachable(step.exprs)} & set(parameters.symbols)
    names = [symbol.name for symbol in step.inputs[0].symbols]
    assert len(set(names)) == len(names) == len(prepare.exprs)


# factoring


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (lambda x, y, z: x * y + x * z, lambda x, y, z: x * (y + z)),
        (lambda x, y, z: y * x + z * x, lambda x, y, z: x * (y + z)),
        (lambda x, y, z: x * y - z * x, lambda x, y, z: x * (y - z)),
        (lambda x, y, z: z * x - y * x, lambda x, y, z: x * (z - y)),
        (lambda x, y, z: 2.6 * x + 2.6 * y, lambda x, y, z: 2.6 * (x + y)),
        (lambda x, y, z: 2.5 * x + 1.25 * x, lambda x, y, z: 3.75 * x),
    ],
)
def test_common_factors_are_taken_out(
    moving: Symbols, static: Symbols, written: Any, expected: Any
) -> None:
    expr = written(*moving)
    program = program_of(moving, static, expr)
    factored = factor(program)
    assert factored.exprs == [expected(*moving)]
    assert factored.operations()["total"] < program.operations()["total"]
    result = interpret(factored, q=XYZ, par=PRS)["out"]
    assert result == pytest.approx([written(*XYZ)], rel=1e-15)


def test_factors_are_taken_out_at_every_level(moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    p = static[0]
    # p*(x*y + x*z) - p*z = p*(x*(y + z) - z)
    program = program_of(moving, static, p * (x * y + x * z) - p * z)
    assert program.operations() == counted(mul=4, add=2)
    factored = factor(program)
    assert factored.operations() == counted(mul=2, add=2)
    (x0, y0, z0), p0 = XYZ, PRS[0]
    expected = p0 * (x0 * y0 + x0 * z0) - p0 * z0
    assert interpret(factored, q=XYZ, par=PRS)["out"] == pytest.approx([expected], rel=1e-14)


def test_products_needed_elsewhere_stay(moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    as_output = program_of(moving, static, x * y + x * z, x * y)
    assert factor(as_output).exprs == as_output.exprs
    as_argument = program_of(moving, static, x * y + x * z, sin(x * z))
    assert factor(as_argument).exprs == as_argument.exprs
    in_two_sums = program_of(moving, static, x * y + x * z, x * y - z * z)
    assert factor(in_two_sums).exprs == in_two_sums.exprs


@pytest.mark.parametrize("first", [True, False])
def test_products_needed_elsewhere_stay_beside_others(
    moving: Symbols, static: Symbols, first: bool
) -> None:
    x, y, z = moving
    kept = x * y + x * z
    shared = x * y if first else x * z
    program = program_of(moving, static, kept, sin(shared), exp(z) * x - exp(z) * y)
    assert factor(program).exprs == [kept, sin(shared), exp(z) * (x - y)]


def test_sums_without_a_common_factor_stay(moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    program = program_of(moving, static, x * y + z * z, x * y / z + x)
    assert factor(program).exprs == program.exprs


def test_factoring_hands_the_label_on(graph: Graph, moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    expr = graph.label(x * y + x * z, "force")
    (factored,) = factor(program_of(moving, static, expr)).exprs
    assert graph.labels[factored] == "force"


def test_factoring_leaves_the_section_of_the_graph(
    graph: Graph, moving: Symbols, static: Symbols
) -> None:
    x, y, z = moving
    graph.section = "body 1"
    program = program_of(moving, static, x * y + x * z)
    graph.section = "body 2"
    (factored,) = factor(program).exprs
    assert factored.section == "body 1"
    assert graph.section == "body 2"


def test_factoring_never_costs_when_the_reverse_difference_exists(
    moving: Symbols, static: Symbols
) -> None:
    x, y, z = moving
    _ = z - y  # where: so y - z is -(z - y)
    n = x * y - x * z
    program = program_of(moving, static, n - sin(x), n - sin(y), n - sin(z))
    assert factor(program).operations()["total"] <= program.operations()["total"]


def test_factoring_never_costs_with_parameters(moving: Symbols, static: Symbols) -> None:
    x, y, _ = moving
    p, r, s = static
    n = p * x + p * y
    program = program_of(moving, static, r * n, s * n, n)
    assert factor(program).operations()["total"] <= program.operations()["total"]


def test_use_counts(moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    product = x * y
    counts = use_counts(program_of(moving, static, product + z, sin(product), product))
    assert (counts[product], counts[x], counts[z], counts[sin(product)]) == (3, 1, 1, 1)


@settings(max_examples=200)
@given(data=st.data())
def test_factoring_keeps_values_and_saves_operations(
    data: st.DataObject, recipes: Any, points: Any, agree: Callable[..., None]
) -> None:
    recipe, point = data.draw(recipes), data.draw(points)
    bounds = recipe.bounds(point)[-3:]
    program = recipe.program()
    agree(interpret(factor(program), q=point[:3], par=point[3:])["out"], bounds)
    # where: parameters regroup on the way, so operations are compared in the step
    prepare, (step,) = hoist([program], program.inputs[1])
    factored = factor(step)
    assert factored.operations()["total"] <= step.operations()["total"]
    pre = interpret(prepare, par=point[3:])["pre"]
    agree(interpret(factored, pre=pre, q=point[:3], par=point[3:])["out"], bounds)


_sums = st.lists(
    st.tuples(st.sampled_from("+-"), st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=14
)


@settings(max_examples=100)
@given(steps=_sums, outputs=st.integers(1, 4))
def test_factoring_of_polynomials(steps: list[tuple[str, int, int]], outputs: int) -> None:
    """Sums of products of few symbols, where common factors abound."""
    factors_polynomials(steps, outputs)


@pytest.mark.long
@settings(max_examples=600)
@given(steps=_sums, outputs=st.integers(1, 4))
def test_factoring_of_polynomials_of_many(steps: list[tuple[str, int, int]], outputs: int) -> None:
    factors_polynomials(steps, outputs)


def factors_polynomials(steps: list[tuple[str, int, int]], outputs: int) -> None:
    graph = Graph()
    symbols = [graph.symbol(f"a{k}") for k in range(3)]

    def run(leaves: list[Any]) -> list[Any]:
        values = list(leaves)
        for sign, i, j in steps:
            a, b, c = values[-1 - i % len(values)], values[-1 - j % len(values)], values[i % 3]
            values.append(a * c + b * c if sign == "+" else b * a - c * a)
        return values[-outputs:]

    exprs = run(list(symbols))
    expected = run([0.73, -0.61, 0.47])
    assume(all(abs(v) < 1e3 for v in expected))
    program = Program("f", (Input("a", tuple(symbols)),), (Output.vector("out", exprs),))
    factored = factor(program)
    assert factored.operations()["total"] <= program.operations()["total"]
    result = interpret(factored, a=[0.73, -0.61, 0.47])["out"]
    assert result == pytest.approx(expected, rel=1e-10, abs=1e-12)
    (value,) = evaluate([factored.exprs[0]], dict(zip(symbols, (0.73, -0.61, 0.47), strict=True)))
    assert value == result[0]
