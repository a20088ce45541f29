"""Force laws and inputs: what acts on the mechanism, as methods of `Model`.

A law is a function, called once with symbols. Its arguments are matched by name and any of them
may be left out. What it returns ends up in the equations; parameters and inputs of the model may
be used in it.

A law may have states of its own, such as the bristles of a friction model: with
`states={"z": 0.0}`, names and initial values, it takes z as one more argument and returns
`(value, {"z": rate})`.

A law may make quantities known, which results then hold as "<law>.<output>": with
`outputs={"gap": "m"}`, names and units, it returns `(value, {"gap": gap})`, or with states
`(value, {"z": rate}, {"gap": gap})`.

A law may use what other elements do: `out["pad.force"]`, an output of another law;
`force["pin.x"]`, the multiplier of a row of a loop, a constraint or a lock; `effort["crank"]`, of
a driven joint. The last two depend on the accelerations and so on the law itself: only rates of
states may use them, as in `(-0.1 * N, {"N": (il.absolute(force["pin.x"]) - N) / 1e-3})`.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.model.draft import HasDraft, InputDraft
from inloop.model.handles import BodyHandle, Handle, read_path
from inloop.model.intake import as_tuple
from inloop.model.laws.declaring import Outputs, States, declare_law
from inloop.model.laws.effects import Axes
from inloop.model.laws.tracing import Law
from inloop.model.names import quoted


def joint_force(
    model: HasDraft,
    joint: BodyHandle | str,
    law: Law,
    name: str | None = None,
    *,
    states: States | None = None,
    outputs: Outputs | None = None,
) -> str:
    """Apply an effort to a joint, given by a law.

    Args:
        joint: the body that the joint moves, or the name of either.
        law: takes q [rad or m], qd and t [s]; returns the effort [N or N·m], positive
            drives q up. Rates of states may also use radial [N], the size of the force
            that the joint transmits across its axis.
        name: name of the law; made from the joint's name if not given.
        states: internal states of the law and their initial values.
        outputs: what the law makes known, names and units.

    Returns:
        The name of the law.
    """
    return declare_law(
        model._draft, "joint_force", (joint,), law, name, states=states, outputs=outputs
    )


def coupled_force(
    model: HasDraft,
    joints: Sequence[BodyHandle | str],
    law: Law,
    name: str | None = None,
    *,
    states: States | None = None,
    outputs: Outputs | None = None,
) -> str:
    """Add efforts on several joints from one law of their coordinates, such as an anti-roll bar.

        m.coupled_force([left, right], lambda q: (-k * (q[0] - q[1]), k * (q[0] - q[1])))

    Args:
        joints: two or more bodies that the joints move, or names of either.
        law: takes q [rad or m] and qd, each a tuple in the order of the joints, and t [s];
            returns one effort per joint [N or N·m], positive drives its q up.
        name: name of the law; made from the joints' names if not given.
        states: internal states of the law and their initial values.
        outputs: what the law makes known, names and units.

    Returns:
        The name of the law.
    """
    read = model._draft.intake("coupled_force")
    several = as_tuple(joints) or ()
    paths = [joint.path if isinstance(joint, Handle) else joint for joint in several]
    if len(paths) < 2 or len(set(map(str, paths))) < len(paths):
        read.complain(
            f"needs two or more different joints, got {quoted(paths or joints)}",
            "Write [left, right]; for one joint use joint_force(...).",
        )
        return ""
    return declare_law(
        model._draft, "coupled_force", several, law, name, states=states, outputs=outputs
    )


def force(
    model: HasDraft,
    at: Handle | str,
    law: Law,
    frame: Axes = "world",
    name: str | None = None,
    *,
    states: States | None = None,
    outputs: Outputs | None = None,
) -> str:
    """Apply a force to a body at a point.

    Args:
        at: the point; a body stands for its origin.
        law: takes p [m] and v [m/s], position and velocity of the point in world axes, and
            t [s]; returns three components [N].
        frame: axes of the components: "world" or "body".
        name: name of the law.
        states: internal states of the law and their initial values.
        outputs: what the law makes known, names and units.

    Returns:
        The name of the law.
    """
    return declare_law(model._draft, "force", (at,), law, name, frame, states, outputs)


def torque(
    model: HasDraft,
    body: BodyHandle | str,
    law: Law,
    frame: Axes = "world",
    name: str | None = None,
    *,
    states: States | None = None,
    outputs: Outputs | None = None,
) -> str:
    """Apply a pure torque to a body.

    Args:
        body: the body.
        law: takes w [rad/s], the angular velocity in the chosen axes, R, the rotation from
            body to world as three rows, and t [s]; returns three components [N·m].
        frame: axes of the components and of w: "world" or "body".
        name: name of the law.
        states: internal states of the law and their initial values.
        outputs: what the law makes known, names and units.

    Returns:
        The name of the law.
    """
    return declare_law(model._draft, "torque", (body,), law, name, frame, states, outputs)


def line_force(
    model: HasDraft,
    a: Handle | str,
    b: Handle | str,
    law: Law,
    name: str | None = None,
    *,
    states: States | None = None,
    outputs: Outputs | None = None,
) -> str:
    """Apply a force between two points, along the line that joins them.

    Args:
        a: first point.
        b: second point, on another body or on the ground.
        law: takes l [m], the distance, ld [m/s], its rate, and t [s]; returns the force
            [N], positive pulls the points together.
        name: name of the law.
        states: internal states of the law and their initial values.
        outputs: what the law makes known, names and units.

    Returns:
        The name of the law.
    """
    return declare_law(
        model._draft, "line_force", (a, b), law, name, states=states, outputs=outputs
    )


def frame_force(
    model: HasDraft,
    a: Handle | str,
    b: Handle | str,
    law: Law,
    name: str | None = None,
    *,
    states: States | None = None,
    outputs: Outputs | None = None,
) -> str:
    """Apply a force and a torque between two frames, as a bushing does.

    Both act on the body of b at the origin of b; the opposite acts on the body of a at the
    same point. All vectors are in axes of a.

    Args:
        a: first frame; a body or a point stands for a frame with the axes of the body.
        b: second frame, on another body or on the ground.
        law: takes p [m], the position of b, v [m/s], its rate, r [rad], the rotation of b
            as a small-angle vector, ½ vee(R - Rᵀ), w [rad/s], the angular velocity of b
            against a, R, the rotation from b to a as three rows, and t [s]; returns
            (force, torque), three components each [N, N·m].
        name: name of the law.
        states: internal states of the law and their initial values.
        outputs: what the law makes known, names and units.

    Returns:
        The name of the law.
    """
    return declare_law(
        model._draft, "frame_force", (a, b), law, name, states=states, outputs=outputs
    )


def joint_input(model: HasDraft, joint: BodyHandle | str) -> str:
    """Declare the effort of a joint [N or N·m] as an input.

    Returns:
        The name of the input, "<joint>.tau".
    """
    draft = model._draft
    read = draft.intake("joint_input")
    target = read_path(read, draft, joint, "joint")
    if target is None:
        return ""
    body = draft.body_of_joint(target)
    name = f"{body.joint.name if body else target}.tau"
    draft.joint_inputs.append(InputDraft(name, target, target, read.where))
    return name


def external_force(model: HasDraft, body: BodyHandle | str, at: Handle | str | None = None) -> str:
    """Declare an external force [N] and torque [N·m] on a body as inputs, in body axes.

    Args:
        body: the body.
        at: where the force acts: a point of this body (or its bare name); the center of
            mass if not given.

    Returns:
        The stem of the input's names, "<stem>.force" and "<stem>.torque".
    """
    draft = model._draft
    read = draft.intake("external_force")
    owner = read_path(read, draft, body, "body")
    point = "com" if at is None else read_path(read, draft, at, "at")
    if owner is None or point is None:
        return ""
    point = "origin" if point == owner else point.removeprefix(f"{owner}.")
    name = owner if at is None else f"{owner}_{point}"
    path = f"{owner}.{point}" if "." not in point else point
    draft.external_forces.append(InputDraft(name, owner, path, read.where))
    return name
