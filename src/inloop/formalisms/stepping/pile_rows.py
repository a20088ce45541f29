"""A pile for time-stepping: poses and twists of its members, mass matrices of their trees.

The trees of a forest are coupled only by contacts: each tree has its own block of the mass matrix,
and the twist of a member depends only on the velocities of its own tree (il_pile.h).
"""

from __future__ import annotations

from inloop.errors import ModelError
from inloop.formalisms.derive import Derivation
from inloop.formalisms.frames import GROUND
from inloop.formalisms.laws.forces import Places
from inloop.model import Mechanism
from inloop.model.contacts.hard import NEWTON
from inloop.model.contacts.pile import MEMBERS, Pile, meets
from inloop.symbolic import Output, Program, directional

MOST_VELOCITIES = 8  # velocities of a tree: IL_TREE_MOST


def trees_of(mechanism: Mechanism) -> list[list[int]]:
    """Coordinates of each tree attached to the ground, in the order of their roots."""
    trees: dict[int, list[int]] = {}
    roots: list[int] = []
    for k, parent in enumerate(mechanism.parents):
        roots.append(k if parent == GROUND else roots[parent])
        trees.setdefault(roots[-1], []).append(k)
    return list(trees.values())


def member_trees(mechanism: Mechanism, pile: Pile) -> list[int]:
    """Index of the tree of each member; -1 for those on the ground."""
    number = {k: tree for tree, members in enumerate(trees_of(mechanism)) for k in members}
    return [number.get(frame.body, -1) for frame in pile.frames]


def pile_rows(d: Derivation, name: str, pile: Pile) -> Program:
    """The results of il_contact_table.rows for a pile."""
    check_pile(d.mechanism, pile)
    place, trees = Places(d.skeleton), trees_of(d.mechanism)
    law = pile.law
    lengths = [0.0 if length is None else length for length in (law.rolling, law.spinning)]
    numbers = [law.friction, law.restitution, law.compliance, *lengths]
    outputs = [Output.vector("law", d.symbols.substitute(numbers, {}), "friction, restitution, …")]
    for k, (frame, tree) in enumerate(
        zip(pile.frames, member_trees(d.mechanism, pile), strict=True)
    ):
        at = place.frame(frame)
        pose = [*at.p, *(entry for row in at.R for entry in row)]
        outputs.append(Output.vector(f"pose_{k}", pose, f"p and R of {frame.path}"))
        if tree >= 0:
            qd = [d.symbols.qd[j] for j in trees[tree]]
            columns = [directional([*at.v, *at.om], {v: d.graph.one}) for v in qd]
            rows = zip(*columns, strict=True)
            outputs.append(Output.matrix(f"twist_{k}", rows, f"∂(v, w)/∂qd of {frame.path}"))
    mass, zero = d.mass.entries, d.graph.zero
    for k, own in enumerate(trees):
        block = [[mass.get((max(i, j), min(i, j)), zero) for j in own] for i in own]
        outputs.append(Output.matrix(f"M_{k}", block, "mass matrix of a tree"))
    doc = "Members of a pile, and the masses of the trees they hang on."
    return d.make(name, "q", tuple(outputs), doc, "derivatives of velocities of members")


def check_pile(mechanism: Mechanism, pile: Pile) -> None:
    """Reject models that a pile cannot be combined with.

    Raises:
        ModelError: with what to do instead.
    """
    trees, of = trees_of(mechanism), member_trees(mechanism, pile)
    others = [contact.name for contact in mechanism.hard_contacts if contact.name != pile.name]
    laws = [law.name for law in mechanism.laws if law.name != pile.name]
    largest = max((len(tree) for tree in trees), default=0)
    problem = fix = ""
    if others:
        problem = f"there is another hard contact, {others[0]!r}"
        fix = "Put all its shapes into the pile."
    elif laws or mechanism.flexible_links:
        problem = "the model also has force laws or flexible links"
        fix = "Remove them, or declare contacts of single pairs instead of the pile."
    elif pile.law.impacts != NEWTON:
        problem, fix = (
            "its impacts must follow Newton's law of restitution",
            'Leave out impacts="poisson".',
        )
    elif mechanism.closed:
        problem = "the mechanism has loops, drives or other constraints"
        fix = "Declare contacts of single pairs instead of the pile."
    elif largest > MOST_VELOCITIES:
        problem = f"a tree of joints has {largest} coordinates, more than {MOST_VELOCITIES}"
        fix = "Split it into smaller ones, such as free bodies."
    for i, a in enumerate(pile.tables):
        for j in range(i):
            if of[i] != of[j] and not meets(a, pile.tables[j]) and not problem:
                problem = f"a {pile.shapes[i]} and a {pile.shapes[j]} do not touch"
                fix = MEMBERS
    if problem:
        raise ModelError(f"pile '{pile.name}': {problem}", pile.where, fix)
