"""Run the command lines of a client, with limits of time and size.

A client is found on the path and started as it is, with the environment of ``tfdsl``, which reads no credentials and no
configuration of it. It has no terminal: none may ask a question.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import IO, Final

from tfdsl.backend.cluster import Answer, Call
from tfdsl.diagnostics.command_rules import CLIENT_MISSING, CLUSTER_REFUSES
from tfdsl.operating.problem import ProblemError
from tfdsl.record import replace

LONGEST: Final = 64 << 20
"""Bytes of an answer; a longer one is not read."""
PATIENCE: Final = 30.0
"""Seconds for one question."""
TIMED_OUT: Final = 124
_MOST_AT_ONCE: Final = 6
_PIECE: Final = 1 << 16
_MOST_ERRORS: Final = 1 << 16
_LOOK: Final = 0.05
"""Seconds after which it is seen that a client has ended, if what it has started keeps its streams open."""
_TO_SAY: Final = 60.0
"""Seconds that a client which stays has to say what it leaves, once it is asked to end."""
_CLOSING: Final = 2.0
"""Seconds that a client has to end once it has closed its streams."""


class Running:
    """One command line that runs. ``out`` and ``err``: what it has written so far, as far as it is kept."""

    def __init__(self, call: Call, *, keeps: bool = True) -> None:
        program = shutil.which(call.words[0])
        if program is None:
            raise ProblemError(CLIENT_MISSING, program=call.words[0])
        self.call = call
        self.out, self.err = bytearray(), bytearray()
        self.cut = False
        self._keeps = keeps
        self._closed = 0.0
        try:
            with tempfile.TemporaryFile() if call.stdin else open(os.devnull, "rb") as stdin:
                if call.stdin:
                    stdin.write(call.stdin.encode())
                    stdin.seek(0)
                self.process = subprocess.Popen(
                    [program, *call.words[1:]],
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=call.folder or None,
                    start_new_session=True,  # ended with whatever it has started
                )
        except OSError as error:  # as a program of another machine, or too many open files
            reason = error.strerror or str(error)
            raise ProblemError(CLUSTER_REFUSES, what=f"cannot run {program}", reason=reason) from error
        self._open = {stream for stream, _ in self.streams}

    @property
    def streams(self) -> tuple[tuple[IO[bytes], bytearray], ...]:
        """What it writes to, with where that is kept."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        return (self.process.stdout, self.out), (self.process.stderr, self.err)

    def take(self, kept: bytearray, data: bytes) -> None:
        """Keep what it has written, as far as there is room; what is too long ends it."""
        room = (LONGEST if kept is self.out else _MOST_ERRORS) - len(kept)
        kept += data[: max(room, 0)]
        if len(data) > room and kept is self.out and self._keeps:
            self.cut = True
            self.stop()

    def close(self, stream: IO[bytes]) -> None:
        """Note that nothing more comes from ``stream``."""
        self._open.discard(stream)
        self._closed = monotonic()

    @property
    def ended(self) -> bool:
        """Whether it has ended, or says nothing more and had time to end."""
        return self.process.poll() is not None or (not self._open and monotonic() > self._closed + _CLOSING)

    def stop(self) -> None:
        """End it and all that it has started."""
        if self.process.poll() is None or self._open:  # otherwise its number may be another's by now
            self._open.clear()
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):  # as another user, it goes on
                self.process.wait(_CLOSING)

    def answer(self) -> Answer:
        """What it gave, once it has ended; what it has left running, and writes to the same place, is ended."""
        self.stop()
        status = TIMED_OUT if self.process.returncode is None else self.process.returncode
        for stream, _ in self.streams:
            stream.close()
        if self.cut:
            return Answer(1, "", f"the answer has more than {LONGEST >> 20} MiB")
        text = self.out.decode("utf-8", "replace"), self.err.decode("utf-8", "replace")
        return Answer(128 - status if status < 0 else status, *text)


@contextmanager
def _waiting_signals() -> Generator[None]:
    """Within it no handler of a signal can break in, so that what was started is known before it is to be ended."""
    came: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()  # no other may set a handler
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if is_main}
    before = {number: handler for number, handler in before.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda came_now, _: came.append(came_now))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for first in came[:1]:
        signal.raise_signal(first)


def ask(calls: Sequence[Call], patience: float = PATIENCE) -> list[Answer]:
    """The answers of ``calls``, which run at the same time, each for ``patience`` seconds at most.

    Raises:
        ProblemError: There is no such client.
    """
    answers: list[Answer] = []
    for at in range(0, len(calls), _MOST_AT_ONCE):
        answers += _together(calls[at : at + _MOST_AT_ONCE], patience)
    return answers


