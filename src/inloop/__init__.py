"""inloop: a mechanism you can touch.

Describe a multibody mechanism, derive compact symbolic equations of motion, compile them to
native code, run them.
"""

from inloop import control, devices, geometry, realtime
from inloop.analysis import Eigenmodes, EnergyAudit, Equilibrium, InverseRun, Linear, Sweep
from inloop.api import Model, Plant, compile_mechanism, load, piecewise, read, run, show
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
from inloop.geometry import (
    MassProperties,
    Mesh,
    Shape,
    Visual,
    box,
    capsule,
    circle,
    cone,
    convex_hull,
    cylinder,
    disc,
    heightfield,
    lathe,
    line,
    loft,
    mesh,
    plane,
    plate,
    point,
    rim,
    rod,
    segment,
    sphere,
    torus,
    tube,
    visual,
)
from inloop.joints import written
from inloop.joints.written import *  # noqa: F403  its stub names all
from inloop.model import (
    AtLeastOne,
    FlexibleLinkHandle,
    FrictionLaw,
    Handle,
    Mechanism,
    NormalLaw,
    NotNegative,
    Positive,
    Share,
    axis_angle,
    coulomb_contact,
    cylindrical,
    felt,
    free,
    hunt_crossley,
    lugre_contact,
    planar,
    power_law,
    rpy,
    universal,
)
from inloop.model import sensors as sensors
from inloop.native import include_dir
from inloop.pictures.result import Result
from inloop.realtime import (
    Loop,
    Mailbox,
    Recording,
    Report,
    ScriptedClock,
    attach,
    record,
    replay,
    running,
    start,
)
from inloop.simulate import EventRecord, ManyResult, Stepper, blank_figure
from inloop.symbolic import Expr, condense
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
    "AtLeastOne", "BuildError", "Eigenmodes", "EnergyAudit", "Equilibrium", "EventRecord", "Expr",
    "ExpressionError", "FileFormatError", "FlexibleLinkHandle", "FrictionLaw", "Handle",
    "InloopError", "InputError", "InverseRun", "Linear", "LinkError", "Loop", "Mailbox",
    "MailboxError", "ManyResult", "MassProperties", "Mechanism", "Mesh", "Model", "ModelError",
    "NormalLaw", "NotNegative", "Plant", "Positive", "Recording", "Report", "Result",
    "ScriptedClock", "Shape", "Share", "SimulationError", "Stepper", "Sweep", "Visual", "absolute",
    "acos", "asin", "atan", "atan2", "attach", "axis_angle", "blank_figure", "box", "capsule",
    "circle", "compile_mechanism", "condense", "cone", "control", "convex_hull", "cos",
    "coulomb_contact", "cylinder", "cylindrical", "devices", "disc", "exp", "felt", "free",
    "geometry", "heightfield", "hunt_crossley", "include_dir", "lathe", "line", "load", "loft",
    "log", "lugre_contact", "max0", "maximum", "mesh", "minimum", "piecewise", "planar", "plane",
    "plate", "point", "power", "power_law", "read", "realtime", "record", "replay", "rim", "rod",
    "rpy", "run", "running", "segment", "sensors", "show", "sign", "sin", "sphere", "sqrt", "start",
    "table", "tan",
    "tanh", "torus", "tube", "universal", "visual", "where",
]  # fmt: skip

# joints of every kind that there is a file for
__all__ += written.__all__
