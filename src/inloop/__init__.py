"""inloop: a mechanism you can touch.

Describe a multibody mechanism, derive compact symbolic equations of motion, compile them to
native code, run them.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from inloop import designs, geometry, realtime
from inloop.analysis import (
    Eigenmodes,
    EnergyAudit,
    Equilibrium,
    InverseRun,
    Linear,
    SobolIndices,
    Sweep,
    sobol_indices,
)
from inloop.api import (
    Model,
    Plant,
    compile_mechanism,
    load,
    load_road,
    load_tyre,
    piecewise,
    read,
    run,
    show,
)
from inloop.errors import (
    BuildError,
    ExportWarning,
    ExpressionError,
    FileFormatError,
    InloopError,
    InputError,
    LinkError,
    MailboxError,
    ModelError,
    SimulationError,
    SolveError,
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
    terrain,
    torus,
    tube,
    visual,
)
from inloop.io.fmi import load_fmu
from inloop.joints import written
from inloop.joints.written import *  # noqa: F403  its stub names all
from inloop.linear import SolveReport, SparseLU
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
    c_controller,
    coulomb_contact,
    cylindrical,
    felt,
    free,
    gain,
    hard,
    hunt_crossley,
    lugre_contact,
    planar,
    power_law,
    rpy,
    universal,
)
from inloop.model import sensors as sensors
from inloop.model import tyres as tyres
from inloop.native import ContactSolution, include_dir, solve_contacts
from inloop.pictures.result import Result
from inloop.realtime import (
    Grip,
    Loop,
    Mailbox,
    Recording,
    Report,
    ScriptedClock,
    attach,
    observe,
    record,
    replay,
    running,
    start,
)
from inloop.simulate import EventRecord, ManyResult, Stepper, blank_figure, read_runs
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
    table2,
    tan,
    tanh,
    where,
)

if TYPE_CHECKING:
    from inloop import control, devices, gym, observers
    from inloop.analysis import identify
    from inloop.analysis.fitting import Fitted, ResidualError, fit
    from inloop.analysis.optimised import Optimised
    from inloop.analysis.optimising import optimise
    from inloop.observers import observer

__version__ = "0.1.0"

__all__ = [
    "AtLeastOne",
    "BuildError",
    "ContactSolution",
    "Eigenmodes",
    "EnergyAudit",
    "Equilibrium",
    "EventRecord",
    "ExportWarning",
    "Expr",
    "ExpressionError",
    "FileFormatError",
    "Fitted",
    "FlexibleLinkHandle",
    "FrictionLaw",
    "Grip",
    "Handle",
    "InloopError",
    "InputError",
    "InverseRun",
    "Linear",
    "LinkError",
    "Loop",
    "Mailbox",
    "MailboxError",
    "ManyResult",
    "MassProperties",
    "Mechanism",
    "Mesh",
    "Model",
    "ModelError",
    "NormalLaw",
    "NotNegative",
    "Optimised",
    "Plant",
    "Positive",
    "Recording",
    "Report",
    "ResidualError",
    "Result",
    "ScriptedClock",
    "Shape",
    "Share",
    "SimulationError",
    "SobolIndices",
    "SolveError",
    "SolveReport",
    "SparseLU",
    "Stepper",
    "Sweep",
    "Visual",
    "absolute",
    "acos",
    "asin",
    "atan",
    "atan2",
    "attach",
    "axis_angle",
    "blank_figure",
    "box",
    "c_controller",
    "capsule",
    "circle",
    "compile_mechanism",
    "condense",
    "cone",
    "control",
    "convex_hull",
    "cos",
    "coulomb_contact",
    "cylinder",
    "cylindrical",
    "designs",
    "devices",
    "disc",
    "exp",
    "felt",
    "fit",
    "free",
    "gain",
    "geometry",
    "gym",
    "hard",
    "heightfield",
    "hunt_crossley",
    "identify",
    "include_dir",
    "lathe",
    "line",
    "load",
    "load_fmu",
    "load_road",
    "load_tyre",
    "loft",
    "log",
    "lugre_contact",
    "max0",
    "maximum",
    "mesh",
    "minimum",
    "observe",
    "observer",
    "observers",
    "optimise",
    "piecewise",
    "planar",
    "plane",
    "plate",
    "point",
    "power",
    "power_law",
    "read",
    "read_runs",
    "realtime",
    "record",
    "replay",
    "rim",
    "rod",
    "rpy",
    "run",
    "running",
    "segment",
    "sensors",
    "show",
    "sign",
    "sin",
    "sobol_indices",
    "solve_contacts",
    "sphere",
    "sqrt",
    "start",
    "table",
    "table2",
    "tan",
    "tanh",
    "terrain",
    "torus",
    "tube",
    "tyres",
    "universal",
    "visual",
    "where",
]

# joints of every kind that there is a file for
__all__ += written.__all__


if not TYPE_CHECKING:  # who checks types shall know what there is

    def __getattr__(name: str) -> Any:
        """Packages that few programs use are read when they are used."""
        if name in ("control", "devices", "gym", "observers"):
            return importlib.import_module(f"inloop.{name}")
        if name == "identify":
            return importlib.import_module("inloop.analysis.identify")
        if name in ("Fitted", "ResidualError", "fit"):
            return getattr(importlib.import_module("inloop.analysis.fitting"), name)
        if name == "optimise":
            return importlib.import_module("inloop.analysis.optimising").optimise
        if name == "Optimised":
            return importlib.import_module("inloop.analysis.optimised").Optimised
        if name == "observer":
            return importlib.import_module("inloop.observers").observer
        # with name and obj, Python adds "Did you mean ...?"
        raise AttributeError(
            f"module 'inloop' has no attribute {name!r}", name=name, obj=sys.modules[__name__]
        )

    def __dir__() -> list[str]:
        """All names, including those of packages that have not been imported yet."""
        return sorted({*globals(), *__all__})
