"""Adds the bodies of an MJCF file to a model, with their joints, springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inloop.io.friction import stick
from inloop.io.mjcf.bodies import WORLD, MjcfBody
from inloop.io.mjcf.joints import NONE, MjcfJoint, Polynomial, Start, Step, chain_of, written_qpos
from inloop.io.mjcf.laws import damper_effort, rotation_vector, spring_effort, spring_vector
from inloop.io.mjcf.settings import Settings
from inloop.io.naming import Names
from inloop.io.remarks import Remarks
from inloop.joints import JointSpec
from inloop.model import BodyHandle, Handle, ModelBuilder, Pose, fixed
from inloop.model.geometry import times_matrix
from inloop.model.names import GROUND_NAME, RESERVED_POINTS
from inloop.symbolic import Expr

Rows = Sequence[Sequence[Expr]]


class Writer:
    """Adds bodies to a model.

    Attributes:
        body_names: model name of each body.
        coordinates: for each body and each of its joints, the names of the coordinates.
        frames: X_LB, pose of each body B of the file in the frame L of the model's body.
        places: the same by body name, with its handle.
        joints: by name in the file: the first coordinate, and the joint.
        names: names in use, by kind.
    """

    def __init__(
        self,
        model: ModelBuilder,
        settings: Settings,
        remarks: Remarks,
        friction_deflection: float | None,
    ) -> None:
        self.model = model
        self.settings = settings
        self.remarks = remarks
        self._friction_deflection = friction_deflection
        self.names = {
            "body": Names("body", reserved=(GROUND_NAME,)),
            "joint": Names("joint"),
            "site": Names("site", reserved=RESERVED_POINTS),
            "input": Names("actuator"),
            "law": Names("force law"),
            "sensor": Names("sensor"),
        }
        self._handles: list[BodyHandle] = []
        self.places: dict[str, tuple[BodyHandle, Pose]] = {"world": (model.ground, Pose())}
        self.joints: dict[str, tuple[str, MjcfJoint]] = {}
        self.body_names: list[str] = []
        self.coordinates: list[tuple[tuple[str, ...], ...]] = []
        self.frames: list[Pose] = []

    @property
    def notes(self) -> list[str]:
        """Notes about changed names."""
        return [note for names in self.names.values() for note in names.notes]

    def add_bodies(
        self,
        bodies: Sequence[MjcfBody],
        ground: MjcfBody,
        start: list[Start] | None,
        loops: bool,
    ) -> None:
        """Add all bodies; `start` gives joint states, which are mere guesses if `loops` is set."""
        self.names["body"].read(body.name for body in bodies if body.name)
        joints = [joint for body in bodies for joint in body.joints]
        self.names["joint"].read(joint.name for joint in joints if joint.name)
        self.names["site"].read(s.name for body in (ground, *bodies) for s in body.sites)
        self._add_ground(ground)
        remaining = None if start is None else list(start)
        for body in bodies:
            mine = None if remaining is None else [remaining.pop(0) for _ in body.joints]
            with self.model.reading(body.where):
                self._add_body(body, mine, loops)
        touching = [geom for body in (ground, *bodies) for geom in body.geoms if geom.touches]
        for geom in touching:
            self.remarks.add(f"contacts of {len(touching)} geoms are not simulated", geom.where)

    def _add_ground(self, ground: MjcfBody) -> None:
        visuals = [geom.visual for geom in ground.geoms if geom.visual is not None]
        if visuals:
            name = self.names["body"].new("world")
            with self.model.reading(ground.where):
                self.model.body(name, on=self.model.ground, joint=fixed(), visuals=visuals)
        self._add_sites(ground, self.model.ground, Pose())

    def _add_body(self, body: MjcfBody, start: list[Start] | None, loops: bool) -> None:
        parent, X_LP = (
            (self.model.ground, Pose())
            if body.parent == WORLD
            else (self._handles[body.parent], self.frames[body.parent])
        )
        name = (
            self.names["body"][body.name]
            if body.name
            else self.names["body"].new(f"body{len(self._handles) + 1}")
        )
        # L: current frame at the end of the chain; B is known in it
        X_LB = Pose() if body.is_free else X_LP @ body.X_PB
        steps: list[tuple[Step, str]] = []
        mine = []
        for k, joint in enumerate(body.joints):
            chain, X_LB = chain_of(joint, X_LB, body.X_WB, None if start is None else start[k])
            chain = [_started(step, loops) for step in chain]
            if joint.limits is not None and chain[0].spec.limits is None:
                self.remarks.add("range is left out: the joint starts outside it", joint.where)
            labels = self._coordinate_names(name, joint, chain)
            mine.append(labels)
            steps += zip(chain, labels, strict=True)
            if not joint.is_single:
                suffixes = ", ".join(step.suffix for step in chain)
                self.remarks.add(
                    f"{joint.type} joints have velocities {suffixes} and a quaternion", joint.where
                )
        if not steps:
            steps = [(Step(X_LB, fixed(), ""), "")]
            X_LB = Pose()
        hung = self._hang(body, name, parent, steps, X_LB)
        handle = hung[-1][1]
        self._handles.append(handle)
        self.body_names.append(name)
        self.frames.append(X_LB)
        self.coordinates.append(tuple(mine))
        if body.name:
            self.places[body.name] = (handle, X_LB)
        self._add_sites(body, handle, X_LB)
        self._add_passive(body, mine, hung)

    def _coordinate_names(
        self, body: str, joint: MjcfJoint, chain: Sequence[Step]
    ) -> tuple[str, ...]:
        names = self.names["joint"]
        if joint.is_single:
            return (names[joint.name] if joint.name else names.new(body),)
        stem = names[joint.name] if joint.name else body
        return tuple(names.new(f"{stem}_{step.suffix}") for step in chain)

    def _hang(
        self,
        body: MjcfBody,
        name: str,
        on: BodyHandle,
        steps: Sequence[tuple[Step, str]],
        X_LB: Pose,
    ) -> list[tuple[Handle, BodyHandle]]:
        """Attach a body by its chain of joints, with massless bodies between them.

        Returns:
            For each joint the frame it sits on, and the body that it moves.
        """
        hung: list[tuple[Handle, BodyHandle]] = []
        *before, (last, last_label) = steps
        for step, label in before:
            place = self._place(on, step.X_FJ, label)
            between = self.names["body"].new(label)
            on = self.model.body(between, on=place, joint=replace(step.spec, name=label))
            hung.append((place, on))
        if Pose() != X_LB:
            self.remarks.add(
                "bodies have their origin at the anchor of their last joint", body.where
            )
        place = self._place(on, last.X_FJ, last_label or name)
        handle = self.model.body(
            name,
            on=place,
            joint=replace(last.spec, name=last_label) if last_label else last.spec,
            mass=body.mass.mass,
            com=X_LB.apply((*body.mass.com.tolist(),)),
            inertia=body.mass.inertia.tolist(),
            visuals=[
                replace(geom.visual, position=X_LB.apply(geom.visual.origin),
                        rotation=times_matrix(X_LB.R, geom.visual.rotation))
                for geom in body.geoms
                if geom.visual is not None
            ],
        )  # fmt: skip
        return [*hung, (place, handle)]

    def _place(self, on: BodyHandle, X: Pose, label: str) -> Handle:
        """Return a frame on a body, or the body itself."""
        if Pose() == X:
            return on
        return on.frame(self.names["site"].new(f"{label}_joint"), X.p, X.R)

    def _add_sites(self, body: MjcfBody, handle: BodyHandle, X_LB: Pose) -> None:
        for site in body.sites:
            X_LS = X_LB @ site.X_BS
            with self.model.reading(site.where):
                handle.frame(self.names["site"][site.name], X_LS.p, X_LS.R)

    def _add_passive(
        self,
        body: MjcfBody,
        coordinates: Sequence[tuple[str, ...]],
        hung: Sequence[tuple[Handle, BodyHandle]],
    ) -> None:
        """Add springs, dampers, dry friction, and gravity compensation."""
        handle, passed = hung[-1][1], 0
        for joint, labels in zip(body.joints, coordinates, strict=True):
            if joint.name:
                self.joints[joint.name] = (labels[0], joint)
            chain = hung[passed : passed + len(labels)]
            passed += len(labels)
            with self.model.reading(joint.where):
                if joint.is_single:
                    self._add_spring(joint, labels[0])
                elif self._stiffness(joint) != NONE:
                    self._add_spring_of_ball(joint, labels, chain, body.X_WB)
                for label in labels:
                    self._add_resistance(joint, label)
        if body.gravcomp and any(self.settings.gravity):
            lift = [-body.gravcomp * body.mass.mass * g for g in self.settings.gravity]
            name = self.names["law"].new(f"{handle.name}_gravcomp")
            self.model.force(handle.com_point, lambda: lift, name=name)

    def _add_spring(self, joint: MjcfJoint, label: str) -> None:
        k, rest = self._stiffness(joint), joint.springref
        if k != NONE:
            name = self.names["law"].new(f"{label}_spring")
            self.model.joint_force(label, lambda q: spring_effort(k, q - rest), name=name)

    def _add_resistance(self, joint: MjcfJoint, label: str) -> None:
        """Damper and dry friction of one coordinate."""
        d = self._damping(joint)
        if d != NONE:
            name = self.names["law"].new(f"{label}_damper")
            self.model.joint_force(label, lambda qd: damper_effort(d, qd), name=name)
        if joint.frictionloss and self._friction_deflection is not None:
            name = self.names["law"].new(f"{label}_friction")
            stick(self.model, label, joint.frictionloss, self._friction_deflection, name)
        elif joint.frictionloss:
            self.remarks.add(
                "frictionloss is not applied; friction_deflection=1e-3 applies it", joint.where
            )

    def _add_spring_of_ball(
        self,
        joint: MjcfJoint,
        labels: tuple[str, ...],
        chain: Sequence[tuple[Handle, BodyHandle]],
        X_WB: Pose,
    ) -> None:
        """Add springs of a ball or free joint, relaxed where the body is as written."""
        k = self._stiffness(joint)
        # a ball joint is written in the frame on which it sits
        relaxed, moved = chain[-3][0], chain[-1][1]
        if joint.type == "free":
            p, slides = written_qpos(joint, X_WB)[:3], list(labels[:3])

            def pull(q: Sequence[Expr]) -> Any:
                return spring_vector(k, [x - x0 for x, x0 in zip(q, p, strict=True)])

            name = self.names["law"].new(f"{labels[0]}_spring")
            self.model.coupled_force(slides, pull, name=name)
            written = Pose((0.0, 0.0, 0.0), X_WB.R)
            relaxed = self._place(self.model.ground, written, f"{labels[-3]}_spring")

        def turn(R: Rows) -> Any:
            return (0.0, 0.0, 0.0), spring_vector(k, rotation_vector(R))

        name = self.names["law"].new(f"{labels[-3]}_spring")
        self.model.frame_force(relaxed, moved, turn, name=name)

    def _stiffness(self, joint: MjcfJoint) -> Polynomial:
        off = {"spring", "passive"} & self.settings.disabled
        return NONE if off else joint.stiffness

    def _damping(self, joint: MjcfJoint) -> Polynomial:
        off = {"damper", "passive"} & self.settings.disabled
        return NONE if off else joint.damping


def _started(step: Step, loops: bool) -> Step:
    """Return a joint with its start as a guess if there are loops, without a violated range."""
    spec: JointSpec = step.spec
    q = spec.initial[0] if isinstance(spec.initial, tuple) else spec.initial
    if loops and q is not None:
        spec = replace(spec, initial=None, guess=q)
    if q is not None and spec.limits is not None and not spec.limits[0] <= q <= spec.limits[1]:
        spec = replace(spec, limits=None)
    return replace(step, spec=spec)
