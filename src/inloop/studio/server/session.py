"""The connected pages: their requests, and the messages they get.

Everything here runs in one thread; only long work is done in other threads.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from inloop.devices import Note
from inloop.errors import InloopError, InputError, MailboxError
from inloop.studio.messaging.client import Client, Subscription, encode
from inloop.studio.messaging.frames import InputFrame, TouchFrame, echo_frame, read_frame
from inloop.studio.messaging.message_types import DeviceReadings, Message
from inloop.studio.messaging.request_types import Options, Request, Subscribe
from inloop.studio.messaging.requests import LONGEST, RequestError, read_request
from inloop.studio.messaging.scene_types import Scene
from inloop.studio.plants.catalog import Catalog
from inloop.studio.plants.haptic_device import HapticDevice
from inloop.studio.plants.inputs import OccupiedError
from inloop.studio.plants.live import Live
from inloop.studio.plants.playback import Playback
from inloop.studio.plants.recordings import Recordings
from inloop.studio.plants.running import Running
from inloop.studio.plants.sources import COMMANDS, MOVES, Source
from inloop.studio.server import messages

SPEEDS = (0.001, 1000.0)
GENERATIONS = 0xFFFF


class OffenseError(Exception):
    """A client that must be disconnected; the message says why."""


class Session:
    """State shared by all pages.

    Attributes:
        clients: connected pages.
        running: the plant.
        busy: set when a page connects, so that it need not wait for the next slow beat.
    """

    def __init__(self, catalog: Catalog, recordings: Recordings) -> None:
        self.clients: set[Client] = set()
        self.running = Running(
            catalog, recordings, self._greet_all, self._tell_control, self.broadcast
        )
        recordings.changed = self.tell_recording
        self.running.tell = lambda told: self.broadcast({"kind": "notice", **told})
        self.busy = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()  # of commands to a plant; fair: first come, first served
        self._choosing: set[asyncio.Task[None]] = set()  # those that may be cancelled

    # messages to all pages

    def broadcast(self, message: Message) -> None:
        """Send a message to all clients."""
        text = encode(message)
        for client in self.clients:
            client.tell(text)

    def tell_state(self) -> None:
        """Send the current state."""
        self.broadcast(messages.state(self.running))

    def tell_parameters(self, values: dict[str, float]) -> None:
        """Send new values of parameters, and the scene if it has changed."""
        self.broadcast({"kind": "parameters", "values": values})
        if self.running.control is not None:
            self.running.control.see(values)
        show = self.running.show
        if show is not None and show.set_parameters(values):
            scene = cast(Scene, show.scene)
            self.broadcast({"kind": "scene", "scene": scene, "anatomy": show.anatomy})

    def tell_watched(self, client: Client) -> None:
        """Send the newest values of the signals that a page watches."""
        moment = self.running.moment
        if client.watched and moment is not None:
            values = {name: float(moment.values[k]) for name, k in client.watched.items()}
            client.tell({"kind": "watched", "values": cast(dict[str, float | None], values)})

    def tell_held(self) -> bool:
        """Send the bodies that are held to each page; False if there are none."""
        touch, source = self.running.touch, self.running.source
        if touch is None or not isinstance(source, Live):
            return False
        holds = touch.holds(source.hand.newest())
        for client in self.clients:
            client.tell({"kind": "held", "mine": touch.owner is client, "holds": holds})
        return bool(holds)

    def tell_note(self, note: Note) -> None:
        """Send the start or end of a note."""
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
        client.watched = {}
        client.forget_samples()
        client.tell(hello)
        if isinstance(self.running.source, Playback):
            client.tell(self.running.source.timeline())

    # the pages

    def join(self, client: Client) -> None:
        """A page has connected."""
        self.clients.add(client)
        if self.running.source is not None:
            self._greet(client, encode(messages.hello(self.running)))
        elif self.running.condition().state != "starting":
            self._greet(client, encode(messages.hello_without_plant(self.running)))
        client.tell(messages.state(self.running))
        self.busy.set()

    def leave(self, client: Client) -> None:
        """A page has disconnected."""
        self.clients.discard(client)
        if self.running.inputs is not None:
            self.running.inputs.release(client)
        if self.running.touch is not None:
            self.running.touch.let_go(client)
        if not self.clients and self.running.device is not None:
            self._later(client, self._let_go())

    def hear(self, client: Client, message: str | bytes) -> None:
        """Handle a message of a page.

        Raises:
            OffenseError: the client must be disconnected.
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
            # a bad message affects only its own page
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
            self._drive(client, lambda: inputs.set(client, found))
        elif isinstance(found, TouchFrame):
            if self.running.touch is None:
                raise RequestError("nothing can be held here", fix="Go back to the live plant.")
            self.running.touch.set(client, found)
        elif found is not None:
            sequence, used_at, page_time = self._used(client)
            t = self.running.moment.t if self.running.moment is not None else 0.0
            now = self.running.source.now if self.running.source is not None else 0.0
            client.answer(echo_frame(found, sequence, now, t, used_at, page_time))
        else:
            raise RequestError("a binary message makes no sense", fix="Reload the page.")

    def _used(self, client: Client) -> tuple[int, float, float]:
        """For the newest input or hold of a page that the loop has used: see `Inputs.used`."""
        inputs, touch = self.running.inputs, self.running.touch
        if touch is not None and touch.owner is client:
            return touch.used
        return inputs.used if inputs is not None else (0, 0.0, 0.0)

    def _do(self, client: Client, request: Request) -> None:
        """Handle a request, at once or in a task."""
        running, source = self.running, self.running.source
        if request["do"] == "choose":
            self._open(client, running.choose(request["name"], request.get("options", {})))
            return
        if request["do"] == "restart":
            self._open(client, running.restart())
            return
        if source is None:
            raise InputError("no plant is running", fix="Wait, or choose one.")
        if request["do"] == "subscribe":
            _subscribe(client, source, request)
        elif request["do"] == "watch":
            client.watched = _known(source, request["signals"])
            self.tell_watched(client)
        elif request["do"] == "place":
            keep = request.get("keep_velocities", False)
            place = partial(running.place, request["coordinate"], request["q"], keep)
            self._later(client, self._in_turn(place))
        elif (values := _assignment(source, request)) is not None:
            self._later(client, asyncio.to_thread(source.set_parameters, values))
        elif isinstance(source, Playback) and request["do"] in (*COMMANDS, *MOVES):
            source.command(request["do"], _argument(request))  # at once, in order
            if request["do"] in COMMANDS:
                self.tell_state()
        elif request["do"] in COMMANDS:
            command = partial(source.command, request["do"], _argument(request))
            self._later(client, self._in_turn(command))
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
            inputs = running.inputs
            self._drive(client, lambda: inputs.take(client))
            self.tell_state()
        elif request["do"] == "release_input" and running.inputs is not None:
            running.inputs.release(client)
            self.tell_state()
        elif request["do"] == "pin" and running.touch is not None:
            running.touch.pin(client)
        elif request["do"] == "let_go" and running.touch is not None:
            running.touch.let_go(client, request.get("grip"))
        else:
            words = f"{request['do']} is not possible here"
            raise InputError(words, fix="Use the controls of the page.")

    def _open(self, client: Client, work: Coroutine[Any, Any, None]) -> None:
        """Replace the current plant by another one."""
        task = self._later(client, work)
        self._choosing.add(task)
        task.add_done_callback(self._choosing.discard)

    def _drive(self, client: Client, act: Callable[[], None]) -> None:
        """Let a client drive, or tell it why it cannot."""
        try:
            act()
        except (OccupiedError, MailboxError) as error:
            mistake = error.mistakes[0]
            client.tell({"kind": "refused", "text": mistake.what, "fix": mistake.fix})

    def _steer(self, request: Request) -> None:
        """Pass a request on to the active controller."""
        control = self.running.control
        if control is None or self.running.file:
            raise InputError("no plant is running", fix="Go back to the live plant.")
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
        """The device process has ended unexpectedly."""
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
            self.tell_recording()  # also after a failure: a page may be waiting for it

    def tell_recording(self) -> None:
        """Send the state of the recorder."""
        self.broadcast({"kind": "record", **self.running.recordings.status()})

    async def close(self) -> None:
        """Cancel the opening of another plant, and close the current one."""
        chosen = list(self._choosing)
        for task in chosen:
            task.cancel()
        await asyncio.gather(*chosen, return_exceptions=True)
        await self.running.close()

    async def _in_turn(self, command: Callable[[], None]) -> None:
        """Command a plant, which may be slow; one command after the other, as they came."""
        async with self._turn:
            await asyncio.to_thread(command)

    def _later(self, client: Client, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a long task; report errors to the client."""

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
    rate = 1.0 / source.layout.period
    columns = tuple(_known(source, request["signals"]).values())
    wanted = min(max(request.get("rate_hz", rate), 1e-3), rate)
    every = max(1, round(rate / wanted))
    client.subscription = Subscription(
        client.subscription.generation, columns, every, tuple(request["signals"])
    )
    number_anew(client, source, fresh=False)
    source.replot()


def number_anew(client: Client, source: Source, *, fresh: bool) -> None:
    """Restart the samples of a client under a new generation.

    Args:
        client: client that plots.
        source: source of the samples.
        fresh: the new samples do not continue the previous ones.
    """
    wanted = client.subscription
    generation = (wanted.generation + 1) & GENERATIONS
    client.subscription = replace(wanted, generation=generation)
    client.forget_samples()
    client.tell({
        "kind": "subscribed", "generation": generation, "fresh": fresh,
        "rate_hz": 1.0 / (source.layout.period * wanted.every), "signals": list(wanted.signals),
    })  # fmt: skip


def _known(source: Source, signals: Sequence[str]) -> dict[str, int]:
    """Columns of signals by name."""
    index = source.layout.index
    unknown = [name for name in signals if name not in index]
    if unknown:
        raise RequestError(
            f"there is no signal {unknown[0][:60]!a}", fix="Choose one from the list."
        )
    return {name: index[name] for name in signals}


def _assignment(source: Source, request: Request) -> dict[str, float] | None:
    """New values of parameters, clipped to their ranges; None for other requests."""
    known = {p.name: p for p in source.layout.parameters}
    if request["do"] == "reset_parameters":
        return {p.name: p.default for p in known.values()}
    if request["do"] != "set" and request["do"] != "reset_parameter":
        return None
    name = request["parameter"]
    if name not in known:
        raise RequestError(f"there is no parameter {name[:60]!a}", fix="Choose one from the list.")
    declared = known[name]
    if request["do"] == "reset_parameter":
        return {name: declared.default}
    return {name: min(max(request["value"], declared.least), declared.most)}


def _argument(request: Request) -> float:
    """The numeric argument of a command."""
    if request["do"] == "step" or request["do"] == "step_back":
        return float(request.get("count", 1))
    if request["do"] == "seek":
        return request["at"]
    if request["do"] == "speed":
        return min(max(request["factor"], SPEEDS[0]), SPEEDS[1])
    return 0.0


def _explain(client: Client, error: InloopError) -> None:
    mistake = error.mistakes[0]
    client.notice("error", mistake.what or str(error), mistake.fix)


def _explain_surprise(client: Client, error: Exception) -> None:
    """Report an unexpected error, and log it."""
    logging.getLogger(__name__).error("a request failed", exc_info=error)
    words = f"{type(error).__name__}: {error}"[:200]
    client.notice("error", f"this did not work: {words}", "Reload the page, or try something else.")
