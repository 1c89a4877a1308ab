"""What a long job tells while it works, and how it is asked to end.

A job calls ``tell`` with an event; a terminal, a notebook or a page renders it. Whoever started the job holds a
:class:`CancelToken`; the job looks at it between two pieces of work.
"""

from collections.abc import Callable
from typing import NamedTuple


class Stage(NamedTuple):
    """What is being done.

    Args:
        what: A few words, such as ``"fold 2 of 5: ridge"``.
        share: How much of it is done, from 0 to 1.
    """

    what: str
    share: float = 0.0


class Figure(NamedTuple):
    """A number that was measured on the way.

    Args:
        name: What it is, such as ``"validation loss"``.
        value: The number.
        step: When: an epoch or a round.
    """

    name: str
    value: float
    step: int


class Sample(NamedTuple):
    """Something the model made on the way.

    Args:
        title: What it is.
        content: A text to show.
        picture: A PNG of the same, where it is a picture and can be shown.
    """

    title: str
    content: str
    picture: bytes = b""


class Warned(NamedTuple):
    """What the user should know, although the job goes on.

    Args:
        message: One sentence.
    """

    message: str


Event = Stage | Figure | Sample | Warned
Tell = Callable[[Event], None]


def tell_nobody(event: Event) -> None:
    """Listen to nothing."""


class Cancelled(KeyboardInterrupt):
    """A job that was asked to end; no half result is left behind."""


class CancelToken:
    """Asks a job to end; the job looks at it between two pieces of work.

    Example:
        >>> token = CancelToken()
        >>> token.check()
        >>> token.cancel()
        >>> token.is_cancelled
        True
    """

    def __init__(self) -> None:
        self.is_cancelled = False

    def cancel(self) -> None:
        """Ask the job to end."""
        self.is_cancelled = True

    def check(self) -> None:
        """Raise :class:`Cancelled` if the job should end."""
        if self.is_cancelled:
            raise Cancelled
