"""The options of a fit: those that every kind of data has; a kind adds its own.

Each field carries its help text, so that the command line, Python and a form are made from the same record.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidType, InvalidValue, choose, require, require_seed

if TYPE_CHECKING:
    from gradatim.fitting.mistakes import Costs

ACCURATE, SIMPLE = "accurate", "simple"
_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
LOOKING = 0.06  # of the budget, for one look through the file
MOST = 1_000_000_000  # of anything that is counted
_PLACE = ("output", "resume")  # where a result goes, and whether it goes on: no part of the result


def option(
    default: Any,
    help: str,
    *,
    metavar: str = "",
    choices: Sequence[str] = (),
    read: Callable[[Any], Any] | None = None,
    shown: str = "",
) -> Any:
    """A field of a data class of options.

    Args:
        default: Its default.
        help: What it does, one sentence.
        metavar: What its value is called on the command line.
        choices: The values it takes; any by default.
        read: Makes a value of what was typed; by default the type of the field says how.
        shown: The default as people write it; found from ``default`` where it is none of ``None``, ``()`` and ``False``.
    """
    told = shown or ("" if default is None or default in ((), "") or default is False else str(default))  # fmt: skip
    facts = {"help": help, "metavar": metavar, "choices": tuple(choices), "read": read, "shown": told}  # fmt: skip
    return field(default=default, metadata=facts)


def read_budget(value: "str | float") -> float:
    """Read a time such as ``60s``, ``90``, ``5m`` or ``1h``, in seconds.

    Example:
        >>> read_budget("5m"), read_budget(90)
        (300.0, 90.0)
    """
    if not isinstance(value, str):
        return _number("budget", value)
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", value.lower())
    if found is None or found[2] not in _UNITS or float(found[1]) <= 0:
        raise InvalidValue(
            f"fit: budget must be a time such as 60s, 5m or 1h, got {value!r}. Try 60s."
        )
    return float(found[1]) * _UNITS[found[2]]


def read_test(value: "str | Path | float") -> float | str:
    """Read a share between 0 and 1, or the path of a table.

    Example:
        >>> read_test("0.3"), read_test("30%"), read_test("new.csv")
        (0.3, 0.3, 'new.csv')
    """
    if not isinstance(value, str | Path):
        return _number("test", value)
    found = re.fullmatch(r"\s*(-?\d*\.?\d+)\s*(%?)\s*", str(value))
    if found is None or Path(value).exists():
        return str(value)
    return float(found[1]) / (100.0 if found[2] else 1.0)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidType(f"fit: {name} must be a number or a text, got a {type(value).__name__}.") from None  # fmt: skip


def _read_costs(value: Any) -> "Costs":
    from gradatim.fitting.mistakes import read_costs

    return read_costs(value)


@dataclass(frozen=True, kw_only=True)
class Options:
    """What may be asked for whatever the data are.

    Args:
        test: Share of rows for the test, or the path of a file with test rows.
        budget: Seconds for everything.
        trials: Settings of the network to try; time plays no part then.
        rows: Most rows to use; by default as many as the budget allows.
        seed: Fixes all randomness.
        resume: Go on with a run that was killed.
        output: The model folder to write; an older model folder is replaced, anything else is refused.
    """

    test: float | str = option(0.2, "Share of rows for the test, or a file with test rows.", read=read_test)  # fmt: skip
    budget: float = option(60.0, "Time for everything, such as 60s, 5m or 1h.", read=read_budget, shown="60s")  # fmt: skip
    trials: int | None = option(None, "Settings of the network to try, however long they take; replaces --budget.")  # fmt: skip
    rows: int | None = option(None, "Most rows to use.")
    seed: int = option(0, "Random seed: the same seed gives the same numbers.")
    resume: bool = option(False, "Go on with a run that was killed.")
    output: str | None = option(None, "Model folder.", metavar="FOLDER", shown="runs/fit-NAME")

    def __post_init__(self) -> None:
        for own in self.__dataclass_fields__.values():
            value = getattr(self, own.name)
            if own.metadata["choices"] and value is not None:
                choose("fit", own.name, value, own.metadata["choices"])
            elif own.type == int | None and value is not None:
                require(value >= 1, f"fit: {own.name} must be at least 1", value)
                require(value <= MOST, f"fit: {own.name} must be at most {MOST:,}", value)
        if isinstance(self.test, float) and not 0.0 < self.test < 1.0:
            raise InvalidValue(
                f"fit: test must be a share between 0 and 1 or a file, got {self.test}. Try 0.2."
            )
        if not 0.0 < self.budget < float("inf"):
            raise InvalidValue(
                f"fit: budget must be more than 0 seconds, got {self.budget}. Try 60s."
            )
        require_seed("fit", self.seed)

    @property
    def folder(self) -> Path:
        """The model folder to write, once it is decided."""
        assert self.output is not None
        return Path(self.output)

    @property
    def seconds_to_look(self) -> float | None:
        """Time to look through a file before any of it is read; ``None`` where time plays no part."""
        return LOOKING * self.budget if self.trials is None else None

    def settings(self) -> dict[str, Any]:
        """All options that bear on the result."""
        return {name: value for name, value in asdict(self).items() if name not in _PLACE}


@dataclass(frozen=True, kw_only=True)
class ContestOptions(Options):
    """What may be asked where models compete: for tables, texts, series and images.

    Args:
        score: Figure that decides, such as ``"auc"``, ``"balanced-accuracy"``, ``"mae"`` or ``"quantile:0.9"``; the usual one of
            the task by default.
        costs: What mistakes cost: a CSV file, true classes as rows and said ones as columns. Decisions then cost least, and the
            cost of a row decides unless ``score`` is given.
        prefer: ``"simple"`` recommends the simplest model that is as good as the best, ``"accurate"`` the best.
        keep_test_out: Leave the test rows out of the models that are written.
    """

    score: str | None = option(
        None, "Figure that decides: log-loss, accuracy, balanced-accuracy, macro-f1, auc, average-precision, rmse, mae, mape, r2, quantile:0.9 or another of scikit-learn's.", metavar="SCORE"
    )  # fmt: skip
    costs: Any = option(  # noqa: RUF009 - a field like the others, of a type that is read late
        None, "CSV file of what mistakes cost: rows the true class, columns the class said.", metavar="FILE", read=_read_costs
    )  # fmt: skip
    prefer: str = option(
        SIMPLE, "simple: the simplest of the models that are as good as the best; accurate: the best.", metavar="WHAT", choices=(ACCURATE, SIMPLE)
    )  # fmt: skip
    keep_test_out: bool = option(False, "Leave the test rows out of the models that are written.")


def read_value(name: str, kind: Any, value: Any) -> Any:
    """Make what was typed or given the value of a field of type ``kind``, or refuse it.

    Args:
        name: Name of the option, for the message.
        kind: Type of the field.
        value: What was given.

    Example:
        >>> read_value("drop", tuple[str, ...], "id")
        ('id',)
    """
    if kind == tuple[str, ...]:
        names = [value] if isinstance(value, str) or not isinstance(value, Iterable) else [*value]
        if all(isinstance(name, str) for name in names):
            return tuple(names)
        words = "names"
    elif kind is bool:
        if isinstance(value, bool):
            return value
        words = "True or False"
    elif kind in (int, int | None):
        if hasattr(value, "__index__") and not isinstance(value, bool):
            return int(value)
        words = "a whole number"
    else:
        if isinstance(value, str | Path):
            return str(value)
        words = "a name"
    raise InvalidType(f"fit: {name} must be {words}, got {value!r}.")
