"""One plant, many pages: who is there, what they ask for, what they get.

Everything here happens in one thread; only what may take long is done in another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from inloop.errors import InloopError, InputError, MailboxError
from inloop.studio import greeting
from inloop.studio.catalogue import Catalogue, Choice, Options
from inloop.studio.client import Client, Subscription, encode
from inloop.studio.frames import InputFrame, echo_frame, read_frame
from inloop.studio.health import Health
from inloop.studio.inputs import Inputs
from inloop.studio.live import Live
from inloop.studio.playback import Playback
from inloop.studio.processes import Process
from inloop.studio.recordings import Recordings
from inloop.studio.requests import LONGEST, RequestError, read_request
from inloop.studio.show import Show
from inloop.studio.sources import COMMANDS, Condition, Moment, Source

STARTS_WITHIN = 120.0  # [s] with derivation and compilation
ENDS_WITHIN = 5.0  # [s]
LOOK_EVERY = 0.05  # [s]
SPEEDS = (0.001, 1000.0)


class OffenceError(Exception):
    """A client that must go; the message says why."""


class Session:
    """What the pages share.

    Attributes:
        clients: those who are there.
        source: the plant that runs, or the recording; None while none is ready.
        show: what there is to see of it.
        moment: the newest outputs.
    """

    def __init__(self, catalogue: Catalogue, recordings: Recordings) -> None:
        self._catalogue, self.recordings = catalogue, recordings
        self.clients: set[Client] = set()
        self.source: Source | None = None
        self.show: Show | None = None
        self.moment: Moment | None = None
        self.inputs: Inputs | None = None
        self.health = Health()
        self.choice: Choice | None = None
        self._live: Live | None = None
        self._loop: Process | None = None
        self._changing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.starting = False
        self._problem: dict[str, Any] | None = None

    # the plant

    async def open(self, choice: Choice) -> None:
        """Start a plant, or attach to one that runs, and greet everybody.

        Raises:
            InloopError: it does not start; the text says why.
        """
        self.starting, self.choice, self._problem = True, choice, None
        self.tell_state()
        try:
            if choice.command:
                self._loop = Process(choice.command)
            live = await self._attach(choice.plant)
        except InloopError as error:
            mistake = error.mistakes[0]
            self._problem = {"level": "error", "text": mistake.what, "fix": mistake.fix}
            raise
        finally:
            self.starting = False
        self._live = live
        self._use(live, choice)

    async def _attach(self, plant: str) -> Live:
        end = time.monotonic() + STARTS_WITHIN
        while True:
            with contextlib.suppress(MailboxError):
                return Live(plant)
            process = self._loop
            if process is None:
                return Live(plant)  # tells why not
            if not process.running or time.monotonic() > end:
                words = process.last_words() or "it gave no sign"
                raise InputError(f"the plant did not start: {words}")
            await asyncio.sleep(LOOK_EVERY)

    def _use(self, source: Source, choice: Choice) -> None:
        """Let all pages see this source."""
        self.source, self.health, self.moment = source, Health(), source.newest()
        self.show = Show(choice.stage, source.layout)
        self.show.set_parameters(source.parameters())
        self.inputs = Inputs(source, choice.stage.device) if isinstance(source, Live) else None
        hello = encode(self._hello())
        for client in self.clients:
            self._greet(client, hello)
        self.tell_state()

    async def close(self) -> None:
        """Let go of the plant; end it if it is our own."""
        await self.recordings.end()
        if isinstance(self.source, Playback):
            self.source.close()
        if self._live is not None:
            self._live.close()
        self.source, self._live, self.show, self.inputs = None, None, None, None
        if self._loop is not None:
            await self._loop.end(ENDS_WITHIN)
            self._loop = None

    async def _choose(self, name: str, options: Options) -> None:
        """Another plant in place of the present one; the present one stays if that is wrong."""
        if self.choice is not None and not self.choice.command:
            raise InputError(
                "this plant was started by somebody else", fix="Start a studio of your own."
            )
        async with self._changing:
            choice = await asyncio.to_thread(self._catalogue.choose, name, options)
            await self.close()
            await self.open(choice)

    # what everybody hears

    def broadcast(self, message: dict[str, Any]) -> None:
        """Tell all clients."""
        text = encode(message)
        for client in self.clients:
            client.tell(text)

    def condition(self) -> Condition:
        """How it goes, also when there is no plant."""
        if self.source is None:
            return Condition("starting" if self.starting else "ended")
        return self.source.condition()

    def tell_state(self) -> None:
        """The state of the plant to all."""
        condition, moment = self.condition(), self.moment
        counters = condition.counters
        self.broadcast({
            "kind": "state",
            "state": condition.state,
            "speed": condition.speed,
            "step": moment.step if moment is not None else 0,
            "t": moment.t if moment is not None else 0.0,
            "status": moment.status if moment is not None else "OK",
            "flags": moment.flag_names if moment is not None else [],
            "overruns": counters.get("overruns", 0),
            "stale": counters.get("stale", 0),
            "lost": counters.get("lost", 0),
            "source": self.source.name if isinstance(self.source, Playback) else "live",
            "driven": self.inputs is not None and self.inputs.owner is not None,
            "notice": self._problem or self.health.notice(condition, moment),
        })  # fmt: skip

    def tell_parameters(self, values: dict[str, float]) -> None:
        """New values of parameters, and the scene if it looks different."""
        self.broadcast({"kind": "parameters", "values": values})
        if self.show is not None and self.show.set_parameters(values):
            self.broadcast({"kind": "scene", "scene": self.show.scene})

    def tell_recordings(self) -> None:
        """What is being recorded, and what there is."""
        self.broadcast({"kind": "record", **self._recordings()})

    def _recordings(self) -> dict[str, Any]:
        return {"active": self.recordings.active, "files": self.recordings.files()}

    def _hello(self) -> dict[str, Any]:
        choice, source, show = self.choice, self.source, self.show
        assert choice is not None and source is not None and show is not None
        can = ["subscribe", "pause", "go", "step", "speed", "reset", "replay"]
        if isinstance(source, Playback):
            can.append("live")
        else:
            can += ["set", "reset_parameter", "reset_parameters", "record"]
            can += ["take_input", "release_input"] if source.layout.inputs else []
        if choice.command:
            can.append("choose")
        docs = choice.stage.docs
        return {
            "kind": "hello",
            "protocol": greeting.PROTOCOL,
            "menu": self._catalogue.menu() if choice.command else [],
            **greeting.plant_part(choice, source.layout, show),
            "parameters": greeting.parameters(source.layout, source.parameters(), docs),
            "inputs": greeting.inputs(source.layout, self.inputs, docs),
            "can": can,
            "record": self._recordings(),
        }

    # the pages

    def join(self, client: Client) -> None:
        """A page was opened."""
        self.clients.add(client)
        if self.source is not None:
            self._greet(client, encode(self._hello()))
        self.tell_state()

    def _greet(self, client: Client, hello: str) -> None:
        client.subscription = Subscription(client.subscription.generation + 1)
        client.forget_samples()
        client.tell(hello)

    def leave(self, client: Client) -> None:
        """A page was closed."""
        self.clients.discard(client)
        if self.inputs is not None:
            self.inputs.release(client)

    def hear(self, client: Client, message: str | bytes) -> None:
        """Do what a page asks for.

        Raises:
            OffenceError: the client must go.
        """
        if len(message) > LONGEST:
            raise OffenceError(f"a message of {len(message)} bytes; {LONGEST} are allowed")
        if not client.messages.take():
            raise OffenceError("more than 200 messages per second")
        try:
            if isinstance(message, bytes):
                self._hear_frame(client, message)
            else:
                self._do(client, read_request(message))
        except RequestError as error:
            self._forgive(client, error)
        except InloopError as error:
            _explain(client, error)

    def _forgive(self, client: Client, error: InloopError) -> None:
        _explain(client, error)
        if not client.patience.take():
            raise OffenceError("too many messages that make no sense")

    def _hear_frame(self, client: Client, data: bytes) -> None:
        found = read_frame(data)
        if isinstance(found, InputFrame):
            if self.inputs is None:
                raise RequestError("nothing can be driven here", fix="Go back to the live plant.")
            self.inputs.set(client, found)
        elif found is not None:
            used = self.inputs.used if self.inputs is not None else (0, 0.0, 0.0)
            t = self.moment.t if self.moment is not None else 0.0
            client.answer(echo_frame(found, used[0], time.monotonic(), t, used[1], used[2]))
        else:
            raise RequestError("a binary message makes no sense", fix="Reload the page.")

    def _do(self, client: Client, request: dict[str, Any]) -> None:
        """Requests that are done at once; the others go on in a task."""
        what, source = request["do"], self.source
        if what == "choose":
            options = request.get("options", {})
            self._later(client, self._choose(request["name"], options))
            return
        if source is None:
            raise InputError("no plant runs just now", fix="Wait, or choose one.")
        if what == "subscribe":
            self._subscribe(client, source, request)
        elif what in ("set", "reset_parameter", "reset_parameters"):
            self._later(client, self._set(source, _assignment(source, request)))
        elif what in COMMANDS:
            self._later(client, self._command(source, what, _argument(what, request)))
        elif what == "record":
            self._later(client, self._record(request["on"]))
        elif what in ("replay", "live"):
            self._later(client, self._switch(request.get("file", "")))
        elif what in ("take_input", "release_input") and self.inputs is not None:
            (self.inputs.take if what == "take_input" else self.inputs.release)(client)
            self.tell_state()
        else:
            raise InputError(f"{what} is not possible here", fix="See what the page offers.")

    def _later(self, client: Client, work: Any) -> None:
        """Do something that takes a while; tell the client if it goes wrong."""

        async def guarded() -> None:
            try:
                await work
            except InloopError as error:
                _explain(client, error)
            self.tell_state()

        task = asyncio.get_running_loop().create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _subscribe(self, client: Client, source: Source, request: dict[str, Any]) -> None:
        index, layout = source.layout.index, source.layout
        unknown = [name for name in request["signals"] if name not in index]
        if unknown:
            raise RequestError(
                f"there is no signal {unknown[0][:60]!a}", fix="Choose one of the list."
            )
        rate = 1.0 / layout.period
        wanted = min(max(request.get("rate_hz", rate), 1e-3), rate)
        every = max(1, round(rate / wanted))
        columns = tuple(index[name] for name in request["signals"])
        generation = client.subscription.generation + 1
        client.subscription = Subscription(generation & 0xFFFF, columns, every)
        client.forget_samples()
        client.tell({
            "kind": "subscribed", "generation": generation & 0xFFFF, "rate_hz": rate / every,
            "signals": list(request["signals"]),
        })  # fmt: skip

    async def _set(self, source: Source, values: dict[str, float]) -> None:
        await asyncio.to_thread(source.set_parameters, values)

    async def _command(self, source: Source, what: str, value: float) -> None:
        await asyncio.to_thread(source.command, what, value)

    async def _record(self, on: bool) -> None:
        async with self._changing:
            problem = ""
            if on and isinstance(self.source, Live):
                self.recordings.begin(self._catalogue, self.source.name)
            elif not on:
                problem = await self.recordings.end()
            self.tell_recordings()
            if problem:
                raise InputError(f"the recording failed: {problem}")

    async def _switch(self, file: str) -> None:
        """To a recording, or back to the plant."""
        async with self._changing:
            before, choice = self.source, self.choice
            assert choice is not None
            if file:
                played = await asyncio.to_thread(Playback, self.recordings.find(file))
                if self.inputs is not None and self.inputs.owner is not None:
                    self.inputs.release(self.inputs.owner)
                self._use(played, choice)
            elif self._live is not None:
                self._live.skip()
                self._use(self._live, choice)
            if isinstance(before, Playback):
                before.close()


def _assignment(source: Source, request: dict[str, Any]) -> dict[str, float]:
    """Values for parameters, put into their ranges."""
    known = {p.name: p for p in source.layout.parameters}
    if request["do"] == "reset_parameters":
        return {p.name: p.default for p in known.values()}
    name = request["parameter"]
    if name not in known:
        raise RequestError(f"there is no parameter {name[:60]!a}", fix="Choose one of the list.")
    declared = known[name]
    if request["do"] == "reset_parameter":
        return {name: declared.default}
    return {name: min(max(request["value"], declared.least), declared.most)}


def _argument(what: str, request: dict[str, Any]) -> float:
    if what == "step":
        return float(request.get("count", 1))
    if what == "speed":
        return min(max(float(request["factor"]), SPEEDS[0]), SPEEDS[1])
    return 0.0


def _explain(client: Client, error: InloopError) -> None:
    mistake = error.mistakes[0]
    client.notice("error", mistake.what or str(error), mistake.fix)
