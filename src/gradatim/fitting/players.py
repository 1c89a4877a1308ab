"""Which player takes up the user's data, and the contest on it."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from gradatim.fitting.contest import FitResult, hold_contest
from gradatim.fitting.job import Job
from gradatim.fitting.player import Tell

if TYPE_CHECKING:
    import pandas as pd

IMAGE_SETS = ("mnist", "fashion-mnist", "cifar10")

# For each kind of data, the module and the function that makes a player of data and job.
READERS = {
    "table": ("gradatim.fitting.tables.player", "read_player"),
    "text": ("gradatim.fitting.texts.player", "read_player"),
    "series": ("gradatim.fitting.series.player", "read_player"),
    "image": ("gradatim.fitting.images.player", "read_player"),
}

# Kinds whose course is not a contest by cross-validation, and the function that does the whole job.
JOBS = {
    "language": ("gradatim.fitting.language.job", "fit_language"),
    "translation": ("gradatim.fitting.translation.job", "fit_translation"),
}


def kind_of(data: "str | Path | pd.DataFrame", job: Job) -> str:
    """The kind of data that a path, a built-in name or a data frame stands for.

    Example:
        >>> kind_of("iris", Job())
        'table'
    """
    if job.language_model:
        return "language"
    if job.translate:
        return "translation"
    if job.forecast is not None:
        return "series"
    if isinstance(data, str | Path) and (Path(data).is_dir() or str(data) in IMAGE_SETS):
        return "image"
    if job.text is not None or (isinstance(data, str) and data in _text_sets()):
        return "text"
    return "table"


def _text_sets() -> list[str]:
    """Names of the built-in sets of labelled texts."""
    from gradatim.data import catalogue

    return [entry.name for entry in catalogue() if entry.task == "text"]


def fit_data(
    data: "str | Path | pd.DataFrame",
    job: Job,
    *,
    output: str | Path,
    kind: str | None = None,
    resume: bool = False,
    tell: Tell | None = None,
    started: float | None = None,
) -> FitResult:
    """Fit simple models and a network to data of any kind, compare them honestly, and write a model folder.

    Args:
        data: A file, a folder, a built-in name, or a data frame.
        job: What is asked for.
        output: The model folder to write; an older model folder is replaced, anything else is refused.
        kind: What the data are; found from the data and the job by default.
        resume: Go on with a run that was killed.
        tell: Called with what is being done and the share of it that is done.
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.
    """
    kind = kind or kind_of(data, job)
    if kind in JOBS:
        module, function = JOBS[kind]
        fit = getattr(import_module(module), function)
        return fit(data, job, output=output, resume=resume, tell=tell, started=started)
    module, reader = READERS[kind]
    read = getattr(import_module(module), reader)
    return hold_contest(
        lambda: read(data, job), job, output=output, resume=resume, tell=tell, started=started
    )


def fit_table(
    data: "str | Path | pd.DataFrame",
    target: str | None = None,
    *,
    output: str | Path,
    task: str = "auto",
    test: float | str = 0.2,
    time_column: str | None = None,
    group: str | None = None,
    drop: Sequence[str] = (),
    budget: float = 60.0,
    trials: int | None = None,
    rows: int | None = None,
    seed: int = 0,
    resume: bool = False,
    tell: Tell | None = None,
) -> FitResult:
    """Fit simple models and a network to a table, compare them honestly, and write a model folder.

    Args:
        data: CSV, TSV or Parquet file, a built-in name, or a data frame.
        target: Column to predict; a built-in set knows its own.
        output: The model folder to write; an older model folder is replaced, anything else is refused.
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        test: Share of rows set aside for the test, or the path of a table with test rows.
        time_column: Column of times: the past predicts the future.
        group: Column of groups that must not be torn apart.
        drop: Columns to leave out.
        budget: Seconds for everything.
        trials: Settings of the network to try; time plays no part then.
        rows: Most rows to use; by default as many as the budget allows.
        seed: Fixes all randomness.
        resume: Go on with a run that was killed.
        tell: Called with what is being done and the share of it that is done.

    Example:
        >>> result = fit_table("iris", output="iris-model", budget=30.0)  # doctest: +SKIP
        >>> result.model.predict(frame)  # doctest: +SKIP
    """
    job = Job(
        target=target, task=task, test=test, time_column=time_column, group=group, drop=tuple(drop),
        budget=budget, trials=trials, rows=rows, seed=seed,
    )  # fmt: skip
    return fit_data(data, job, output=output, kind="table", resume=resume, tell=tell)
