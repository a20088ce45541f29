"""Writes the bodies of an MJCF file into a model, with their joints, springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inloop.io.mjcf.bodies import WORLD, MjcfBody
from inloop.io.mjcf.joints import NONE, MjcfJoint, Polynomial, Step, chain_of
from inloop.io.mjcf.keys import Start
from inloop.io.mjcf.laws import damper_effort, spring_effort
from inloop.io.mjcf.settings import Settings
from inloop.io.naming import Names
from inloop.io.remarks import Remarks
from inloop.joints import JointSpec
from inloop.model import BodyHandle, Handle, ModelBuilder, Pose, fixed
from inloop.model.geometry import times_matrix
from inloop.model.names import GROUND_NAME, RESERVED_POINTS
from inloop.symbolic import Expr

Symbols = tuple[Expr, Expr, Expr]


class Writer:
    """Adds bodies to a model.

    Attributes:
        body_names: name of each body in the model.
        coordinates: for each body and each of its joints, the names of the coordinates.
        frames: X_LB, pose of each body B of the file in the frame L of the model's body.
        places: the same by name of the body, with its handle.
        joints: by name in the file: the first coordinate, and the joint.
        names: names that are taken, by kind.
    """

    def __init__(
        self,
        model: ModelBuilder,
        settings: Settings,
        remarks: Remarks,
        friction_velocity: float | None,
    ) -> None:
        self.model = model
        self.settings = settings
        self.remarks = remarks
        self._friction_velocity = friction_velocity
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
        """Names that were changed."""
        return [note for names in self.names.values() for note in names.notes]

    def add_bodies(
        self,
        bodies: Sequence[MjcfBody],
        ground: MjcfBody,
        start: list[list[Start]] | None,
        loops: bool,
    ) -> None:
        """Add all bodies; `start` has q and qd of each joint, `loops` makes them guesses."""
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

    def _add_body(self, body: MjcfBody, start: list[list[Start]] | None, loops: bool) -> None:
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
        # frame L is where the chain is at; B is known in it
        X_LB = Pose() if body.is_free else X_LP @ body.X_PB
        steps: list[tuple[Step, str, MjcfJoint]] = []
        mine = []
        for k, joint in enumerate(body.joints):
            chain, X_LB = chain_of(joint, X_LB, body.X_WB)
            chosen = None if start is None else start[k]
            chain = [_started(step, chosen, n, loops) for n, step in enumerate(chain)]
            if joint.limits is not None and chain[0].spec.limits is None:
                self.remarks.add("range is left out: the joint starts outside of it", joint.where)
            labels = self._coordinate_names(name, joint, chain)
            mine.append(labels)
            steps += [(step, label, joint) for step, label in zip(chain, labels, strict=True)]
            if not joint.is_single:
                self.remarks.add(
                    f"{joint.type} joints became {len(chain)} joints each: their suffixes are "
                    f"{', '.join(step.suffix for step in chain)}", joint.where)  # fmt: skip
        if not steps:
            steps = [(Step(X_LB, fixed(), ""), "", None)]  # type: ignore[list-item]
            X_LB = Pose()
        handle = self._hang(body, name, parent, steps, X_LB)
        self._handles.append(handle)
        self.body_names.append(name)
        self.frames.append(X_LB)
        self.coordinates.append(tuple(mine))
        if body.name:
            self.places[body.name] = (handle, X_LB)
        self._add_sites(body, handle, X_LB)
        self._add_passive(body, handle, mine, parent, steps)

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
        steps: Sequence[tuple[Step, str, MjcfJoint]],
        X_LB: Pose,
    ) -> BodyHandle:
        """Hang a body by its chain of joints, with massless bodies between them."""
        *before, (last, last_label, _) = steps
        for step, label, _ in before:
            place = self._place(on, step.X_FJ, label)
            between = self.names["body"].new(label)
            on = self.model.body(between, on=place, joint=replace(step.spec, name=label))
        mass = body.mass.mass
        com = X_LB.apply((*body.mass.com.tolist(),))
        inertia = body.mass.inertia + _turned_armature(body)
        if Pose() != X_LB:
            self.remarks.add(
                "bodies have their origin at the anchor of their last joint", body.where
            )
        return self.model.body(
            name,
            on=self._place(on, last.X_FJ, last_label or name),
            joint=replace(last.spec, name=last_label) if last_label else last.spec,
            mass=mass,
            com=com,
            inertia=inertia.tolist(),
            visuals=[
                replace(geom.visual, position=X_LB.apply(geom.visual.position),
                        rotation=times_matrix(X_LB.R, geom.visual.rotation))
                for geom in body.geoms
                if geom.visual is not None
            ],
        )  # fmt: skip

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
        handle: BodyHandle,
        coordinates: Sequence[tuple[str, ...]],
        parent: BodyHandle,
        steps: Sequence[tuple[Step, str, MjcfJoint]],
    ) -> None:
        """Springs, dampers, dry friction, and what takes weight off."""
        for joint, labels in zip(body.joints, coordinates, strict=True):
            if joint.name:
                self.joints[joint.name] = (labels[0], joint)
            with self.model.reading(joint.where):
                if joint.is_single:
                    self._add_resistance(joint, labels[0])
                else:
                    self._add_resistance_of_chain(joint, labels, handle, parent, steps)
        if body.gravcomp and any(self.settings.gravity):
            lift = [-body.gravcomp * body.mass.mass * g for g in self.settings.gravity]
            name = self.names["law"].new(f"{handle.name}_gravcomp")
            self.model.force(handle.com_point, lambda: lift, name=name)

    def _add_resistance(self, joint: MjcfJoint, label: str) -> None:
        k, d = self._stiffness(joint), self._damping(joint)
        if k != NONE or d != NONE:
            rest = joint.springref
            self.model.joint_force(
                label,
                lambda q, qd: spring_effort(k, q - rest) + damper_effort(d, qd),
                name=self.names["law"].new(f"{label}_passive"),
            )
        if joint.frictionloss and self._friction_velocity is not None:
            self.model.coulomb(
                label, coulomb=joint.frictionloss, velocity=self._friction_velocity,
                name=self.names["law"].new(f"{label}_friction"))  # fmt: skip
        elif joint.frictionloss:
            self.remarks.add(
                "frictionloss is not applied; friction_velocity=... applies it", joint.where
            )

    def _add_resistance_of_chain(
        self,
        joint: MjcfJoint,
        labels: tuple[str, ...],
        handle: BodyHandle,
        parent: BodyHandle,
        steps: Sequence[tuple[Step, str, MjcfJoint]],
    ) -> None:
        """Damping of a ball or a free joint acts on its turn rate, not on rates of angles."""
        left_out = {
            "stiffness": self._stiffness(joint) != NONE,
            "frictionloss": joint.frictionloss != 0.0,
            "armature": joint.type == "ball" and joint.armature != 0.0,
        }
        for name, is_given in left_out.items():
            if is_given:
                self.remarks.add(f"{name} of {joint.type} joints is not applied", joint.where)
        d = self._damping(joint)
        if d == NONE:
            return
        if d[1:] != (0.0, 0.0) or len(steps) != len(labels):
            self.remarks.add(
                f"damping of this {joint.type} joint is not applied: it is not linear, or the "
                "body has other joints too",
                joint.where,
            )
            return
        along = d[0] if joint.type == "free" else 0.0
        axes = self._place(parent, steps[0][0].X_FJ, f"{labels[0]}_damper")

        def drag(v: Symbols, w: Symbols) -> Any:
            return [-along * x for x in v], [-d[0] * x for x in w]

        law = self.names["law"].new(f"{labels[0]}_damping")
        self.model.frame_force(axes, handle, drag, name=law)

    def _stiffness(self, joint: MjcfJoint) -> Polynomial:
        off = {"spring", "passive"} & self.settings.disabled
        return NONE if off else joint.stiffness

    def _damping(self, joint: MjcfJoint) -> Polynomial:
        off = {"damper", "passive"} & self.settings.disabled
        return NONE if off else joint.damping


def _turned_armature(body: MjcfBody) -> Any:
    """Armature of the turns of a free joint: the same about all axes, so it adds to the inertia."""
    return (body.joints[0].armature if body.is_free else 0.0) * np.eye(3)


def _started(step: Step, chosen: list[Start] | None, number: int, loops: bool) -> Step:
    """Return a joint that starts where a keyframe says, or where the file has its body."""
    spec: JointSpec = step.spec
    if chosen is not None:
        spec = replace(spec, initial=chosen[number])
    if loops and spec.initial is not None:
        first = spec.initial[0] if isinstance(spec.initial, tuple) else spec.initial
        spec = replace(spec, initial=None, guess=first)
    q = spec.guess if spec.guess is not None else spec.initial
    q = q[0] if isinstance(q, tuple) else q
    if q is not None and spec.limits is not None and not spec.limits[0] <= q <= spec.limits[1]:
        spec = replace(spec, limits=None)
    return replace(step, spec=spec)
