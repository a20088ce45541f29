"""Scalar expression graphs, programs and passes. Knows no mechanics."""

from inloop.symbolic import functions
from inloop.symbolic.alike import Alike, align
from inloop.symbolic.derivatives import directional, forward, gradient, jacobian
from inloop.symbolic.expression import Expr, Scalar
from inloop.symbolic.graph import Graph, reachable, rebuild
from inloop.symbolic.hoist import hoist
from inloop.symbolic.interpreter import NUMPY, Arithmetic, evaluate, interpret
from inloop.symbolic.program import Input, Output, Program, Solved, count_operations, solved
from inloop.symbolic.text import Notation, to_text
from inloop.symbolic.trigonometry import condense

__all__ = [
    "NUMPY",
    "Alike",
    "Arithmetic",
    "Expr",
    "Graph",
    "Input",
    "Notation",
    "Output",
    "Program",
    "Scalar",
    "Solved",
    "align",
    "condense",
    "count_operations",
    "directional",
    "evaluate",
    "forward",
    "functions",
    "gradient",
    "hoist",
    "interpret",
    "jacobian",
    "reachable",
    "rebuild",
    "solved",
    "to_text",
]
