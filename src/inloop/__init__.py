"""inloop: a mechanism you can touch.

Describe a multibody mechanism, derive compact symbolic equations of motion, compile them to
native code, run them.
"""

from inloop import control, devices, realtime
from inloop.api import Model, Plant, compile_mechanism, load, piecewise, run
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
from inloop.joints import WRITTEN
from inloop.model import (
    FlexibleLinkHandle,
    Handle,
    Mechanism,
    Shape,
    axis_angle,
    ball,
    circle,
    coulomb_contact,
    cylinder,
    cylindrical,
    felt,
    fixed,
    free,
    hunt_crossley,
    lugre_contact,
    planar,
    plane,
    point,
    power_law,
    prismatic,
    revolute,
    rim,
    rpy,
    segment,
    sphere,
    universal,
)
from inloop.native import include_dir
from inloop.realtime import ScriptedClock, attach, start
from inloop.simulate import ManyResult, Result, blank_figure
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
    "BuildError", "ExpressionError", "FileFormatError", "FlexibleLinkHandle", "Handle",
    "InloopError", "InputError", "LinkError",
    "MailboxError", "ManyResult", "Mechanism", "Model", "ModelError", "Plant", "Result",
    "ScriptedClock", "Shape",
    "SimulationError", "absolute", "acos", "asin", "atan", "atan2", "attach", "axis_angle", "ball",
    "blank_figure", "circle", "compile_mechanism", "condense", "control", "cos", "coulomb_contact",
    "cylinder", "cylindrical", "devices", "exp", "felt", "fixed", "free", "hunt_crossley",
    "include_dir", "load", "log", "lugre_contact", "max0", "maximum", "minimum", "piecewise",
    "planar", "plane", "point", "power", "power_law", "prismatic", "realtime", "revolute", "rim",
    "rpy", "run", "segment", "sign", "sin", "sphere", "sqrt", "start", "table", "tan", "tanh",
    "universal", "where",
]  # fmt: skip

# joints of every kind that there is a file for: type checkers find those that are imported above
globals().update(WRITTEN)
__all__ += [name for name in WRITTEN if name not in __all__]
