"""The periodic work of the studio: poses and samples at 60 Hz, states less often."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable

import numpy as np

from inloop.errors import MailboxError
from inloop.realtime.mailboxes.telemetry import ROWS, Block
from inloop.studio.messaging.client import Client, Subscription
from inloop.studio.messaging.frames import MOST_SAMPLES, samples_frame
from inloop.studio.messaging.message_types import Timeline
from inloop.studio.plants.playback import Playback
from inloop.studio.plants.sources import Moment, Source
from inloop.studio.server.session import Session, number_anew

BEAT = 1.0 / 60.0  # [s]
IDLE = 0.25  # without clients
LOOK_EVERY, READINGS_EVERY, STATE_EVERY, HISTOGRAM_EVERY = 0.05, 0.1, 0.25, 1.0  # [s]
PLACE_EVERY, TIMELINE_EVERY = 0.03, 0.5  # [s]


class Ticker:
    """Reads the plant once for all pages."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._look_due = self._readings_due = self._state_due = self._histogram_due = 0.0
        self._shown = (0, 0, 0)  # source, sequence of the outputs, newest client they were shown to
        self._read = self._shown  # the same for contacts, sensors and watched signals
        self._placed, self._place_due = (0, 0, 0, 0.0), 0.0
        self._timeline: Timeline | None = None
        self._timeline_due = 0.0
        self._parameters = 0
        self._held = False
        self._state = ""
        self._complaint: tuple[int, str] | None = None  # source, error text

    async def run(self) -> None:
        """Run until cancelled."""
        due = time.monotonic()
        while True:
            self.beat()
            pause = BEAT if self._session.clients else IDLE
            now = time.monotonic()
            # a late beat is not made up for
            due = max(due + pause, now)
            if self._session.clients:
                await asyncio.sleep(due - now)
            else:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._session.busy.wait(), pause)
                self._session.busy.clear()
                due = time.monotonic()

    def beat(self) -> None:
        """Do one beat."""
        running = self._session.running
        parts: list[Callable[[], None]] = [running.refresh_inputs]
        if self._session.clients:
            parts += [self._show, self._place, self._hold, self._read_elements]
            parts += [self._plot, self._tell]
        elif running.source is not None:
            parts.append(running.source.skip)
        for part in parts:
            try:
                part()
            except MailboxError:
                pass  # the plant is just ending: the next state says so
            except Exception as error:
                # keep serving the pages, whatever a plant or a recording contains
                self._complain(error)

    def _complain(self, error: Exception) -> None:
        """Report to the pages, once, that the data cannot be shown."""
        complaint = (id(self._session.running.source), f"{type(error).__name__}: {error}")
        if complaint == self._complaint:
            return
        self._complaint = complaint
        logging.getLogger(__name__).error("a beat failed", exc_info=error)
        for client in self._session.clients:
            client.notice(
                "error", f"the data of the plant cannot be shown: {complaint[1][:200]}",
                "Choose another plant or recording.",
            )  # fmt: skip

    def _show(self) -> None:
        """Send the newest poses to all pages."""
        running = self._session.running
        source, show = running.source, running.show
        if source is None or show is None:
            return
        moment = source.newest()
        if moment is None:
            return
        running.moment = moment
        which = self._which(moment)
        if moment.parameters != self._parameters:
            self._parameters = moment.parameters
            self._session.tell_parameters(source.parameters())
        elif which == self._shown:
            return
        self._shown = which
        frame = show.frame(moment)
        for client in self._session.clients:
            client.show(frame)

    def _place(self) -> None:
        """Send the position in a recording, and its timeline when that has changed."""
        running, now = self._session.running, time.monotonic()
        source, moment = running.source, running.moment
        if not isinstance(source, Playback) or moment is None or now < self._place_due:
            return
        which = (*self._which(moment), source.place)
        if which != self._placed:
            self._placed, self._place_due = which, now + PLACE_EVERY
            self._session.broadcast(
                {"kind": "place", "at": source.place, "t": moment.t, "record": moment.sequence}
            )
        if now >= self._timeline_due:
            timeline, self._timeline_due = source.timeline(), now + TIMELINE_EVERY
            if timeline != self._timeline:
                self._timeline = timeline
                self._session.broadcast(timeline)

    def _which(self, moment: Moment) -> tuple[int, int, int]:
        """Identifies what is shown and to whom: a new page gets it from a paused plant too."""
        newcomer = max(client.number for client in self._session.clients)
        return id(self._session.running.source), moment.sequence, newcomer

    def _hold(self) -> None:
        """Send the bodies that are held, and once more after the last release."""
        touch = self._session.running.touch
        holds = touch is not None and touch.owner is not None
        if holds or self._held:
            self._held = self._session.tell_held()

    def _read_elements(self) -> None:
        """Send the newest values of contacts and sensors, and of watched signals."""
        measured, moment = self._session.running.measured, self._session.running.moment
        now = time.monotonic()
        if moment is None or now < self._readings_due:
            return
        which = self._which(moment)
        if which == self._read:
            return
        self._read, self._readings_due = which, now + READINGS_EVERY
        if measured:
            self._session.broadcast(measured.readings(moment))
        for client in self._session.clients:
            self._session.tell_watched(client)

    def _plot(self) -> None:
        """Send all new samples to the pages that plot."""
        running = self._session.running
        source, inputs, notes = running.source, running.inputs, running.notes
        if source is None or notes is None:
            return
        plotting = [client for client in self._session.clients if client.subscription.columns]
        driven = inputs is not None and inputs.owner is not None
        if not (plotting or driven or notes.sound):
            source.skip()
            return
        count = ROWS
        while count >= ROWS:  # one read returns at most ROWS records
            blocks = source.take()
            for block in blocks:
                if inputs is not None:
                    inputs.follow(block.answers, block.stamps)
                for note in notes.hear(block):
                    self._session.tell_note(note)
            count = sum(len(block.stamps) for block in blocks)
            self._send(source, plotting, blocks)

    def _send(self, source: Source, plotting: list[Client], taken: list[Block]) -> None:
        """Send samples to the pages that plot."""
        fresh, blocks = source.to_plot(taken)
        for client in plotting if fresh else ():
            number_anew(client, source, fresh=True)
        for block in blocks:
            encoded: dict[Subscription, tuple[bytes, int]] = {}
            for client in plotting:
                _send(client, block, encoded)

    def _tell(self) -> None:
        """Send state and histograms when due, and the state as soon as it changes."""
        session, now = self._session, time.monotonic()
        if now >= self._look_due:
            self._look_due = now + LOOK_EVERY
            state = session.running.condition().state
            if now >= self._state_due or state != self._state:
                self._state, self._state_due = state, now + STATE_EVERY
                session.tell_state()
                if session.running.recordings.busy:
                    session.tell_recording()
        if now >= self._histogram_due and session.running.source is not None:
            self._histogram_due = now + HISTOGRAM_EVERY
            found = session.running.source.histograms()
            if found is not None:
                session.broadcast(found)


def _send(client: Client, block: Block, encoded: dict[Subscription, tuple[bytes, int]]) -> None:
    """Send a block to one client; clients with the same subscription share a frame."""
    wanted = client.subscription
    if client.lost == 0 and wanted in encoded:
        frame, count = encoded[wanted]
    else:
        rows = slice(-block.first % wanted.every, MOST_SAMPLES * wanted.every, wanted.every)
        values = block.values[rows]
        count = len(values)
        if count == 0:
            return
        first = block.first + -block.first % wanted.every
        frame = samples_frame(
            wanted.generation, first, block.lost + client.lost, 1e-9 * float(block.stamps[-1]),
            values[:, 0], np.ascontiguousarray(values[:, list(wanted.columns)].T),
        )  # fmt: skip
        if client.lost == 0:
            encoded[wanted] = (frame, count)
    before = client.lost
    if client.plot(frame, count) and (before or block.lost):
        client.notice(
            "warn", f"{before + block.lost} samples were lost on the way to this page",
            "Plot fewer signals, or request fewer samples per second.",
        )  # fmt: skip
        client.lost = 0
