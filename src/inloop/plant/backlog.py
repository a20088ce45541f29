"""C text that waits until one of its functions is needed, and is then compiled together.

A plant is made of up to a dozen units of C. To start a compiler and a linker for each takes longer
than to compile most of them, and one after the other they leave cores idle.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from inloop.native import BuildOptions, NativeLibrary, ProgressLine, build_library


@dataclass(eq=False)
class Order:
    """C text that shall become part of a library.

    Attributes:
        name: of the unit.
        sources: file name → C text; names differ from those of all other units of a plant,
            names of static functions need not.
        headers: the same of the headers.
        options: how it is compiled; what is compiled alike can share a library.
        library: what holds it, once it is built.
    """

    name: str
    sources: Mapping[str, str]
    headers: Mapping[str, str]
    options: BuildOptions
    library: NativeLibrary | None = None


class Backlog:
    """Orders of a plant that have not been compiled yet.

    Attributes:
        times: seconds spent building, by the first unit of each library.
    """

    def __init__(self, times: dict[str, float] | None = None) -> None:
        self.times = {} if times is None else times
        self._waiting: list[Order] = []
        self._guard = threading.RLock()

    def add(self, order: Order) -> None:
        """Let an order wait."""
        with self._guard:
            self._waiting.append(order)

    def library(self, order: Order) -> NativeLibrary:
        """The library of an order; those that wait and are compiled alike get the same one.

        Raises:
            BuildError: no compiler, or C that does not compile.
        """
        if order.library is None:
            with self._guard:
                if order.library is None:
                    self._build([o for o in self._waiting if o.options == order.options])
        assert order.library is not None
        return order.library

    def finish(self) -> None:
        """Compile all that waits."""
        with self._guard:
            while self._waiting:
                self.library(self._waiting[0])

    def _build(self, orders: list[Order]) -> None:
        start = time.perf_counter()
        sources = {name: text for order in orders for name, text in order.sources.items()}
        headers = {name: text for order in orders for name, text in order.headers.items()}
        spaces = {name: order.name for order in orders for name in order.sources}
        library = compiled(orders[0].name, sources, headers, orders[0].options, spaces)
        for order in orders:
            order.library = library
        self._waiting = [order for order in self._waiting if order.library is None]
        self.times[f"build {orders[0].name}"] = time.perf_counter() - start


def compiled(
    what: str,
    sources: Mapping[str, str],
    headers: Mapping[str, str],
    options: BuildOptions,
    spaces: Mapping[str, str] | None = None,
) -> NativeLibrary:
    """A library from C text; on a terminal it is told how far the compiler is."""
    with ProgressLine(f"compiling {what}") as line:

        def tell(done: int, total: int, _: str) -> None:
            line.say(f"compiling {what}: {done} of {total} parts")

        path = build_library(sources, headers, options=options, progress=tell, spaces=spaces)
        return NativeLibrary(path)
