"""inloop: a mechanism you can touch.

Describe a multibody mechanism, derive compact symbolic equations of motion, compile them to
native code, run them.
"""

from inloop.api import Model, Plant, compile_mechanism, load, piecewise
from inloop.errors import (
    BuildError,
    ExpressionError,
    FileFormatError,
    InloopError,
    InputError,
    ModelError,
    SimulationError,
)
from inloop.model import (
    Mechanism,
    axis_angle,
    ball,
    cylindrical,
    fixed,
    free,
    planar,
    prismatic,
    revolute,
    rpy,
    universal,
)
from inloop.simulate import Result
from inloop.symbolic import condense
from inloop.symbolic.functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    exp,
    log,
    max0,
    maximum,
    minimum,
    power,
    sign,
    sin,
    sqrt,
    table,
    tan,
    tanh,
    where,
)

__version__ = "0.1.0"

__all__ = [
    "BuildError", "ExpressionError", "FileFormatError", "InloopError", "InputError",
    "Mechanism", "Model", "ModelError", "Plant", "Result", "SimulationError", "absolute",
    "acos", "asin", "atan", "atan2", "axis_angle", "ball", "compile_mechanism", "condense",
    "cos", "cylindrical", "exp", "fixed", "free", "load", "log", "max0", "maximum", "minimum",
    "piecewise", "planar", "power", "prismatic", "revolute", "rpy", "sign", "sin", "sqrt",
    "table", "tan", "tanh", "universal", "where",
]  # fmt: skip
