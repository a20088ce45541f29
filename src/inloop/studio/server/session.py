"""The pages: who is there, what they ask for, what they get.

Everything here happens in one thread; only what may take long is done in another one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, cast

from inloop.devices import Note
from inloop.errors import InloopError, InputError
from inloop.studio.messaging.client import Client, Subscription, encode
from inloop.studio.messaging.frames import InputFrame, echo_frame, read_frame
from inloop.studio.messaging.message_types import DeviceReadings, Message
from inloop.studio.messaging.request_types import Options, Request, Subscribe
from inloop.studio.messaging.requests import LONGEST, RequestError, read_request
from inloop.studio.messaging.scene_types import Scene
from inloop.studio.plants.catalog import Catalog
from inloop.studio.plants.haptic_device import HapticDevice
from inloop.studio.plants.recordings import Recordings
from inloop.studio.plants.running import Running
from inloop.studio.plants.sources import COMMANDS, Source
from inloop.studio.server import messages

SPEEDS = (0.001, 1000.0)
GENERATIONS = 0xFFFF


class OffenseError(Exception):
    """A client that must go; the message says why."""


class Session:
    """What the pages share.

    Attributes:
        clients: those who are there.
        running: the plant.
        busy: set when a page comes, so that nobody waits for the next slow beat.
    """

    def __init__(self, catalog: Catalog, recordings: Recordings) -> None:
        self.clients: set[Client] = set()
        self.running = Running(
            catalog, recordings, self._greet_all, self._tell_control, self.broadcast
        )
        self.busy = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._choosing: set[asyncio.Task[None]] = set()  # those that may be broken off

    # what everybody hears

    def broadcast(self, message: Message) -> None:
        """Tell all clients."""
        text = encode(message)
        for client in self.clients:
            client.tell(text)

    def tell_state(self) -> None:
        """How it goes."""
        self.broadcast(messages.state(self.running))

    def tell_parameters(self, values: dict[str, float]) -> None:
        """New values of parameters, and the scene if it looks different."""
        self.broadcast({"kind": "parameters", "values": values})
        show = self.running.show
        if show is not None and show.set_parameters(values):
            self.broadcast({"kind": "scene", "scene": cast(Scene, show.scene)})

    def tell_note(self, note: Note) -> None:
        """A note begins or ends."""
        self.broadcast(messages.played(note))

    def _greet_all(self, new_source: bool) -> None:
        if new_source:
            hello = encode(messages.hello(self.running))
            for client in self.clients:
                self._greet(client, hello)
        self.tell_state()

    def _greet(self, client: Client, hello: str) -> None:
        generation = (client.subscription.generation + 1) & GENERATIONS
        client.subscription = Subscription(generation)
        client.forget_samples()
        client.tell(hello)

    # the pages

    def join(self, client: Client) -> None:
        """A page was opened."""
        self.clients.add(client)
        if self.running.source is not None:
            self._greet(client, encode(messages.hello(self.running)))
        elif self.running.condition().state != "starting":
            self._greet(client, encode(messages.hello_without_plant(self.running)))
        client.tell(messages.state(self.running))
        self.busy.set()

    def leave(self, client: Client) -> None:
        """A page was closed."""
        self.clients.discard(client)
        if self.running.inputs is not None:
            self.running.inputs.release(client)
        if not self.clients and self.running.device is not None:
            self._later(client, self._let_go())

    def hear(self, client: Client, message: str | bytes) -> None:
        """Do what a page asks for.

        Raises:
            OffenseError: the client must go.
        """
        if len(message) > LONGEST:
            raise OffenseError(f"a message of {len(message)} bytes; {LONGEST} are allowed")
        if not client.messages.take():
            raise OffenseError("more than 200 messages per second")
        try:
            if isinstance(message, bytes):
                self._hear_frame(client, message)
            else:
                self._do(client, read_request(message))
        except RequestError as error:
            _explain(client, error)
            self._lose_patience(client)
        except InloopError as error:
            _explain(client, error)
        except Exception as error:
            # one bad message is the trouble of one page
            _explain_surprise(client, error)
            self._lose_patience(client)

    def _lose_patience(self, client: Client) -> None:
        if not client.patience.take():
            raise OffenseError("too many messages that make no sense")

    def _hear_frame(self, client: Client, data: bytes) -> None:
        found, inputs = read_frame(data), self.running.inputs
        if isinstance(found, InputFrame):
            if inputs is None:
                raise RequestError("nothing can be driven here", fix="Go back to the live plant.")
            inputs.set(client, found)
        elif found is not None:
            sequence, used_at, page_time = inputs.used if inputs is not None else (0, 0.0, 0.0)
            t = self.running.moment.t if self.running.moment is not None else 0.0
            now = self.running.source.now if self.running.source is not None else 0.0
            client.answer(echo_frame(found, sequence, now, t, used_at, page_time))
        else:
            raise RequestError("a binary message makes no sense", fix="Reload the page.")

    def _do(self, client: Client, request: Request) -> None:
        """Requests that are done at once; the others go on in a task."""
        running, source = self.running, self.running.source
        if request["do"] == "choose":
            work = running.choose(request["name"], request.get("options", {}))
            task = self._later(client, work)
            self._choosing.add(task)
            task.add_done_callback(self._choosing.discard)
            return
        if source is None:
            raise InputError("no plant runs just now", fix="Wait, or choose one.")
        if request["do"] == "subscribe":
            _subscribe(client, source, request)
        elif (values := _assignment(source, request)) is not None:
            self._later(client, asyncio.to_thread(source.set_parameters, values))
        elif request["do"] in COMMANDS:
            work = asyncio.to_thread(source.command, request["do"], _argument(request))
            self._later(client, work)
        elif request["do"] == "device":
            self._later(client, self._hold(request["rig"], request.get("settings", {})))
        elif request["do"] == "control":
            self._later(client, running.put_in_control(request["name"]))
        elif request["do"] in ("tune", "follow", "hold", "aim"):
            self._steer(request)
        elif request["do"] == "record":
            self._later(client, self._record(request["on"]))
        elif request["do"] == "replay":
            self._later(client, running.replay(request["file"]))
        elif request["do"] == "live":
            self._later(client, running.replay(""))
        elif request["do"] == "take_input" and running.inputs is not None:
            running.inputs.take(client)
            self.tell_state()
        elif request["do"] == "release_input" and running.inputs is not None:
            running.inputs.release(client)
            self.tell_state()
        else:
            words = f"{request['do']} is not possible here"
            raise InputError(words, fix="See what the page offers.")

    def _steer(self, request: Request) -> None:
        """What the controller at work is told."""
        control = self.running.control
        if control is None or self.running.file:
            raise InputError("no plant runs just now", fix="Go back to the live plant.")
        if request["do"] == "tune":
            control.tune(request["setting"], request["value"])
        elif request["do"] == "follow":
            control.follow(request["path"])
        elif request["do"] == "aim":
            control.aim((request["x"], request["y"], request["z"]))
        else:
            self.running.hold_pose()

    def _tell_control(self) -> None:
        if self.running.source is not None:
            told = messages.controllers(self.running)
            self.broadcast({"kind": "controllers", "controllers": told})

    async def _hold(self, rig: str, settings: Options) -> None:
        try:
            await self.running.hold(rig, settings, self._tell_panel, self._device_ended)
        finally:
            self._tell_chain()

    async def _let_go(self) -> None:
        await self.running.let_go()
        self._tell_chain()

    def _device_ended(self, device: HapticDevice) -> None:
        """The process of the device is gone, and nobody has asked it to go."""
        if device is not self.running.device:
            return
        for client in self.clients:
            client.notice("warn", "the haptic device has ended", "The pointer drives directly now.")
            self._later(client, self._let_go())
            break

    def _tell_panel(self, data: DeviceReadings) -> None:
        self.broadcast({"kind": "panel", "data": data})

    def _tell_chain(self) -> None:
        if self.running.source is not None:
            self.broadcast({"kind": "chain", **messages.chain(self.running)})

    async def _record(self, on: bool) -> None:
        try:
            await self.running.record(on)
        finally:
            self.broadcast({"kind": "record", **messages.recordings(self.running)})

    async def close(self) -> None:
        """Break off the making of another plant, and let go of this one."""
        chosen = list(self._choosing)
        for task in chosen:
            task.cancel()
        await asyncio.gather(*chosen, return_exceptions=True)
        await self.running.close()

    def _later(self, client: Client, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something that takes a while; tell the client if it goes wrong."""

        async def guarded() -> None:
            try:
                await work
            except InloopError as error:
                _explain(client, error)
            except Exception as error:
                _explain_surprise(client, error)
            self.tell_state()

        task = asyncio.get_running_loop().create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _subscribe(client: Client, source: Source, request: Subscribe) -> None:
    index, rate = source.layout.index, 1.0 / source.layout.period
    unknown = [name for name in request["signals"] if name not in index]
    if unknown:
        raise RequestError(f"there is no signal {unknown[0][:60]!a}", fix="Choose one of the list.")
    wanted = min(max(request.get("rate_hz", rate), 1e-3), rate)
    every = max(1, round(rate / wanted))
    columns = tuple(index[name] for name in request["signals"])
    generation = (client.subscription.generation + 1) & GENERATIONS
    client.subscription = Subscription(generation, columns, every)
    client.forget_samples()
    client.tell({
        "kind": "subscribed", "generation": generation, "rate_hz": rate / every,
        "signals": list(request["signals"]),
    })  # fmt: skip


