"""Design optimization: parameters that minimize a figure of merit of runs, using SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import scipy

from inloop.analysis.optimised import Design, Optimised
from inloop.errors import InloopError, InputError, SimulationError, counted, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, real, reals, useless, whole
from inloop.plant.keywords import checked_call
from inloop.simulate.progress import searching

Method = Literal["gradient", "simplex", "global"]
METHODS = ("gradient", "simplex", "global")
SHOWN = 3  # maximum number of failure reasons in the notes
WORSE = 10.0  # penalty of a failed design, relative to the worst merit seen
DIFFERENCE = 1e-3  # step of finite differences, relative to the range of a parameter
SIMPLEX = 0.1  # edges of the initial simplex, relative to the ranges
MANY = 5  # number of parameters above which the simplex coefficients adapt to it
RESTED = 10.0  # minimum gain of a restarted simplex for another restart, in tolerances
LATEST = 30  # designs whose gain is reported if a search did not converge
WRONG = 0.1  # allowed relative deviation of a finite difference from the gradient
POPULATION = 6  # designs per parameter in a global search


@checked_call
def optimise(
    merit: Callable[[Any], Any],
    over: Mapping[str, tuple[float, float]],
    *,
    plant: BarePlant | None = None,
    first: Mapping[str, float] | None = None,
    constraints: Mapping[str, Callable[[Any], float]] | None = None,
    gradient: Callable[[Any], Mapping[str, float]] | None = None,
    method: Method = "gradient",
    most: int = 200,
    tolerance: float = 1e-6,
    seed: int = 0,
) -> Optimised:
    """Find the parameters of a design that minimize a figure of merit.

    A design whose merit is not finite, or raises an error of this package, for example because its
    loops cannot be closed, counts as worse than all others and is mentioned in the notes.

    Args:
        merit: function that returns a number, or an array whose sum of squares is minimized. It is
            called with the plant, set to the parameters of the design; without a plant, with the
            parameters by name.
        over: (low, high) of each parameter, by name.
        plant: the compiled mechanism, if the parameters belong to it; they are restored afterwards.
        first: initial design; default: the parameters of the plant, else the middle of the bounds.
        constraints: functions like `merit`, by name, whose values must not be below 0.
        gradient: exact derivatives of a scalar merit, by parameter name, called like `merit`;
            default: finite differences.
        method: "gradient" (L-BFGS-B, SLSQP with constraints, Gauss-Newton where the merit is an
            array); "simplex" (Nelder-Mead) for merits that are not smooth; "global" (differential
            evolution).
        most: approximate maximum number of designs to try.
        tolerance: relative change of merit and parameters that ends the search.
        seed: seed of the global search.

    Raises:
        InputError: an argument is invalid.
        SimulationError: the first design fails.
        KeyboardInterrupt: Ctrl-C; `result` holds the best design so far.
    """
    if method not in METHODS:
        raise InputError(f"method {method!r} is unknown", fix=f"Use {', '.join(METHODS)}.")
    if constraints and method == "simplex":
        raise InputError(
            "the simplex method does not support constraints", fix='Use "gradient" or "global".'
        )
    bounds, most = _read_bounds(over, plant), whole(most, "most")
    if most < 1:
        raise InputError(f"a search over {most} designs makes no sense", fix="Give most=1 or more.")
    limits = by_name(constraints, "constraints")
    for name, function in {"merit": merit, **limits, "gradient": gradient or merit}.items():
        if not callable(function):
            raise useless(function, name, "Give a function of the plant.")
    search = _Search(merit, bounds, plant, dict(limits), gradient, most)
    begin = search.vector(_read_first(first, bounds, plant))
    search.begin(begin)
    with searching("optimising") as line:
        search.tell = line.say
        try:
            converged = search.run(begin, method, real(tolerance, "tolerance"), seed)
        except _EnoughError:
            converged = False
        except KeyboardInterrupt as error:
            error.result = search.result(False)  # type: ignore[attr-defined]
            raise
        doubts = [] if gradient is None or (converged and search.improved) else search.slope_notes()
    return search.result(converged, doubts)


def _read_bounds(
    over: Mapping[str, tuple[float, float]], plant: BarePlant | None
) -> dict[str, tuple[float, float]]:
    found = {}
    for name, pair in by_name(over, "over").items():
        values = reals(pair, f"bounds of '{name}'")
        if values.shape != (2,) or not np.all(np.isfinite(values)) or not values[0] < values[1]:
            raise InputError(f"bounds of '{name}' are {pair}", fix="Give finite (low, high).")
        if plant is not None:
            for value in values:
                plant.parameters.check_one(name, float(value))
        found[name] = (float(values[0]), float(values[1]))
    if not found:
        raise InputError(
            "no parameters are given to optimise", fix='Write over={"k": (10.0, 500.0)}.'
        )
    return found


def _read_first(
    first: Mapping[str, float] | None,
    bounds: Mapping[str, tuple[float, float]],
    plant: BarePlant | None,
) -> dict[str, float]:
    given = {
        name: real(value, f"first '{name}'") for name, value in by_name(first, "first").items()
    }
    for name, value in given.items():
        if name not in bounds:
            raise InputError(f"'{name}' is not optimised", fix=name_hint(name, tuple(bounds)))
        if not bounds[name][0] <= value <= bounds[name][1]:
            raise InputError(f"first '{name}' is {value:g}, out of its bounds", fix="Move them.")
    found = {}
    for name, (low, high) in bounds.items():
        own = 0.5 * (low + high) if plant is None else plant.parameters[name]
        found[name] = min(max(given.get(name, own), low), high)
    return found


class _EnoughError(Exception):
    """The maximum number of designs has been evaluated."""


class _Search:
    """Evaluates designs, as vectors in the unit box, and caches the results."""

    def __init__(
        self,
        merit: Callable[[Any], Any],
        bounds: Mapping[str, tuple[float, float]],
        plant: BarePlant | None,
        constraints: dict[str, Callable[[Any], float]],
        gradient: Callable[[Any], Mapping[str, float]] | None,
        most: int,
    ) -> None:
        self.merit, self.bounds, self.plant = merit, dict(bounds), plant
        self.constraints, self.gradient, self.most = constraints, gradient, most
        self.low, high = np.array(list(bounds.values())).T
        self.span = high - self.low
        self.history: list[Design] = []
        self.tell: Callable[[str], None] = lambda _: None
        self.parts = 0  # number of entries of an array merit; 0 for a scalar
        self._found: dict[bytes, tuple[Array, dict[str, float]]] = {}

    def vector(self, values: Mapping[str, float]) -> Array:
        """A design as a vector in the unit box."""
        return np.asarray((np.array([values[name] for name in self.bounds]) - self.low) / self.span)

    def values(self, x: Array) -> dict[str, float]:
        """The design of a vector in the unit box."""
        numbers = self.low + np.clip(x, 0.0, 1.0) * self.span
        return dict(zip(self.bounds, numbers.tolist(), strict=True))

    @contextmanager
    def _subject(self, values: Mapping[str, float]) -> Iterator[Any]:
        """The argument of a merit: the plant with these parameters, or the values by name."""
        if self.plant is None:
            yield dict(values)
            return
        before = dict(self.plant.parameters)
        try:
            self.plant.parameters.update(values)
            yield self.plant
        finally:
            self.plant.parameters.update(before)

    def judge(self, x: Array) -> tuple[Array, dict[str, float]]:
        """Merit of a design as an array of at least one entry, and its constraint values."""
        key = np.clip(x, 0.0, 1.0).tobytes()
        if key in self._found:
            return self._found[key]
        if len(self.history) >= self.most:
            raise _EnoughError
        values, reason = self.values(x), ""
        limits: dict[str, float] = {}
        try:
            with self._subject(values) as subject:
                found = reals(self.merit(subject), "the figure of merit").ravel()
                limits = {
                    name: real(each(subject), f"constraint '{name}'")
                    for name, each in self.constraints.items()
                }
            lost = [f"constraint '{name}'" for name, x in limits.items() if not np.isfinite(x)]
            if not np.all(np.isfinite(found)):
                lost = ["its figure of merit"]
            reason = f"{lost[0]} is not finite" if lost else ""
        except InloopError as error:
            found, reason = np.zeros(0), error.mistakes[0].what
        if self.history and not reason and found.size != max(self.parts, 1):
            raise InputError(
                f"the figure of merit has {counted(found.size, 'number')}, that of the first "
                f"design {max(self.parts, 1)}",
                fix="Return as many for each design.",
            )
        if reason and self.history:
            found, limits = self._penalty(), dict.fromkeys(self.constraints, -1.0)
        self.history.append(Design(values, np.nan if reason else _single(found), reason))
        self.tell(f"optimising: {len(self.history)} designs")
        self._found[key] = np.atleast_1d(found), limits
        return self._found[key]

    def _penalty(self) -> Array:
        """Merit assigned to a failed design: far worse than any seen so far."""
        worst = max(each.merit for each in self.history if not each.reason)
        if self.parts:
            return np.full(self.parts, np.sqrt(WORSE * max(worst, 1e-300) / self.parts))
        return np.array(worst + WORSE * (abs(worst) or 1.0))

    def begin(self, x: Array) -> None:
        """Evaluate the first design.

        Raises:
            SimulationError: it fails.
        """
        found, _ = self.judge(x)
        if self.history[0].reason:
            raise SimulationError(
                f"the first design fails: {self.history[0].reason}",
                fix="Begin with one that works: first={...}.",
            )
        self.parts = len(found) if len(found) > 1 else 0
        if self.parts and self.gradient is not None:
            raise InputError(
                "a gradient needs a figure of merit that is a number", fix="Return a number."
            )

    def number(self, x: Array) -> float:
        """Figure of merit of a design as a scalar."""
        return _single(self.judge(x)[0])

    def _slope(self, x: Array) -> Array:
        assert self.gradient is not None
        with self._subject(self.values(x)) as subject:
            found = by_name(self.gradient(subject), "the gradient")
        for name in self.bounds:
            if name not in found or not np.isfinite(real(found[name], f"the gradient by '{name}'")):
                told = found.get(name, "missing")
                raise InputError(
                    f"the gradient by '{name}' is {told}", fix="Return a number for each name."
                )
        slopes = np.array([found[name] for name in self.bounds], np.float64)
        return np.asarray(slopes * self.span)

    @property
    def improved(self) -> bool:
        """Whether a design is better than the first one."""
        return any(each.merit < self.history[0].merit for each in self.history[1:])

    def slope_notes(self) -> list[str]:
        """A note if the gradient contradicts a finite difference of the merit along it."""
        x, pair = self.vector(self.history[0].values), []
        slope = self._slope(x)
        steep = float(np.linalg.norm(slope))
        way = DIFFERENCE * slope / (steep or 1.0)
        if not steep or np.any(np.abs(x - 0.5) + np.abs(way) > 0.5):
            return []
        try:
            for at in (x - way, x + way):
                with self._subject(self.values(at)) as subject:
                    pair.append(_single(reals(self.merit(subject), "the figure of merit")))
        except InloopError:
            return []
        found = (pair[1] - pair[0]) / (2.0 * DIFFERENCE)
        if abs(found - steep) <= WRONG * steep:
            return []
        return [
            "gradient= is not that of the figure of merit: over the bounds the latter changes by "
            f"{found:.2g} along it, where it says {steep:.2g}"
        ]

    def run(self, x: Array, method: Method, tolerance: float, seed: int) -> bool:
        """Run the search; returns whether it converged."""
        box = [(0.0, 1.0)] * len(x)
        names = list(self.constraints)
        if method == "global":
            limits = [
                scipy.optimize.NonlinearConstraint(
                    lambda at: [self.judge(at)[1][name] for name in names], 0.0, np.inf
                )
            ]
            found = scipy.optimize.differential_evolution(
                self.number, box, x0=x, popsize=POPULATION, tol=tolerance, seed=seed, polish=False,
                constraints=limits if names else (),
            )  # fmt: skip
        elif method == "simplex":
            return self._by_simplex(x, box, tolerance)
        elif self.parts and not names:
            found = scipy.optimize.least_squares(
                lambda at: self.judge(at)[0], np.clip(x, 1e-9, 1.0 - 1e-9), bounds=(0.0, 1.0),
                diff_step=DIFFERENCE, ftol=tolerance, xtol=tolerance,
            )  # fmt: skip
        else:
            found = self._by_gradient(x, box, tolerance)
        return bool(found.success)

    def _by_simplex(self, x: Array, box: Sequence[tuple[float, float]], tolerance: float) -> bool:
        """Nelder-Mead method, restarted from its result until that yields no further gain.

        A simplex at a bound, or in a valley, may collapse and stagnate far from the minimum (Kelley
        1999).
        """
        small = tolerance * (abs(self.number(x)) or 1.0)
        while True:
            before = self.number(x)
            # away from the nearer bound, so that no vertex lies outside
            corners = x + SIMPLEX * np.diag(np.where(x > 0.5, -1.0, 1.0))
            found = scipy.optimize.minimize(
                self.number, x, method="Nelder-Mead", bounds=box,
                options={
                    "xatol": 1e-3, "fatol": small, "maxfev": self.most, "maxiter": self.most,
                    "initial_simplex": np.vstack([x, corners]), "adaptive": len(x) > MANY,
                },
            )  # fmt: skip
            x = np.clip(found.x, 0.0, 1.0)
            if before - float(found.fun) <= RESTED * small:
                return bool(found.success)

    def _by_gradient(self, x: Array, box: Sequence[tuple[float, float]], tolerance: float) -> Any:
        size = abs(self.number(x)) or 1.0  # scales merits to the order of 1
        limits = [
            {"type": "ineq", "fun": lambda at, name=name: self.judge(at)[1][name]}
            for name in self.constraints
        ]
        exact = self.gradient is not None
        options: dict[str, Any] = (
            {"ftol": tolerance} if exact else {"ftol": tolerance, "eps": DIFFERENCE}
        )
        return scipy.optimize.minimize(
            lambda at: self.number(at) / size,
            x,
            method="SLSQP" if limits else "L-BFGS-B",
            jac=(lambda at: self._slope(at) / size) if exact else None,
            bounds=box,
            constraints=limits,
            options=options,
        )

    def result(self, converged: bool, doubts: Sequence[str] = ()) -> Optimised:
        """The best design that satisfies all constraints, or violates them least."""
        limits = [each[1] for each in self._found.values()]
        broken = [max([0.0, *(-value for value in each.values())]) for each in limits]
        good = [k for k, each in enumerate(self.history) if not each.reason]
        best = min(good, key=lambda k: (round(broken[k], 6), self.history[k].merit))
        chosen, notes = self.history[best], []
        failed = [each for each in self.history if each.reason]
        notes += [f"failed: {reason}" for reason in dict.fromkeys(e.reason for e in failed)][:SHOWN]
        notes += [
            f"constraint '{name}' is violated" for name, v in limits[best].items() if v < -1e-6
        ]
        for name, (low, high) in self.bounds.items():
            if min(chosen.values[name] - low, high - chosen.values[name]) < 1e-6 * (high - low):
                notes.append(f"{name} is at its bound")
        if not converged:
            notes.append(self._unrest())
        notes += doubts
        merits = {each.merit for each in self.history if not each.reason}
        if len(merits) == 1 and len(good) > 1:
            notes.append(f"the figure of merit is the same in all {len(good)} designs that worked")
        return Optimised(
            chosen.values, chosen.merit, self.history[0], tuple(self.history), self.bounds,
            limits[best], converged, tuple(notes),
        )  # fmt: skip

    def _unrest(self) -> str:
        """A note on how much a search still improved before it was stopped."""
        told = f"the search has not converged after {len(self.history)} designs"
        merits = np.fmin.accumulate([each.merit for each in self.history])
        if len(merits) <= LATEST or not merits[-1]:
            return told
        gain = (merits[-1 - LATEST] - merits[-1]) / abs(merits[-1])
        return f"{told}: the last {LATEST} improved the figure of merit by {100 * gain:.2g} %"


def _single(found: Array) -> float:
    """A figure of merit as a scalar: the sum of squares of an array."""
    values = np.atleast_1d(found)
    return float(values[0]) if values.size == 1 else float(values.ravel() @ values.ravel())
