"""State estimation of a plant: measurements in, an estimate out, once per period."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import Status
from inloop.native.running.follower import MOST_LOST, FollowerTable
from inloop.native.running.observer import NativeObserver
from inloop.observers.account import Account
from inloop.observers.estimate import Estimate
from inloop.observers.sample_clock import SampleClock
from inloop.observers.setup import Setup
from inloop.observers.symbols import refuse_symbols
from inloop.plant import Array, BarePlant
from inloop.simulate.controlled.sampled import Sampled, unknown_name

if TYPE_CHECKING:
    from inloop.observers.followed import Followed


class Record(Protocol):
    """A record of a mailbox."""

    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102

    def __getitem__(self, name: str) -> float: ...


class Observer:
    """A recursive state estimator, updated once per period with measurements and held inputs.

        x(k|k-1) = f(x(k-1|k-1), u)      the plant's own step
        x(k|k)   = x(k|k-1) + L (y(k) - h(x(k|k-1), u))

    in the tangent space of the plant, so that every estimate closes the loops. It can be used as a
    controller without outputs: `plant.simulate(..., controller=observer)`, `il.run(...)`,
    `inloop.attach`.

    Attributes:
        measured: names of the measured outputs.
        period: time between samples [s].
    """

    def __init__(self, setup: Setup) -> None:
        """Start from a setup; users call `il.observer(...)`."""
        self._setup = setup
        self.measured, self.period = setup.measured, setup.table.step * setup.table.substeps
        self.reset()

    def reset(self) -> None:
        """Return to the initial state."""
        setup = self._setup
        setup.seen.begin()
        self._native = NativeObserver(setup.seen.instance, setup.table)
        self._native.P[:] = np.diag(setup.doubt**2)
        self._account, self._samples = Account(self.measured), 0
        self._away: list[str] = []
        self._queue: deque[tuple[Array, Array]] = deque(maxlen=max(setup.late) + 1)
        self._inputs = setup.seen.first_inputs.copy()
        self._clock = SampleClock(self.period)
        self._states: tuple[str, ...] = ()
        self._named = -1  # set of independent coordinates that these names belong to
        self._estimate: Estimate | None = None

    @property
    def missing(self) -> dict[str, int]:
        """How often each measured output was NaN or rejected, by name."""
        return dict(self._account.missing)

    @property
    def lost(self) -> int:
        """Number of samples that never arrived."""
        return self._account.lost

    @property
    def repeated(self) -> int:
        """Number of samples that arrived twice, and were used once."""
        return self._account.repeated

    @property
    def plant(self) -> BarePlant:
        """The observed plant."""
        return self._setup.seen.plant

    @property
    def setup(self) -> Setup:
        """The constant data of the observer."""
        return self._setup

    @property
    def facts(self) -> str:
        """The user's arguments as text, stored in recordings; see `observer_again`."""
        return self._setup.facts

    def follower(self) -> FollowerTable:
        """A copy of the observer in its initial state, for C to run in or beside a loop.

        Raises:
            InputError: it needs Python at each sample.
        """
        from inloop.observers.following import follower_of

        return follower_of(self)

    @property
    def address(self) -> int:
        """Address of its il_observer, for C programs; valid until the next reset."""
        return self._native.address

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of all inputs of the plant, in the order of `update`."""
        return self._setup.seen.input_names

    @property
    def held(self) -> Array:
        """Inputs held up to now, in the order of `inputs`."""
        return self._inputs.copy()

    @property
    def states(self) -> tuple[str, ...]:
        """States whose errors are estimated, for the independent coordinates in use."""
        if self._native.choices != self._named:
            self._named = self._native.choices
            own = self._setup.seen.state_names
            self._states = (*own, *(extra.name for extra in self._setup.extras))
        return self._states

    # samples

    def step(self, outputs: Mapping[str, float] | Record) -> Estimate:
        """Process a record of outputs and of the inputs that led to them; returns the estimate.

        Args:
            outputs: measured outputs, and inputs held up to now, by name: what a controller reads,
                or a mailbox returns (`box.wait()`). Missing inputs keep their values; "t" reveals
                lost samples: see `sample`.

        Raises:
            InputError: a measured output is missing or no number, or the time is invalid.
            SimulationError: the plant cannot be integrated to the next sample.
        """
        y = np.empty(len(self.measured))
        known = outputs if isinstance(outputs, Mapping) else _names_of(outputs)
        for k, name in enumerate(self.measured):
            if name not in known:
                raise unknown_name("output", name, known)
            y[k] = _number(outputs, name)
        u = self._inputs.copy()
        for k, name in enumerate(self.inputs):
            if name in known and math.isfinite(value := _number(outputs, name)):
                u[k] = value
        self.sample(_number(outputs, "t") if "t" in known else math.nan, y, u)
        return self.estimate

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        """As a controller: update the estimate, without outputs."""
        refuse_symbols(t)
        self.step(outputs)
        return {}

    def leading(self, controller: Callable[[float, Estimate], Mapping[str, float]]) -> Any:
        """A controller that reads estimates instead of outputs."""
        from inloop.observers.leading import Leading

        return Leading(self, controller)

    def sample(self, t: float, measured: Array, inputs: Array) -> None:
        """The same with arrays; `estimate` returns the result.

        Lost samples are bridged by prediction only. The observer restarts if more than `MOST_LOST`
        are missing, if the prediction across them fails, and if the time was set back. Repeated
        samples are used once.

        Args:
            t: time of the measurement [s]; NaN: a period after the last one.
            measured: values in the order of `measured`; NaN if missing.
            inputs: inputs held up to now, in the order of `inputs`.

        Raises:
            InputError: the time is invalid, or a different sample has the same time.
        """
        before = self._clock.last
        passed = self._clock.pass_to(t)
        if passed == 0:
            self._seen_before(t, measured)
            return
        if self._samples == 0 and math.isfinite(t):
            self._native.t = t
        if before is None or 0 < passed <= MOST_LOST + 1:
            try:
                self._bridge(passed - 1, inputs)
                self.update(measured, inputs)
                return
            except SimulationError:
                if passed == 1:
                    raise
        why = "the time was set back" if passed < 0 else "too many samples were lost"
        self._begin_anew(t, f"{why} from t = {before:.9g} to {t:.9g} s")
        self.update(measured, inputs)

    def _seen_before(self, t: float, measured: Array) -> None:
        if not np.array_equal(measured, self._queue[-1][0], equal_nan=True):
            raise InputError(
                f"there are two different samples at t = {t:.9g} s",
                fix="Give each one its own time.",
            )
        self._account.repeated += 1

    def _bridge(self, lost: int, inputs: Array) -> None:
        """Bridge lost samples, without measurements."""
        nothing = np.full(len(self.measured), np.nan)
        for _ in range(lost):
            self.update(nothing, inputs)
        self._account.lost += lost

    def _begin_anew(self, t: float, reason: str) -> None:
        count = self._account.begun_anew + 1
        self.reset()
        self._account.begun_anew, self._account.reason = count, reason
        self._clock.pass_to(t)
        self._native.t = t

    def update(self, measured: Array, inputs: Array) -> None:
        """Process the sample one period after the last one.

        Args:
            measured: values in the order of `measured`; NaN if missing.
            inputs: inputs held up to now, in the order of `inputs`.
        """
        y = np.ascontiguousarray(measured, dtype=np.float64)
        u = np.ascontiguousarray(inputs, dtype=np.float64)
        if y.shape != (len(self.measured),) or u.shape != self._inputs.shape:
            raise InputError(
                f"{y.shape} measured outputs and {u.shape} inputs",
                fix=f"Give {len(self.measured)} and {len(self._inputs)} numbers.",
            )
        if not np.all(np.isfinite(u)):
            name = self.inputs[int(np.argmin(np.isfinite(u)))]
            raise InputError(f"input '{name}' is not finite", fix="Give finite values.")
        self._inputs, self._estimate = u, None
        self._queue.append((y, u))
        self._filter()
        self._samples += 1

    def _filter(self) -> None:
        """Predict and correct at the time of the most delayed sensor, with values of that time."""
        queue, most = self._queue, max(self._setup.late)
        if len(queue) <= most:
            return  # the most delayed values of the start have not arrived yet
        at_hand = [queue[late][0][k] for k, late in enumerate(self._setup.late)]
        if self._samples > most:
            self._advance(queue[0][1])
        else:
            self._native.set_inputs(queue[0][1])
        y = np.array(at_hand)
        self._good(self._native.correct(y), "corrected")
        self._count(y)

    def _advance(self, u: Array) -> None:
        self._good(self._native.predict(u), "carried to the next sample")

    def _count(self, y: Array) -> None:
        native = self._native
        self._away = [
            name
            for k, name in enumerate(self.measured)
            if not math.isfinite(y[k]) or self._too_far(k)
        ]
        self._account.leave_out(self._away, y)
        self._account.correct(native.nis, native.used)

    def _too_far(self, k: int) -> bool:
        gate, native = self._setup.table.gate, self._native
        return gate > 0.0 and native.innovation[k] ** 2 > gate**2 * native.expected_square[k]

    def _good(self, status: Status, what: str) -> None:
        if status != Status.OK:
            raise SimulationError(
                f"the estimate of model '{self.plant.name}' cannot be {what}: {status.name} at "
                f"t = {self._native.t:.6g} s",
                fix="Check the initial state, the noise and the inputs; or use a smaller step=, "
                "and integrator='implicit' if force laws are stiff.",
            )

    # estimates

    @property
    def estimate(self) -> Estimate:
        """The current estimate."""
        if self._estimate is None:
            self._estimate = self._looked_ahead()
        return self._estimate

    def _looked_ahead(self) -> Estimate:
        """Predict from the time of the most delayed sensor to now, then restore the filter."""
        ahead = list(self._queue)[1:]
        if not ahead:
            return self._told()
        native, instance = self._native, self._setup.seen.instance
        kept = native.t, native.x.copy(), native.extra.copy(), native.P.copy()
        taken, choices = instance.snapshot(), native.choices
        for _, u in ahead:
            self._advance(u)
        told = self._told()
        if native.choices != choices:
            instance.restore(taken)
            native.renew()
        native.t, native.x[:], native.extra[:], native.P[:] = kept
        return told

    def _told(self) -> Estimate:
        native, seen = self._native, self._setup.seen
        values = np.zeros(len(seen.output_names))
        self._good(native.outputs(values), "seen")
        acting = self._inputs.copy()
        outputs = Sampled(seen.names, np.concatenate([[native.t], values, acting]))
        names = [extra.name for extra in self._setup.extras]
        n, behind = self.plant.n, self.plant.positions[self.plant.n :]
        return Estimate(
            t=native.t,
            states=self.states,
            covariance=native.P.copy(),
            outputs=outputs,
            extras=dict(zip(names, native.extra.tolist(), strict=True)),
            q=np.concatenate([values[:n], [outputs[name] for name in behind]]),
            qd=values[n : 2 * n],
            nis=native.nis,
            used=native.used,
            missing=tuple(self._away),
        )

    @property
    def covariance(self) -> Array:
        """Covariance of the errors, in the order of `states`, at the most delayed sensor's time."""
        return self._native.P.copy()

    @property
    def nis(self) -> float:
        """Normalized innovation squared of the last correction."""
        return self._native.nis

    @property
    def notes(self) -> tuple[str, ...]:
        """Irregularities so far, as text."""
        return self._account.notes(self.period, self._clock.mean)

    # whole runs, linearization and errors

    def follow(self, run: Any, *, inputs: str | None = None) -> Followed:
        """Estimates over a whole run or recording, from a fresh start; see `followed.follow`."""
        from inloop.observers.followed import follow

        return follow(self, run, inputs)

    def linear(self) -> tuple[Array, Array, Array]:
        """F and Q from this sample to the next, and H, linearized about the estimate."""
        status, F, Q = self._native.slopes(self._inputs)
        self._good(status, "carried to the next sample")
        status, H, _ = self._native.sight()
        self._good(status, "seen")
        return F, Q, H

    def away_from_start(self, change: Array) -> tuple[Array, Array]:
        """The initial state of the plant and extra states, displaced by a given error.

        Args:
            change: displacement, in the order of `states`.

        Raises:
            SimulationError: the loops cannot be closed there.
        """
        self.reset()
        status, x, extra = self._native.moved(change)
        self._good(status, "moved from its start")
        return x, extra

    def with_method(self, method: str) -> Observer:
        """The same observer with another method, "ekf" or "ukf", in its initial state."""
        table = replace(self._setup.table, kind=method)
        return Observer(replace(self._setup, table=table))

    def errors(self, q: Array, qd: Array, states: Mapping[str, float] | None = None) -> Array:
        """Error of the estimate relative to the truth, in the order of `states`.

        Args:
            q: all coordinates, as `plant.positions` names them.
            qd: all velocities.
            states: true values of states of laws and of extra states; 0 for those not named.
        """
        seen, native = self._setup.seen, self._native
        known = dict(states or {})
        z = np.array([known.get(state.name, 0.0) for state in self.plant.mechanism.states])
        seen.system.follow_choice()
        parts = seen.system.formulation.carried
        u, v = list(parts.independent), list(parts.dependent)
        q, qd = np.asarray(q, dtype=np.float64), np.asarray(qd, dtype=np.float64)
        true_x = np.concatenate([q[u], qd[u], z, q[v], q[self.plant.n :]])
        found = native.apart(native.x, true_x)
        own = len(found) - len(native.extra)
        truth = [known.get(extra.name, 0.0) for extra in self._setup.extras]
        found[own:] = np.array(truth) - native.extra
        return found


def _names_of(outputs: Any) -> frozenset[str]:
    names = getattr(outputs, "names", None)
    if names is None:
        raise InputError(
            f"a sample is a {type(outputs).__name__}",
            fix='Give outputs by name, {"crank.q": 0.3}, or a record of a mailbox.',
        )
    return frozenset(names)


def _number(outputs: Any, name: str) -> float:
    try:
        return float(outputs[name])
    except (TypeError, ValueError):
        text = repr(outputs[name])[:60]
        raise InputError(f"'{name}' in a sample is {text}", fix="Give a number.") from None
