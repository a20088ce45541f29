"""The part of the builder that names what sensors see."""

from __future__ import annotations

from inloop.model.draft import Draft, LawDraft
from inloop.model.handles import BodyHandle, read_path
from inloop.model.laws.effects import LawOutput
from inloop.model.laws.force_builder import placeholders
from inloop.model.laws.results import Extras, trace_law
from inloop.model.laws.tracing import Law
from inloop.model.names import quoted
from inloop.model.parameters import read_unit


class OutputBuilder:
    """Declares outputs: quantities that results and the real-time loop hold by name."""

    _draft: Draft

    def output(self, name: str, joint: BodyHandle | str, law: Law, unit: str = "") -> str:
        """Make a quantity of a joint known, as an encoder or a strain gauge does.

        Args:
            name: name of the output.
            joint: the body that the joint moves, or the name of either.
            law: takes q [rad or m], qd and t [s]; returns the quantity. Parameters and inputs
                of the model may be used in it.
            unit: label of the quantity.

        Returns:
            The name of the output.
        """
        draft = self._draft
        read = draft.intake(f"output {quoted(name)}")
        where = read.where
        name = read.name(name)
        target = read_path(read, draft, joint, "joint")
        symbols = placeholders(draft.graph, "joint_force", name)
        found = trace_law(read, law, symbols, Extras({}, {}), name, 1)
        seen = LawOutput(name, read_unit(read, unit), found.components[0])
        if target is not None:
            # a law without effort
            none = (0.0,)
            draft.laws.append(
                LawDraft("joint_force", name, (target,), "world", symbols, none, where, (), (seen,))
            )
        return name
