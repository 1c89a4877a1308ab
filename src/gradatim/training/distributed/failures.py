"""What becomes of a run when one of its processes fails: one says why, the others say who, and nobody waits."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gradatim.errors import GradatimError
from gradatim.training.distributed.group import Group, Lost, is_lost

GRACE = 3.0  # seconds in which the others may say what happened to them
_POLL = 0.05


class RankFailed(GradatimError, SystemExit):
    """Another process ended the run; uncaught, it is one line at the most and no traceback.

    Args:
        message: Who and why.
        rank: Which process.
        is_silent: Whether another process says it.
    """

    exit_code = 1

    def __init__(self, message: str, rank: int, *, is_silent: bool = False) -> None:
        super().__init__(message)
        self.rank = rank
        self.code = 1 if is_silent else message


@contextmanager
def guarding(group: Group) -> Iterator[None]:
    """While inside, an error of this process is told to the others, and one of another ends this process too.

    Args:
        group: The processes.
    """
    try:
        yield
    except Exception as error:
        if group.has_failed:
            raise
        group.has_failed = True
        found = _told(group, error)
        if found is error:
            raise
        raise found from None
    except (KeyboardInterrupt, SystemExit) as error:
        if not group.has_failed and not getattr(error, "is_agreed", False):
            group.has_failed = True
            _tell(group, f"it was ended ({type(error).__name__})")
        raise


def _told(group: Group, error: Exception) -> Exception:
    """What to raise in this process."""
    is_own = isinstance(error, GradatimError) and not isinstance(error, Lost)
    if not is_own and any(is_lost(e) for e in (error, error.__cause__) if e is not None):
        return _name_the_lost(group, error)
    sentence = str(error) if isinstance(error, GradatimError) else f"{type(error).__name__}: {error}"  # fmt: skip
    first = _tell(group, sentence)
    if not isinstance(error, GradatimError):
        return error
    if first["rank"] != group.rank:  # a mistake is found by all, and shapes of shares differ
        return RankFailed(first["sentence"], first["rank"], is_silent=True)
    return spoken(error)


def _tell(group: Group, sentence: str) -> dict[str, Any]:
    """Say why this process failed, and return what the first of all said."""
    own = {"rank": group.rank, "sentence": sentence}
    with suppress(Exception):  # nobody may be there to hear it
        if group.store.add("failures", 1) == 1:
            group.store.set("failed", json.dumps(own))
            return own
        return _heard(group) or own
    return own


def _heard(group: Group) -> dict[str, Any] | None:
    """What another process said when it failed, if it says so in time."""
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        if group.store.check(["failed"]):
            note: dict[str, Any] = json.loads(group.store.get("failed"))
            return note
        time.sleep(_POLL)
    return None


def _name_the_lost(group: Group, error: Exception) -> Exception:
    try:
        group.store.set(f"lost/{group.rank}", "yes")
        note = _heard(group)
        if note is not None:
            said = note["sentence"].splitlines()[0] if note["sentence"] else "an error"
            return RankFailed(f"Trainer: rank {note['rank']} failed: {said}", note["rank"])
        ranks = range(group.world_size)
        silent = [rank for rank in ranks if not group.store.check([f"lost/{rank}"])]
        is_speaker = group.store.add("speakers", 1) == 1
    except Exception:  # the store went with its process
        return RankFailed("Trainer: the process that holds the run together has ended.", 0)
    names = ", ".join(map(str, silent)) or "of another process"
    message = (
        f"Trainer: rank {names} has ended without a word, or does not answer within {group.timeout:g} seconds "
        f"(timeout): {str(error).splitlines()[0]}"
    )
    return RankFailed(message, silent[0] if silent else -1, is_silent=not is_speaker)


def spoken(error: GradatimError) -> GradatimError:
    """The same error, but one line and no traceback where nobody catches it.

    >>> from gradatim.errors import InvalidValue
    >>> error = spoken(InvalidValue("Trainer: no."))
    >>> isinstance(error, InvalidValue), isinstance(error, SystemExit), error.code
    (True, True, 'Trainer: no.')
    """
    if isinstance(error, SystemExit):
        return error
    try:
        kind = type(type(error).__name__, (type(error), SystemExit), {})
    except TypeError:  # an error of the system has another form
        usual = sys.excepthook
        sys.excepthook = lambda *raised: print(error, file=sys.stderr) if raised[1] is error else usual(*raised)  # fmt: skip
        return error
    same: Any = kind.__new__(kind, *error.args)
    same.__dict__.update(vars(error))
    same.args, same.code = error.args, str(error)
    return same


@contextmanager
def outspoken() -> Iterator[None]:
    """While inside, a mistake is one line and no traceback where nobody catches it."""
    try:
        yield
    except GradatimError as error:
        raise spoken(error) from None
