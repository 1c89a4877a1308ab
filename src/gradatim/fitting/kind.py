"""A kind of data that ``fit`` knows: one record, from which the command line, Python and forms are made."""

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from typing import TYPE_CHECKING, Any

from gradatim.fitting.options import Options

if TYPE_CHECKING:
    from gradatim.fitting.contest import FitResult


def hold_contest(read: Callable[[], Any], job: Any, **how: Any) -> "FitResult":
    """The course of most kinds: simple models against a network by cross-validation."""
    from gradatim.fitting import contest

    return contest.hold_contest(read, job, **how)


def take_course(read: Callable[[], Any], job: Any, **how: Any) -> "FitResult":
    """The course of networks that write: one large network, trained once."""
    from gradatim.fitting import course

    return course.take_course(read, job, **how)


def by_its_flag(data: object, given: Mapping[str, Any]) -> bool:
    """Data alone never mean a kind that a flag asks for."""
    return False


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of data.

    Args:
        name: Short name, in ``fit(kind=...)`` and in model folders.
        words: The data in words, for messages: ``"a table"``.
        title: Heading of its options.
        options: Data class of its options, those of every kind included.
        read: Reads data as the options ask; what is returned takes part in the course.
        load: Rebuilds a stored model from its description and tensors.
        is_meant: Whether data and options by name are of this kind; only a flag tells by default.
        course: What is done with data that can be read; a contest by default.
        flag: Name of an option that asks for this kind; empty where the data or its other options tell.
        flag_help: What the flag means.
    """

    name: str
    words: str
    title: str
    options: type[Options]
    read: Callable[[Any, Any], Any]
    load: Callable[[dict[str, Any], dict[str, Any]], Any]
    is_meant: Callable[[object, Mapping[str, Any]], bool] = by_its_flag
    course: Callable[..., "FitResult"] = hold_contest
    flag: str = ""
    flag_help: str = ""

    @property
    def own(self) -> dict[str, "Field[Any]"]:
        """The options that not every kind has, by name."""
        shared = {option.name for option in fields(Options)}
        return {o.name: o for o in fields(self.options) if o.name not in shared}

    @property
    def names(self) -> set[str]:
        """Names of what is given for this kind beyond the options of every kind."""
        return {*self.own, *filter(None, [self.flag])}

    def fit(self, data: Any, job: Options, **how: Any) -> "FitResult":
        """Read data, hold the contest or go the course, and write a model folder."""
        from gradatim.fitting.helping import Helped, is_helper
        from gradatim.training.distributed.spread import spreading

        if is_helper() and self.course not in (hold_contest, take_course):
            raise Helped  # there is nothing to share
        with spreading(False):
            return self.course(lambda: self.read(data, job), job, **how)
