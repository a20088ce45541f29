"""The plant that the pages show: started, attached to, replaced by another or by a recording."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Mapping

from inloop.errors import InloopError, InputError, MailboxError
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.succession import told_of
from inloop.studio.messaging.message_types import DeviceReadings, Told, Tracking
from inloop.studio.plants.breakable import in_thread
from inloop.studio.plants.catalog import Catalog, Choice, Options
from inloop.studio.plants.control import NONE, Control
from inloop.studio.plants.haptic_device import MOUSE, HapticDevice, offer
from inloop.studio.plants.health import Health
from inloop.studio.plants.inputs import Inputs
from inloop.studio.plants.live import Live
from inloop.studio.plants.measured import Measured
from inloop.studio.plants.notes import Notes
from inloop.studio.plants.playback import Playback
from inloop.studio.plants.processes import Process
from inloop.studio.plants.recordings import Recordings
from inloop.studio.plants.reloading import Reloading
from inloop.studio.plants.show import Show
from inloop.studio.plants.sources import Condition, Moment, Source
from inloop.studio.plants.touch import Touch

STARTS_WITHIN = 120.0  # [s] including derivation and compilation
ENDS_WITHIN = 5.0  # [s]
LOOK_EVERY = 0.05  # [s]
PLACING = "placing"  # fact of a plant that lets others set its joints


class Running:
    """The plant of a session, or a recording shown instead.

    Attributes:
        catalog: available plants.
        recordings: recordings of the plant.
        choice: the chosen plant.
        source: source of the data; None while there is none.
        show: produces its frames.
        notes: detects its notes.
        measured: its contacts and sensors.
        device: haptic device that holds the plant; None if pages drive it themselves.
        control: the controllers of the plant; None while there is no plant.
        moment: the newest outputs.
        tell: called with a notice after a plant was replaced.
    """

    def __init__(
        self,
        catalog: Catalog,
        recordings: Recordings,
        changed: Callable[[bool], None],
        controlled: Callable[[], None],
        tracked: Callable[[Tracking], None],
    ) -> None:
        self.catalog, self.recordings = catalog, recordings
        self.control: Control | None = None
        self._controlled, self._tracked = controlled, tracked
        self.choice: Choice | None = None
        self.source: Source | None = None
        self.show: Show | None = None
        self._hand: Inputs | None = None
        self.notes: Notes | None = None
        self.measured: Measured | None = None
        self.moment: Moment | None = None
        self.device: HapticDevice | None = None
        self._touch: Touch | None = None
        self._changed = changed  # called with True when there is a new source
        self._live: Live | None = None
        self._loop: Process | None = None
        self._health = Health()
        self._reloading: Reloading | None = None
        self.tell: Callable[[Told], None] = lambda told: None
        self._problem: Told | None = None
        self._starting = False
        self._busy = asyncio.Lock()
        self._opening: asyncio.Task[None] | None = None

    @property
    def inputs(self) -> Inputs | None:
        """Inputs of the plant; None while a recording is shown."""
        return None if self.file else self._hand

    @property
    def touch(self) -> Touch | None:
        """Holds on bodies of the plant; None while a recording is shown."""
        return None if self.file else self._touch

    @property
    def meshes(self) -> Mapping[str, bytes]:
        """Packed meshes of the current plant, by name."""
        return {} if self.choice is None else self.choice.stage.meshes

    def refresh_inputs(self) -> None:
        """Keep inputs and holds from becoming stale, whatever is shown."""
        if self._hand is not None:
            self._hand.refresh()
        if self._touch is not None:
            self._touch.refresh()

    # state

    @property
    def has_plant(self) -> bool:
        """Whether there is a live plant behind a recording."""
        return self._live is not None

    @property
    def is_own(self) -> bool:
        """Whether this studio started the plant."""
        return self.choice is not None and bool(self.choice.command)

    @property
    def may_place(self) -> bool:
        """Whether joints may be set here; plants of other programs allow it in their facts."""
        if self.file or self.choice is None or self._live is None:
            return False
        facts = dict(self._live.layout.about)
        return self.is_own or self.choice.ours or facts.get(PLACING) == "allowed"

    @property
    def file(self) -> str:
        """The recording that is shown; "" for the plant itself."""
        return self.source.name if isinstance(self.source, Playback) else ""

    def condition(self) -> Condition:
        """The current condition, also without a plant."""
        if self.source is None:
            return Condition("starting" if self._starting else "ended")
        return self.source.condition()

    def notice(self, condition: Condition) -> Told | None:
        """The notice for the user now."""
        problem = self.recordings.problem
        if problem:
            text = f"the recording stopped early: {problem}"
            fix = "The part written so far can be replayed. Start another one."
            return {"level": "error", "text": text, "fix": fix}
        reloading = None if self._reloading is None else self._reloading.notice
        return self._problem or reloading or self._health.notice(condition, self.moment)

    @property
    def late(self) -> int:
        """Number of late steps within the last seconds, as of the last `notice`."""
        return self._health.late

    # a plant

    async def open(self, choice: Choice) -> None:
        """Start a plant, or attach to a running one.

        Raises:
            InloopError: it does not start, with the reason.
        """
        self._starting, self.choice, self._problem = True, choice, None
        self._changed(False)
        with self._problems_told():
            if choice.recording is not None:
                played = await asyncio.to_thread(Playback, choice.recording)
                self._starting = False
                self._use(played, choice)
                return
            if choice.command:
                self._loop = Process(choice.command)
            await in_thread(self.catalog.menu)  # slow the first time
            self._live = await self._attach(choice.plant)
        self._steer(self._live, choice)
        self._use(self._live, choice)
        first = next((offer.name for offer in choice.controllers if offer.at_once), None)
        if first is not None and choice.command:
            self._opening = asyncio.create_task(self._open_with(self._live, first))
        if choice.watched:
            self._reloading = Reloading(choice, self._succeed, lambda: self._changed(False))

    async def _succeed(self, process: Process, choice: Choice) -> None:
        """Replace the running plant by one that is ready, which takes over its state."""
        async with self._busy:
            await self._drop_device()
            await self.recordings.end()
            if self._hand is not None:
                self._hand.close()
            controller = await self._end_control()
            before, live, watched = self._loop, self._live, isinstance(self.source, Playback)
            self._starting, self._live, self._hand, self._loop = True, None, None, process
            self.choice, self._problem = choice, None
            if not watched:
                self.source = None
            try:
                with self._problems_told():
                    process.go()
                    self._live = await self._attach(choice.plant)
            finally:
                if live is not None:
                    await asyncio.to_thread(live.close)
                if before is not None:
                    await before.end(ENDS_WITHIN)
            self._steer(self._live, choice)
            if not watched:
                self._use(self._live, choice)
            self.tell(_kept(self._live.layout))
        if controller != NONE and not watched:
            with contextlib.suppress(InloopError):  # shown in the panel of controllers
                await self.put_in_control(controller)

    @contextlib.contextmanager
    def _problems_told(self) -> Iterator[None]:
        """Show what keeps a plant from starting."""
        try:
            yield
        except InloopError as error:
            mistake = error.mistakes[0]
            self._problem = {"level": "error", "text": mistake.what, "fix": mistake.fix}
            raise
        finally:
            self._starting = False

    def _steer(self, live: Live, choice: Choice) -> None:
        """Let the pages write inputs of a plant, and its controllers act."""
        self._hand = Inputs(live, choice.stage.device)
        self.control = Control(live, choice.controllers, self._controlled, self._tracked)

    async def _end_control(self) -> str:
        """End the controller, which leaves valid inputs; returns its name."""
        control, self.control = self.control, None
        if control is None:
            return NONE
        await control.close()
        return control.active

    async def _open_with(self, live: Live, name: str) -> None:
        """Activate a controller from the start: the plant is paused there until it is ready."""
        with contextlib.suppress(InloopError):  # shown in the panel of controllers
            for command in ("pause", "reset"):
                await asyncio.to_thread(live.command, command)
            await self.put_in_control(name)
            await asyncio.to_thread(live.command, "go")

    async def put_in_control(self, name: str) -> None:
        """Activate a controller in place of a person, a device or another controller.

        Raises:
            InputError: unknown controller, or it does not start.
        """
        control = self.control
        if control is None or self.file:
            raise InputError("no plant is running", fix="Go back to the live plant.")
        if self.device is not None:
            await self.let_go()
        if self._hand is not None:
            self._hand.close()
        await control.use(name)
        if name == NONE and self._hand is not None:
            self._hand.settle()

    def hold_pose(self) -> None:
        """Let the active controller hold the joints at their current positions.

        Raises:
            InputError: it cannot, or no plant is running.
        """
        if self.control is None or self._live is None or self.moment is None or self.file:
            raise InputError("no plant is running", fix="Go back to the live plant.")
        index, values = self._live.layout.index, self.moment.values
        joints = [x.name for x in self._live.layout.coordinates]
        self.control.hold({name: float(values[index[f"{name}.q"]]) for name in joints})

    async def _attach(self, plant: str) -> Live:
        end, process = time.monotonic() + STARTS_WITHIN, self._loop
        while process is not None:
            with contextlib.suppress(MailboxError):
                # the first call compiles the reader of the mailbox
                live = await in_thread(Live, plant)
                if live.process == process.number:
                    return live
                live.close()  # another plant of the same name
            if not process.running or time.monotonic() > end:
                words = process.last_words().rpartition("error: ")[2] or "it did not respond"
                raise InputError(
                    f"the plant did not start: {words}", fix="Choose another mechanism."
                )
            await asyncio.sleep(LOOK_EVERY)
        return await in_thread(Live, plant)

    def _use(self, source: Source, choice: Choice) -> None:
        """Show this source on all pages."""
        # create everything first: the current source stays if the new one is invalid
        show, notes = Show(choice.stage, source.layout), Notes(choice.stage.notes, source.layout)
        measured = Measured(source.layout)
        show.set_parameters(source.parameters())
        if isinstance(self.source, Playback) and self.source is not source:
            self.source.close()
        self.moment = source.newest()
        self.source, self.show, self.notes, self._health = source, show, notes, Health()
        self.measured = measured
        if self._touch is None and isinstance(source, Live):
            self._touch = _touch_of(source, show)
        self._changed(True)

    def place(self, coordinate: str, q: float, keep_velocities: bool) -> None:
        """Move a joint to a position; may be slow.

        Raises:
            InputError: the position is not possible, with the reason.
        """
        if not self.may_place or self._live is None:
            raise InputError(
                "the joints of this plant cannot be set here: it is a recording, or another "
                "program started it",
                fix=f'That program may allow it: about={{"{PLACING}": "allowed"}}.',
            )
        self._live.place(coordinate, q, keep_velocities)

    # a device

    async def hold(
        self,
        rig: str,
        settings: Options,
        publish: Callable[[DeviceReadings], None],
        ended: Callable[[HapticDevice], None],
    ) -> None:
        """Let a haptic device hold the plant, or change its settings; "mouse": no device.

        Raises:
            InputError: unknown device, or an invalid setting.
        """
        live, choice = self._live, self.choice
        if live is None or choice is None or self.file:
            raise InputError("no plant is running", fix="Go back to the live plant.")
        if self.device is not None and self.device.rig == rig:
            self.device.change(settings)
            return
        if rig == MOUSE:
            await self.let_go()
            return
        told = choice.stage.device
        if rig not in (x["name"] for x in offer(told, 1.0 / live.layout.period)) or told is None:
            raise InputError(f"no device {rig[:40]!a} fits here", fix="Choose one from the list.")
        device = HapticDevice(live, self.catalog, told, rig, settings, publish, ended)
        async with self._busy:
            await self._drop_device()
            if self._hand is not None:
                self._hand.close()
            await device.start()
            self.device, self._hand = device, Inputs(device, told)

    async def let_go(self) -> None:
        """Drive without a device; the inputs are put to rest."""
        async with self._busy:
            await self._drop_device()
            if self._live is not None and self.choice is not None:
                self._hand = Inputs(self._live, self.choice.stage.device)
                self._hand.settle()

    async def _drop_device(self) -> None:
        device, self.device = self.device, None
        if device is not None:
            await device.end()

    async def close(self) -> None:
        """Close the plant; end it if this studio started it."""
        if self._reloading is not None:
            await self._reloading.close()
            self._reloading = None
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.gather(self._opening, return_exceptions=True)
            self._opening = None
        if self.control is not None:
            await self.control.close()
            self.control = None
        await self._drop_device()
        await self.recordings.end()
        live = self._live
        if isinstance(self.source, Playback):
            self.source.close()
        if self._touch is not None:
            self._touch.close()
        self.source, self._live, self.show, self._hand = None, None, None, None
        self._touch = None
        if live is not None:
            # a command may be in progress
            await asyncio.to_thread(live.close)
        if self._loop is not None:
            await self._loop.end(ENDS_WITHIN)
            self._loop = None

    async def choose(self, name: str, options: Options) -> None:
        """Open another plant; the current one stays if the request is invalid."""
        self._require_own()
        async with self._busy:
            await self._replace(await in_thread(self.catalog.choose, name, options))

    async def restart(self) -> None:
        """Start the same plant again, with the same options."""
        self._require_own()
        async with self._busy:
            assert self.choice is not None
            await self._replace(self.choice)

    def _require_own(self) -> None:
        if not self.is_own:
            raise InputError(
                "this plant was started by another program", fix="Start a studio of your own."
            )

    async def _replace(self, choice: Choice) -> None:
        self._starting = True
        await self.close()
        await self.open(choice)

    # recordings

    async def record(self, on: bool) -> None:
        """Start or end a recording."""
        async with self._busy:
            if on and self._live is None:
                raise InputError("no plant is running here", fix="Start a studio with one.")
            elif on and self._live is not None:
                await self.recordings.begin(self.catalog, self._live.name)
            else:
                problem = await self.recordings.end()
                if problem:
                    raise InputError(f"the recording stopped early: {problem}")

    async def replay(self, file: str) -> None:
        """Show a recording; "" returns to the plant."""
        async with self._busy:
            assert self.choice is not None
            if file:
                path = self.recordings.find(file, growing=True)
                played = await asyncio.to_thread(
                    Playback, path, lambda: self.recordings.writes(path)
                )
                if self._hand is not None and self._hand.owner is not None:
                    self._hand.release(self._hand.owner)
                if self._touch is not None:
                    self._touch.close()
                self._use(played, self.choice)
            elif self._live is not None:
                self._live.skip()
                self._use(self._live, self.choice)


def _kept(layout: Layout) -> Told:
    """Notice of what a plant has taken over from its predecessor."""
    told = told_of(layout) or {"left": ["everything"], "state": False}
    left = [str(word)[:200] for word in told["left"]]
    start = (
        "its state is kept" if told.get("state") else "it starts from the declared initial state"
    )
    more = f"; not kept: {'; '.join(left[:8])}" if left else ""
    more += f" and {len(left) - 8} more" if len(left) > 8 else ""
    return {
        "level": "warn" if left else "info",
        "text": f"the file was reloaded, {start}{more}",
        "fix": "",
    }


def _touch_of(live: Live, show: Show) -> Touch:
    """Holds on the bodies that are shown."""
    scene = show.scene
    corners = zip(scene["bounds"]["min"], scene["bounds"]["max"], strict=True)
    size = max(high - low for low, high in corners)
    return Touch(live, [body["name"] for body in scene["bodies"]], size)
