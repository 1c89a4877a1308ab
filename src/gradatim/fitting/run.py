"""``fit_table``: from a table to a model folder, as a careful statistician would go about it."""

import hashlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.errors import InvalidValue, Unavailable
from gradatim.evaluation import Report
from gradatim.evaluation.sections import Table
from gradatim.fitting.candidates import fit_simple
from gradatim.fitting.comparison import Comparison, Folds, Tell, compare, plan_folds, preprocess
from gradatim.fitting.concerns import find_concerns
from gradatim.fitting.importance import permutation_importance
from gradatim.fitting.job import Job
from gradatim.fitting.metrics import measure
from gradatim.fitting.model import TableModel
from gradatim.fitting.networks import fit_network
from gradatim.fitting.predictors import Fitted, predict
from gradatim.fitting.preprocessing import Preprocessing, take_rows
from gradatim.fitting.problem import Problem, prepare
from gradatim.fitting.reading import read_table
from gradatim.fitting.report import Findings, make_report
from gradatim.fitting.tuning import Tuning, scores, tune
from gradatim.fitting.verdict import NETWORK, Verdict, decide
from gradatim.fitting.work import Work
from gradatim.model_folder import any_entry

LATE = 0.85  # of the budget, after which no learning curve is drawn
RESERVE = 0.15  # of the budget, for the last training and the report


