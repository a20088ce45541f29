"""Cut a long listing into parts of about a thousand operations where few values are alive."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.symbolic import Expr
from inloop.symbolic.listing import Listing, Statement, Store

TARGET = 1000  # operations per part
LONGEST = 1500  # a listing of at most this length stays whole


@dataclass(frozen=True)
class Part:
    """One piece of a listing.

    Attributes:
        items: its assignments, and the results it stores as soon as they are known.
        loads: for each item, the input entries, sines and imported values that it reads first.
        imports: values it needs from earlier parts.
    """

    items: tuple[Statement | Store, ...]
    loads: tuple[tuple[Expr, ...], ...]
    imports: tuple[Expr, ...]


def split(listing: Listing) -> list[Part]:
    """Split a listing into parts; a short one stays whole."""
    items: list[Statement | Store] = [*_interleaved(listing)]
    weights = [_weight(item.expr, listing) for item in items]
    if sum(weights) <= LONGEST:
        return [_part(listing, items, set())]
    parts: list[Part] = []
    done: set[Expr] = set()
    for begin, end in _cuts(items, weights, listing):
        part = _part(listing, items[begin:end], done)
        done.update(item.expr for item in part.items if isinstance(item, Statement))
        parts.append(part)
    return parts


def _interleaved(listing: Listing) -> list[Statement | Store]:
    """Each store directly after the statements it needs, so that results need not be kept."""
    position = {s.expr: k for k, s in enumerate(listing.statements)}
    after: dict[int, list[Store]] = {}
    last: list[int] = []
    first_of: dict[str, int] = {}
    for store in listing.stores:
        below = _named_below(store.expr, listing, top=False)
        last.append(max((position[n] for n in below if n in position), default=-1))
        if last[-1] >= 0:
            earliest = min(last[-1], first_of.get(store.block, last[-1]))
            first_of[store.block] = earliest
    for store, known in zip(listing.stores, last, strict=True):
        # stores without dependencies are written with the first result of their array
        after.setdefault(first_of.get(store.block, -1) if known < 0 else known, []).append(store)
    items: list[Statement | Store] = [*after.get(-1, [])]
    for k, statement in enumerate(listing.statements):
        items.append(statement)
        items.extend(after.get(k, []))
    return items


def _named_below(expr: Expr, listing: Listing, top: bool) -> list[Expr]:
    """Named nodes that the text of an expression mentions."""
    found: dict[Expr, None] = {}
    stack = list(expr.args) if top and expr.args else [expr]
    while stack:
        node = stack.pop()
        if node in listing.names:
            found.setdefault(node)
        else:
            stack.extend(node.args)
    return list(found)


def _weight(expr: Expr, listing: Listing) -> int:
    weight, stack = 0, [expr]
    first = True
    while stack:
        node = stack.pop()
        if not first and node in listing.names:
            continue
        first = False
        if node.args:
            weight += 1
            stack.extend(node.args)
    return weight


def _cuts(
    items: list[Statement | Store], weights: list[int], listing: Listing
) -> list[tuple[int, int]]:
    """Cut positions: in each window around the target length, where fewest values are alive."""
    alive = _alive_after(items, listing)
    cuts, begin, total, window = [], 0, 0, []
    for k, weight in enumerate(weights):
        total += weight
        if total >= 0.75 * TARGET:
            window.append(k)
        if total >= 1.25 * TARGET and k + 1 < len(items):
            best = min(window, key=lambda i: (alive[i], i))
            cuts.append((begin, best + 1))
            total = sum(weights[best + 1 : k + 1])
            begin, window = best + 1, []
    cuts.append((begin, len(items)))
    return cuts


def _alive_after(items: list[Statement | Store], listing: Listing) -> list[int]:
    """Number of values defined up to an item and used after it."""
    last_use: dict[Expr, int] = {}
    for k, item in enumerate(items):
        for node in _named_below(item.expr, listing, top=isinstance(item, Statement)):
            last_use[node] = k
    change = [0] * (len(items) + 1)
    for k, item in enumerate(items):
        if isinstance(item, Statement) and last_use.get(item.expr, k) > k:
            change[k] += 1
            change[last_use[item.expr]] -= 1
    alive, count = [], 0
    for k in range(len(items)):
        count += change[k]
        alive.append(count)
    return alive


def _part(listing: Listing, items: list[Statement | Store], done: set[Expr]) -> Part:
    known = {item.expr for item in items if isinstance(item, Statement)}
    loads: list[tuple[Expr, ...]] = []
    for item in items:
        read = _named_below(item.expr, listing, top=isinstance(item, Statement))
        loads.append(tuple(node for node in read if node not in known))
        known.update(loads[-1])
    imports = tuple(node for some in loads for node in some if node in done)
    return Part(tuple(items), tuple(loads), imports)
