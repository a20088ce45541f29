"""Run compiler processes in parallel, and terminate all of them at once."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

LOOK_EVERY = 0.1  # [s]: interval at which a waiting thread can be interrupted


@dataclass(frozen=True)
class Job:
    """A command to run; `name` is the file it works on."""

    name: str
    command: Sequence[str]


class JobError(Exception):
    """A command failed.

    Attributes:
        job: the job.
        status: exit status; negative if it was killed by a signal.
        output: its standard error and standard output.
    """

    def __init__(self, job: Job, status: int, output: str) -> None:
        super().__init__(f"{job.name}: exit status {status}")
        self.job, self.status, self.output = job, status, output


@dataclass
class JobRunner:
    """Runs jobs in one directory and one environment."""

    directory: Path
    environment: dict[str, str]
    _running: set[subprocess.Popen[str]] = field(default_factory=set)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def run_all(self, jobs: Sequence[Job], width: int, finished: Callable[[Job], None]) -> None:
        """Run jobs, at most `width` at a time; calls `finished` for each one in this thread.

        Raises:
            JobError: the first job that failed; the others have been terminated.
        """
        with ThreadPoolExecutor(max_workers=max(1, min(width, len(jobs)))) as pool:
            try:
                futures: dict[Future[None], Job] = {pool.submit(self.run, job): job for job in jobs}
                # a C queue: an interrupted waiter leaves no lock behind that jobs wait for
                done: queue.SimpleQueue[Future[None]] = queue.SimpleQueue()
                for future in futures:
                    future.add_done_callback(done.put)
                left = len(futures)
                while left:
                    with contextlib.suppress(queue.Empty):
                        future = done.get(timeout=LOOK_EVERY)
                        future.result()
                        finished(futures[future])
                        left -= 1
            except BaseException:  # Ctrl-C too
                self.stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def run(self, job: Job) -> None:
        """Run one job to its end.

        Raises:
            JobError: it ended with a nonzero status.
        """
        with self._guard:
            if self._stopped:
                return
            process = subprocess.Popen(
                job.command,
                cwd=self.directory,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                # own process group: Ctrl-C reaches only us, and we terminate the compiler with all
                # its children
                process_group=0,
            )
            self._running.add(process)
        with process:
            output = process.communicate()[0]
        with self._guard:
            self._running.discard(process)
        if process.returncode != 0:
            raise JobError(job, process.returncode, output)

    def stop(self) -> None:
        """Terminate everything that runs and start nothing more."""
        with self._guard:
            self._stopped = True
            for process in self._running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def wanted_jobs() -> int:
    """Number of parallel compilers: `$INLOOP_JOBS`, else one per usable CPU."""
    wish = os.environ.get("INLOOP_JOBS", "")
    return int(wish) if wish.isdecimal() and int(wish) > 0 else usable_cpus()


def usable_cpus() -> int:
    """Number of CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