@dataclass
class FitResult:
    """What ``fit_table`` returns.

    Args:
        folder: The model folder.
        model: The model, as :func:`gradatim.load_model` reads it from the folder.
        verdict: The conclusion.
        report: The report that the folder holds.
        seconds: How long everything took.
        problem: Table, target and split.
        concerns: What a careful reader would worry about.
    """

    folder: Path
    model: TableModel
    verdict: Verdict
    report: Report
    seconds: float
    problem: Problem
    concerns: list[str]

    @property
    def headline(self) -> str:
        """What was fitted, in a line."""
        p = self.problem
        sizes = (
            f"{len(p.train):,} training rows, {len(p.test):,} test rows, {len(p.columns)} columns"
        )
        return f"{p.name}: {p.task} of {p.target!r} ({sizes}, {self.seconds:.0f} s)"

    @property
    def notes(self) -> list[str]:
        """What was done to the data."""
        return self.problem.notes

    @property
    def tables(self) -> list[Table]:
        """The tables of the comparison and of the test."""
        tables = [s for s in self.report.sections if isinstance(s, Table)]
        return [t for t in tables if t.title.startswith(("Cross-validation", "Test"))]


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
    started: float | None = None,
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
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.

    Example:
        >>> result = fit_table("iris", output="iris-model", budget=30.0)  # doctest: +SKIP
        >>> result.model.predict(frame)  # doctest: +SKIP
    """
    started = time.perf_counter() if started is None else started
    job = Job(
        target=target, task=task, test=test, time_column=time_column, group=group, drop=tuple(drop),
        budget=budget, trials=trials, rows=rows, seed=seed,
    )  # fmt: skip
    folder, tell = Path(output), tell or (lambda stage, share: None)
    _check_output(folder)
    tell("reading the table", 0.0)
    problem = _read_problem(data, job)
    identity = {"data": fingerprint(problem), **asdict(job)}
    del identity["budget"]  # a resumed run may be given more time
    place = folder.parent / f".{folder.name}.work"
    work = Work(place, identity, resume=resume, started=started)
    try:
        result = _solve(problem, job, work, folder, tell)
    except (InvalidValue, Unavailable):
        work.remove()
        raise
    work.remove()
    return result


def _check_output(folder: Path) -> None:
    if folder.exists() and not (folder / "model.json").is_file() and any_entry(folder):
        raise InvalidValue(
            f"fit: output must be new, empty or a model folder, got {str(folder)!r}. Choose another name."
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder.parent):
            return
    except OSError as error:
        raise Unavailable(f"fit: {folder} cannot be written: {error.strerror or error}.") from error


def _read_problem(data: "str | Path | pd.DataFrame", job: Job) -> Problem:
    raw = read_table(data, cells=job.cells, seed=job.seed)
    if job.rows is not None and len(raw.frame) > job.rows:
        kept = np.random.default_rng([job.seed, 3]).permutation(len(raw.frame))[: job.rows]
        raw.frame = raw.frame.iloc[np.sort(kept)]
        raw.notes.append(f"A random sample of {job.rows:,} of {raw.rows:,} rows is used, as asked.")
    test = (
        read_table(job.test, cells=job.cells, seed=job.seed) if isinstance(job.test, str) else None
    )
    return prepare(raw, job, test)


def fingerprint(problem: Problem) -> str:
    """A hash of everything that training sees."""
    digest = hashlib.sha256(problem.y.tobytes() + problem.train.tobytes())
    for column in problem.columns:
        cells = problem.table[column.name]
        digest.update(repr(column).encode())
        for part in cells if isinstance(cells, tuple) else (cells,):
            digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return digest.hexdigest()


def _solve(problem: Problem, job: Job, work: Work, folder: Path, tell: Tell) -> FitResult:
    timed = job.budget if job.trials is None else None
    start_up = work.elapsed - work.spent
    folds = Folds(problem, plan_folds(problem, job.seed))
    if len(folds.splits) < 2:
        raise InvalidValue(
            "fit: the training rows must allow at least two folds, and do not. Use more rows."
        )
    comparison = compare(problem, folds, work, timed, job.seed, tell)
    deadline = None if timed is None else _deadline(timed, comparison, start_up)
    tuning = tune(folds, len(comparison.folds), work, deadline=deadline, trials=job.trials, seed=job.seed, tell=tell)  # fmt: skip
    simple = {name: scores(results) for name, results in comparison.simple.items()}
    metric = next(iter(next(iter(comparison.simple.values()))[0].figures))
    network = None if tuning is None else scores(tuning.results)
    verdict = decide(simple, network, comparison.ratio, metric)
    tell("training on all training rows", 0.0)
    return _finish(problem, job, comparison, tuning, verdict, folds, work, folder, tell)


def _deadline(budget: float, comparison: Comparison, start_up: float) -> float:
    """When tuning must end: the last trainings take as long as the slowest fold, the report about as long as starting up."""
    slowest = max(r.seconds for results in comparison.simple.values() for r in results)
    return budget * (1 - RESERVE) - 1.5 * slowest - start_up


def _finish(
    problem: Problem, job: Job, comparison: Comparison, tuning: Tuning | None, verdict: Verdict,
    folds: Folds, work: Work, folder: Path, tell: Tell,
) -> FitResult:  # fmt: skip
    preprocessing = preprocess(problem, problem.train)
    X = preprocessing.transform(problem.table)
    models = _train_all(problem, X[problem.train], verdict, tuning, job.seed)
    tell("judging on the test rows", 0.5)
    outputs = {name: predict(fitted, X[problem.test]) for name, fitted in models.items()}
    y = problem.y[problem.test]
    test_figures = {name: measure(y, out, problem.classes) for name, out in outputs.items()}
    tell("writing the report", 0.8)
    test_table = take_rows(problem.table, problem.test)
    importance = permutation_importance(models[verdict.recommended], preprocessing, test_table, y, seed=job.seed)  # fmt: skip
    late = job.trials is None and work.elapsed > LATE * job.budget
    history = None if late else _watch(problem, folds, tuning, job.seed)
    findings = Findings(
        problem=problem,
        comparison=comparison,
        tuning=tuning,
        verdict=verdict,
        models=models,
        outputs=outputs,
        test_figures=test_figures,
        concerns=find_concerns(problem, job.seed),
        importance=importance,
        history=history,
        folder=str(folder),
    )
    return _write(findings, preprocessing, job, work, folder)


def _write(
    findings: Findings, preprocessing: Preprocessing, job: Job, work: Work, folder: Path
) -> FitResult:
    problem, verdict = findings.problem, findings.verdict
    report = make_report(findings)
    report.settings, report.seconds = asdict(job), work.elapsed
    model = TableModel(
        target=problem.target,
        labels=problem.labels,
        preprocessing=preprocessing,
        models=findings.models,
        recommended=verdict.recommended,
        about=_about(findings),
    )
    extra = _report_files(report)
    extra["predictions.csv"] = _predictions(model, problem, findings.outputs[verdict.recommended])
    model.save(folder, extra)
    return FitResult(folder, model, verdict, report, work.elapsed, problem, findings.concerns)


def _train_all(
    problem: Problem, X: np.ndarray, verdict: Verdict, tuning: Tuning | None, seed: int
) -> dict[str, Fitted]:
    """The recommended model, the best simple one, the trivial one and the network, on all training rows."""
    y, classes = problem.y[problem.train], problem.classes
    trivial = "class frequencies" if classes else "mean"
    wanted = [trivial, verdict.best_simple, verdict.recommended]
    names = [name for name in dict.fromkeys(wanted) if name != NETWORK]
    models = {name: fit_simple(name, X, y, classes, seed) for name in names}
    if tuning is not None:
        models[NETWORK] = fit_network(X, y, classes, tuning.settings, seed)[0]
    return models


def _watch(problem: Problem, folds: Folds, tuning: Tuning | None, seed: int) -> Any:
    """The chosen network on the first fold once more, watched epoch by epoch."""
    if tuning is None:
        return None
    X, X_judge = folds.features(0)
    train, judge = folds.splits[0]
    settings = type(tuning.settings)(**{**asdict(tuning.settings), "members": 1})
    return fit_network(X, problem.y[train], problem.classes, settings, seed, (X_judge, problem.y[judge]))[1]  # fmt: skip


def _about(findings: Findings) -> dict[str, Any]:
    verdict, problem = findings.verdict, findings.problem
    return {
        "data": problem.name,
        "task": problem.task,
        "metric": verdict.metric,
        "verdict": verdict.sentence,
        "difference": None if verdict.difference is None else verdict.difference._asdict(),
        "training_rows": len(problem.train),
        "test_rows": len(problem.test),
        "test": findings.test_figures,
        "cross_validation": findings.cv_means(),
    }


def _report_files(report: Report) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as place:
        report.write(place)
        return {path.name: path.read_bytes() for path in sorted(Path(place).iterdir())}


def _predictions(model: TableModel, problem: Problem, outputs: np.ndarray) -> bytes:
    """Predictions of the test rows as ``predict`` writes them, with their row in the source, from 1."""
    table = model.prediction_frame(outputs)
    rows = problem.rows[problem.test]
    table.insert(0, "row", np.where(rows < 0, -rows, rows + 1))
    return table.to_csv(index=False).encode()