def _assignment(source: Source, request: Request) -> dict[str, float] | None:
    """Values for parameters, put into their ranges; None if the request is about something else."""
    known = {p.name: p for p in source.layout.parameters}
    if request["do"] == "reset_parameters":
        return {p.name: p.default for p in known.values()}
    if request["do"] != "set" and request["do"] != "reset_parameter":
        return None
    name = request["parameter"]
    if name not in known:
        raise RequestError(f"there is no parameter {name[:60]!a}", fix="Choose one of the list.")
    declared = known[name]
    if request["do"] == "reset_parameter":
        return {name: declared.default}
    return {name: min(max(request["value"], declared.least), declared.most)}


def _argument(request: Request) -> float:
    """The number that comes with a command."""
    if request["do"] == "step":
        return float(request.get("count", 1))
    if request["do"] == "speed":
        return min(max(request["factor"], SPEEDS[0]), SPEEDS[1])
    return 0.0


def _explain(client: Client, error: InloopError) -> None:
    mistake = error.mistakes[0]
    client.notice("error", mistake.what or str(error), mistake.fix)


def _explain_surprise(client: Client, error: Exception) -> None:
    """What nobody has foreseen is told too, and logged."""
    logging.getLogger(__name__).error("a request failed", exc_info=error)
    words = f"{type(error).__name__}: {error}"[:200]
    client.notice("error", f"this did not work: {words}", "Reload the page, or try something else.")
