"""A signal to one process is a wish of all: they finish the same step, save and end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType

from gradatim.events import Cancelled


class Wish(IntEnum):
    """Why a run should end, from the mildest."""

    STOP = 0
    CANCEL = 1
    INTERRUPT = 2
    TERMINATE = 3


_WISHES = {signal.SIGINT: Wish.INTERRUPT, signal.SIGTERM: Wish.TERMINATE}


class Ended(Cancelled, SystemExit):
    """All processes ended after the same step, because one was asked to; uncaught, it is an exit code alone.

    Args:
        wish: Why.
    """

    is_agreed = True

    def __init__(self, wish: Wish) -> None:
        super().__init__()
        self.wish = wish
        self.code = 143 if wish == Wish.TERMINATE else 130


class Signals:
    """What this process was asked since a run began.

    Attributes:
        wish: ``None`` where it was asked nothing.
    """

    def __init__(self) -> None:
        self.wish: Wish | None = None

    @contextmanager
    def heard(self) -> Iterator[None]:
        """While inside, Ctrl-C and SIGTERM are noted and end nothing at once; elsewhere than in the main thread as usual."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._note) for number in _WISHES}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.wish = max(self.wish or Wish.STOP, _WISHES[signal.Signals(number)])
