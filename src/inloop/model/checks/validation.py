"""Run all checks of a model; mistakes are collected, not raised."""

from __future__ import annotations

from inloop.model.checks.closures import check_drives, check_ends, check_loops, check_rows
from inloop.model.checks.couplings import check_couplings
from inloop.model.checks.findings import Findings
from inloop.model.checks.inertia import check_inertia
from inloop.model.checks.modes import check_modes
from inloop.model.checks.motion import check_mobility
from inloop.model.checks.names import check_names
from inloop.model.checks.quantities import check_quantities
from inloop.model.checks.references import check_references, check_tree
from inloop.model.checks.values import (
    check_bounds,
    check_joints,
    check_laws,
    check_numbers,
    check_units,
)
from inloop.model.draft import Draft
from inloop.model.mechanism import Mechanism
from inloop.model.parameters import Defaults


def check_draft(draft: Draft, findings: Findings) -> bool:
    """Check the draft; return whether all names and references are valid."""
    before = len(findings.mistakes)
    check_names(draft, findings)
    check_modes(draft, findings)
    check_tree(draft, findings)
    check_references(draft, findings)
    references_hold = len(findings.mistakes) == before
    defaults = Defaults(draft.parameters)
    check_units(draft, findings)
    check_numbers(draft, defaults, findings)
    check_bounds(draft, defaults, findings)
    check_joints(draft, defaults, findings)
    check_inertia(draft, defaults, findings)
    check_laws(draft, findings)
    check_quantities(draft, findings)
    check_loops(draft, defaults, findings)
    check_rows(draft, findings)
    check_couplings(draft, defaults, findings)
    check_drives(draft, findings)
    return references_hold


def check_mechanism(mechanism: Mechanism, strict: bool, findings: Findings) -> None:
    """Check what only becomes visible after fixed joints are merged."""
    check_ends(mechanism, findings)
    check_mobility(mechanism, strict, findings)
