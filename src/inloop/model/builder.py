"""The builder: what a person writes a mechanism with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

from inloop.geometry import Shape, Visual
from inloop.joints import JointSpec
from inloop.joints.kinds.fixed import fixed
from inloop.model.assemble import build
from inloop.model.constraints.closure_builder import ClosureBuilder
from inloop.model.constraints.coupling_builder import CouplingBuilder
from inloop.model.contacts.contact_builder import ContactBuilder
from inloop.model.draft import BodyDraft, Draft
from inloop.model.flexible_links.flexible_builder import FlexibleBuilder
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle, Handle, read_path
from inloop.model.intake import Intake, as_tuple
from inloop.model.joints import chain_suffixes, read_joint
from inloop.model.laws.friction_builder import FrictionBuilder
from inloop.model.mechanism import Mechanism
from inloop.model.modes.mode_builder import ModeBuilder
from inloop.model.names import GROUND_NAME, quoted
from inloop.model.parameters import read_input, read_parameter
from inloop.model.sensors.output_builder import OutputBuilder
from inloop.model.sensors.sensor_builder import SensorBuilder
from inloop.model.source import caller_line
from inloop.symbolic import Expr, Graph


class ModelBuilder(
    FrictionBuilder,
    ContactBuilder,
    ClosureBuilder,
    CouplingBuilder,
    ModeBuilder,
    FlexibleBuilder,
    OutputBuilder,
    SensorBuilder,
):
    """Collects bodies, loops, parameters and forces; `build()` checks them and freezes the result.

    Mistakes do not raise where they are made: `build()` reports all of them at once, each with
    the line that wrote it.
    """

    def __init__(
        self,
        name: str,
        gravity: Sequence[Scalar] | Callable[[Self], Sequence[Scalar]] = (0.0, 0.0, -9.81),
        doc: str = "",
        *,
        strict_inertia: bool = True,
    ) -> None:
        """Start a model.

        Args:
            name: name of the model; prefix of the generated code.
            gravity: acceleration of gravity in world axes [m/s²], or a function of the new
                model that returns it, to make it a parameter:
                `gravity=lambda m: (0, 0, -m.parameter("g", 9.81, unit="m/s^2"))`.
            doc: description, repeated in generated code.
            strict_inertia: False turns inertias that no real body has into notes; meant for
                files whose numbers are rounded.
        """
        self._draft = Draft(name, doc, strict_inertia, where=caller_line())
        read = self._draft.intake(f"model {quoted(name)}")
        self._draft.name = read.name(name)
        written = gravity(self) if callable(gravity) else gravity
        self._draft.gravity = read.vector(written, "gravity")

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._draft.name

    @property
    def graph(self) -> Graph:
        """The graph that owns all expressions of the model."""
        return self._draft.graph

    @property
    def ground(self) -> BodyHandle:
        """The ground, at rest in the world; its axes are the world axes."""
        return BodyHandle(self._draft, GROUND_NAME)

    def parameter(
        self,
        name: str,
        default: float,
        unit: str = "",
        range: tuple[float, float] | None = None,
        doc: str = "",
    ) -> Expr:
        """Declare a number that may be changed while the model runs.

        Args:
            name: name in the model and in generated code.
            default: value; the equations use it as it is, so write it in SI.
            unit: label such as "N/m".
            range: lowest and highest value.
            doc: description.

        Returns:
            A symbol that may stand wherever a number may.
        """
        read = self._draft.intake(f"parameter {quoted(name)}")
        parameter = read_parameter(read, name, default, unit, range, doc)
        self._draft.parameters.append(parameter)
        return parameter.symbol

    def input(self, name: str, unit: str = "", doc: str = "") -> Expr:
        """Declare a signal from outside that force laws may use; it is 0 until connected.

        Its name may have two parts, such as "motor.command".
        """
        read = self._draft.intake(f"input {quoted(name)}")
        signal = read_input(read, name, unit, doc)
        self._draft.inputs.append(signal)
        return signal.symbol

    def body(
        self,
        name: str,
        *,
        on: Handle | str,
        joint: JointSpec | Sequence[JointSpec],
        mass: Scalar = 0.0,
        com: Sequence[Scalar] = (0.0, 0.0, 0.0),
        inertia: Sequence[Any] = (0.0, 0.0, 0.0),
        doc: str = "",
        visuals: Sequence[Visual | Shape] = (),
    ) -> BodyHandle:
        """Hang a body on another one.

        The body frame is the frame after the joint; at q = 0 it coincides with the frame or
        point it hangs on. Every number may be an expression of parameters.

        Args:
            name: name of the body.
            on: a body, a point or a frame, or its name, which may be declared later.
            joint: revolute(...), prismatic(...), fixed(), ...; or several in a row, such as
                universal(...), cylindrical(...) or planar(...): then as `chain` does.
            mass: [kg].
            com: center of mass p_BC in body axes [m].
            inertia: about the center of mass, in body axes [kg·m²]: (ixx, iyy, izz),
                (ixx, iyy, izz, ixy, ixz, iyz) or a 3x3 matrix. Products are entries of the
                matrix: ixy = -∫ x y dm.
            doc: description.
            visuals: what to draw: shapes at the origin of the body, or visual(shape, at, color).
        """
        if isinstance(joint, list | tuple):
            data = {"mass": mass, "com": com, "inertia": inertia, "doc": doc, "visuals": visuals}
            return self.chain(name, on=on, joints=joint, **data)
        read = self._draft.intake(f"body {quoted(name)}")
        name = read.name(name)
        body = BodyDraft(
            name=name,
            on=read_path(read, self._draft, on, "on") or GROUND_NAME,
            joint=read_joint(read, joint, name),
            # 1 kg stands in for a mass that cannot be read
            mass=read.scalar(mass, "mass", fallback=1.0),
            com=read.vector(com, "com"),
            inertia=read.inertia(inertia),
            visuals=_read_visuals(read, visuals),
            doc=doc,
            where=read.where,
        )
        self._draft.add_body(body)
        return BodyHandle(self._draft, name)

    def chain(
        self, name: str, *, on: Handle | str, joints: Sequence[JointSpec], **body: Any
    ) -> BodyHandle:
        """Hang a body on another one by several joints in a row.

        Massless bodies carry the joints but the last: "base" with free() makes "base_tx",
        "base_ty", ... "base_ry" and "base", whose joint is "base_rz".

        Args:
            name: name of the last body.
            on: what the first joint sits on.
            joints: the joints, base to tip, such as free(), planar() or ball().
            body: mass, com, inertia, doc, visuals of the last body, as in `body`.
        """
        if not joints or not all(isinstance(joint, JointSpec) for joint in joints):
            read = self._draft.intake(f"chain {quoted(name)}")
            read.complain("joints must be a list of joints", "Write [prismatic(...), ...].")
            joints = [fixed()]
        names = [
            joint.name or f"{name}_{suffix}"
            for joint, suffix in zip(joints, chain_suffixes(joints), strict=True)
        ]
        for step, joint in zip(names[:-1], joints, strict=False):
            on = self.body(step, on=on, joint=joint)
        return self.body(name, on=on, joint=replace(joints[-1], name=names[-1]), **body)

    @contextmanager
    def reading(self, where: str) -> Iterator[None]:
        """Take `where` (such as "arm.urdf:12") as the place of all that is declared inside.

        For file readers: mistakes then point into the file instead of the reader's caller.
        """
        before, self._draft.reading = self._draft.reading, where
        try:
            yield
        finally:
            self._draft.reading = before

    def note(self, text: str) -> None:
        """Tell the user something about the model that is no mistake; `describe()` prints it."""
        self._draft.notes.append(text)

    @property
    def metadata(self) -> dict[str, object]:
        """What came with the model and takes no part in the equations, by the name of its source.

        File readers keep here what inloop does not use: `metadata["urdf"]`, for example.
        """
        return self._draft.metadata

    def build(self) -> Mechanism:
        """Check everything and return the frozen mechanism.

        Raises:
            ModelError: with all mistakes at once.
        """
        return build(self._draft)

    def describe(self) -> str:
        """Return a table of the finished mechanism that a person can read."""
        return self.build().describe()

    def __repr__(self) -> str:
        draft = self._draft
        counts = f"{len(draft.bodies)} bodies, {len(draft.parameters)} parameters"
        return f"<{type(self).__name__} {quoted(draft.name)}: {counts}>"


def _read_visuals(read: Intake, visuals: object) -> tuple[Visual, ...]:
    """What to draw of a body."""
    items = as_tuple(visuals)
    placed = [Visual(item) if isinstance(item, Shape) else item for item in items or ()]
    found = tuple(item for item in placed if isinstance(item, Visual))
    if items is None or len(found) < len(items):
        read.complain(
            f"visuals cannot be {quoted(visuals)}",
            "Write a list such as [sphere(0.1), visual(box((0.1, 0.2, 0.3)), at=(0.1, 0, 0))].",
        )
    return found
