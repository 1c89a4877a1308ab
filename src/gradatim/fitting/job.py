"""What the user asked for, checked."""

import re
from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path

from gradatim.errors import InvalidValue, choose

TASKS = ("auto", "regression", "binary", "multiclass", "classification")
PRETRAINED = ("minilm",)
ARCHITECTURES = ("cnn", "resnet", "vit", "hybrid")
TOKENIZERS = ("character", "byte", "byte-pair")
CELLS_PER_SECOND, ROWS_PER_SECOND = 50_000, 2_000  # of the budget
_EVERYWHERE = ("test", "budget", "trials", "rows", "seed")  # settings that every kind of data knows
_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True, kw_only=True)
class Job:
    """The settings of a run.

    Args:
        target: Column to predict; ``None`` for a built-in set, which knows.
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        test: Share of rows for the test, or the path of a table with them.
        time_column: Column of times: the past predicts the future.
        group: Column of groups that must not be torn apart.
        drop: Columns to leave out.
        text: Column of texts, which are read instead of the other columns.
        pretrained: Published encoder of texts that the network starts from: ``"minilm"``.
        model: Architecture of the network for images: ``"cnn"``, ``"resnet"``, ``"vit"`` or ``"hybrid"``.
        teacher: Model folder of images whose network teaches this one.
        forecast: Steps of a series to forecast.
        language_model: Whether the data are a text to go on with.
        translate: Whether the data are sentences and their translations.
        tokenizer: How a text is cut: ``"character"``, ``"byte"`` or ``"byte-pair"``; found from the text by default.
        budget: Seconds for everything.
        trials: Settings of the network to try; time plays no part then.
        rows: Most rows to use.
        seed: Fixes all randomness.
    """

    target: str | None = None
    task: str = "auto"
    test: float | str = 0.2
    time_column: str | None = None
    group: str | None = None
    drop: tuple[str, ...] = ()
    text: str | None = None
    pretrained: str | None = None
    model: str | None = None
    teacher: str | None = None
    forecast: int | None = None
    language_model: bool = False
    translate: bool = False
    tokenizer: str | None = None
    budget: float = 60.0
    trials: int | None = None
    rows: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        choose("fit", "task", self.task, TASKS)
        if self.pretrained is not None:
            choose("fit", "pretrained", self.pretrained, PRETRAINED)
        if self.model is not None:
            choose("fit", "model", self.model, ARCHITECTURES)
        if self.tokenizer is not None:
            choose("fit", "tokenizer", self.tokenizer, TOKENIZERS)
        if isinstance(self.test, float) and not 0.0 < self.test < 1.0:
            raise InvalidValue(
                f"fit: test must be a share between 0 and 1 or a file, got {self.test}. Try 0.2."
            )
        if not 0.0 < self.budget < float("inf"):
            raise InvalidValue(
                f"fit: budget must be more than 0 seconds, got {self.budget}. Try 60s."
            )
        for name, value in (
            ("trials", self.trials),
            ("rows", self.rows),
            ("forecast", self.forecast),
        ):
            if value is not None and value < 1:
                raise InvalidValue(f"fit: {name} must be at least 1, got {value}.")
        if self.language_model and self.translate:
            raise InvalidValue(
                "fit: language_model and translate must not be given together. Choose one."
            )
        if self.seed < 0:
            raise InvalidValue(f"fit: seed must be at least 0, got {self.seed}.")
        if self.time_column is not None and self.group is not None and self.forecast is None:
            raise InvalidValue("fit: time_column and group must not be given together. Choose one.")
        for name in ("time_column", "group"):
            if self.target is not None and getattr(self, name) == self.target:
                raise InvalidValue(
                    f"fit: {name} must differ from the target, got {self.target!r} for both."
                )
        if self.target is not None and self.target in self.drop:
            raise InvalidValue(f"fit: drop must not name the target, got {self.target!r}.")

    def refuse_others(self, kind: str, uses: Collection[str]) -> None:
        """Raise where a setting was given that this kind of data does not use.

        Args:
            kind: The data in words, for the message.
            uses: Settings it uses beyond those that all kinds do.
        """
        for field in fields(self):
            given = getattr(self, field.name) != field.default
            if given and field.name not in uses and field.name not in _EVERYWHERE:
                raise InvalidValue(
                    f"fit: {field.name} must not be given for {kind}, got {getattr(self, field.name)!r}."
                )

    def most_rows(self, columns: int) -> int:
        """Rows of a table of so many columns that the budget can deal with, or that were asked for.

        Example:
            >>> Job(budget=60.0).most_rows(10), Job(budget=60.0).most_rows(100), Job(rows=50).most_rows(10)
            (120000, 30000, 50)
        """
        if self.rows is not None:
            return self.rows
        seconds = 60.0 if self.trials is not None else max(self.budget, 1.0)
        cells = seconds * CELLS_PER_SECOND / max(columns, 1)
        return max(int(min(cells, seconds * ROWS_PER_SECOND)), 1000)


def parse_budget(text: str) -> float:
    """Read a time such as ``60s``, ``90``, ``5m`` or ``1h``, in seconds.

    Example:
        >>> parse_budget("5m")
        300.0
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in _UNITS or float(found[1]) <= 0:
        raise InvalidValue(
            f"fit: budget must be a time such as 60s, 5m or 1h, got {text!r}. Try 60s."
        )
    return float(found[1]) * _UNITS[found[2]]


def parse_test(text: str) -> float | str:
    """Read ``--test``: a share between 0 and 1, or the path of a table.

    Example:
        >>> parse_test("0.3"), parse_test("30%"), parse_test("new.csv")
        (0.3, 0.3, 'new.csv')
    """
    found = re.fullmatch(r"\s*(-?\d*\.?\d+)\s*(%?)\s*", text)
    if found is None or Path(text).exists():
        return text
    return float(found[1]) / (100.0 if found[2] else 1.0)