def _together(calls: Sequence[Call], patience: float) -> list[Answer]:
    running: list[Running] = []
    try:
        for call in calls:
            with _waiting_signals():
                running.append(Running(call))
        late = _gather(running, None if all(call.stays for call in calls) else monotonic() + patience)
        return [
            Answer(TIMED_OUT, "", f"no answer within {round(patience, 3):g} s") if one in late else one.answer()
            for one in running
        ]
    finally:
        for one in running:
            one.stop()


def _gather(running: Sequence[Running], until: float | None) -> list[Running]:
    """Read what they write until all have ended; returns those that have not, when it is time."""
    with selectors.DefaultSelector() as selector:
        for one in running:
            for stream, kept in one.streams:
                selector.register(stream, selectors.EVENT_READ, (one, kept))
        while True:
            left = _LOOK if until is None else until - monotonic()
            waiting = [
                one for one in running if one.process.poll() is None
            ]  # asked first, so that all they wrote is there
            if left <= 0:
                return waiting
            events = selector.select(min(_LOOK, left) if waiting and selector.get_map() else 0)
            if not events and not waiting:
                return []
            if not selector.get_map() and waiting:
                with suppress(subprocess.TimeoutExpired):
                    waiting[0].process.wait(min(_LOOK, left))
            for key, _ in events:
                one, kept = key.data
                data = os.read(key.fd, _PIECE)
                if data:
                    one.take(kept, data)
                else:
                    selector.unregister(key.fileobj)
                    one.close(key.fileobj)


class Streams:
    """Command lines that run for long, as ``kubectl logs --follow``: what they write is passed on as it comes."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self.running: dict[object, Running] = {}

    def start(self, key: object, call: Call) -> None:
        """Start one under a ``key``."""
        with _waiting_signals():
            one = self.running[key] = Running(call, keeps=False)
        for stream, kept in one.streams:
            self._selector.register(stream, selectors.EVENT_READ, (key, one, kept))

    def wait(self, seconds: float, take: Callable[[object, bytes], None]) -> list[tuple[object, Answer]]:
        """Pass on what comes within ``seconds``; returns those that have ended."""
        until = monotonic() + seconds
        ended: list[tuple[object, Answer]] = []
        while not ended and self.running:
            over = {key for key, one in self.running.items() if one.ended}
            events = self._selector.select(0 if over else min(max(until - monotonic(), 0), _LOOK))
            for event, _ in events:
                key, one, kept = event.data
                over.discard(key)
                data = os.read(event.fd, _PIECE)
                if not data:
                    self._selector.unregister(event.fileobj)
                    one.close(event.fileobj)
                elif kept is one.out:
                    take(key, data)
                else:
                    one.take(kept, data)
            ended = [(key, self._end(key)) for key in over]
            if not events and monotonic() >= until:
                break
        return ended

    def _end(self, key: object) -> Answer:
        one = self.running.pop(key)
        for stream, _ in one.streams:
            with suppress(KeyError):
                self._selector.unregister(stream)
        return one.answer()

    def stop(self) -> None:
        """End all of them."""
        for key in list(self.running):
            self._end(key)

    def close(self) -> None:
        """End all of them for good."""
        self.stop()
        self._selector.close()


def listen(call: Call, hear: Callable[[bytes], None], until: float | None = None) -> Answer:
    """Run a call that stays, and pass on what it writes as it comes; the answer has all of it.

    When it is time (``until``) or the caller is interrupted, it is asked to end (SIGTERM), and heard until it has.
    """
    streams, said = Streams(), bytearray()

    def take(_: object, data: bytes) -> None:
        hear(data)
        said.extend(data[: LONGEST - len(said)])

    def ended(until: float | None) -> Answer | None:
        while until is None or monotonic() < until:
            for _, answer in streams.wait(_LOOK, take):
                return replace(answer, out=said.decode("utf-8", "replace"))
        return None

    try:
        streams.start(call.words, call)
        (one,) = streams.running.values()
        answer = None
        try:
            answer = ended(until)
        finally:
            if answer is None and one.process.poll() is None:
                one.process.terminate()
                if ended(monotonic() + _TO_SAY) is None:
                    said_nothing = f"what submits {call.about} has not said within {_TO_SAY:g} s what it leaves"
                    hear(f"{said_nothing}: tfdsl status says what is there\n".encode())
        return answer or Answer(TIMED_OUT, said.decode("utf-8", "replace"), "the time is over")
    finally:
        streams.close()
