"""inloop: a mechanism you can touch.

Describe a multibody mechanism, derive compact symbolic equations of motion, compile them to
native code, run them.
"""

from inloop.api import Model, Plant, compile_mechanism, load
from inloop.errors import (
    BuildError,
    ExpressionError,
    FileFormatError,
    InloopError,
    InputError,
    LinkError,
    MailboxError,
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
from inloop.native import include_dir
from inloop.realtime import attach, run, start
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
    "BuildError", "ExpressionError", "FileFormatError", "InloopError", "InputError", "LinkError",
    "MailboxError", "Mechanism", "Model", "ModelError", "Plant", "Result", "SimulationError",
    "absolute", "acos", "asin", "atan", "atan2", "attach", "axis_angle", "ball",
    "compile_mechanism", "condense",
    "cos", "cylindrical", "exp", "fixed", "free", "include_dir", "load", "log", "max0", "maximum",
    "minimum", "planar", "power", "prismatic", "revolute", "rpy", "run", "sign", "sin",
    "sqrt", "start", "table", "tan", "tanh", "universal", "where",
]  # fmt: skip
