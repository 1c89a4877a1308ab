"""One contest for every kind of data: simple models against a network, as a careful statistician would run it.

The course is always the same: read and split, judge all candidates by cross-validation, tune the network within the
budget, conclude by Occam's rule, train the finalists on all training rows, use the test rows once, add them to what the
finalists learn, write the model folder whole or not at all. What differs between tables, images and other data is a
:class:`~gradatim.fitting.player.Player`.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gradatim.errors import GradatimError, InvalidValue
from gradatim.evaluation.racing import scores
from gradatim.events import CancelToken, Stage, Tell, tell_nobody
from gradatim.fitting.averaging import TIME, Average, find_average
from gradatim.fitting.calibrating import calibrate_models
from gradatim.fitting.clock import Clock
from gradatim.fitting.comparison import Comparison, compare, help_compare
from gradatim.fitting.completion import Build, complete_models
from gradatim.fitting.findings import Findings, all_results
from gradatim.fitting.helping import Helped, is_helper, wait_for
from gradatim.fitting.options import ContestOptions
from gradatim.fitting.planning import begin_network
from gradatim.fitting.player import AVERAGE, NETWORK, Candidate, Figures, Player
from gradatim.fitting.report import make_report
from gradatim.fitting.tuning import NetworkFamily, Tuning, tune, tune_simple
from gradatim.fitting.verdict import Verdict, decide
from gradatim.fitting.work import Borrowed, Work, begin, identity_of, work_folder
from gradatim.reports import Concern, Report
from gradatim.reports.sections import Table
from gradatim.threads import limit_threads, safe_threads

if TYPE_CHECKING:
    from gradatim.fitting.clusters.verdict import ClusterVerdict

LATE = 0.85  # of the budget, after which no learning curve is drawn
RESERVE = 0.05  # of the budget, for what takes longer than planned
SLOWER = 1.4  # a training on all rows, beside one on the training rows


@dataclass(frozen=True)
class FitResult:
    """What a fit returns.

    Args:
        folder: The model folder.
        model: The model, as :func:`gradatim.load_model` reads it from the folder.
        verdict: The conclusion.
        report: The report that the folder holds.
        seconds: How long everything took.
        player: The data, as they were read and split.
        concerns: What a careful reader would worry about.
        command: What to type next, where it is not ``gradatim predict``.
        after: What became of the test rows after the test.
        remarks: What was left out of the comparison, and why.
    """

    folder: Path
    model: Any
    verdict: "Verdict | ClusterVerdict"
    report: Report
    seconds: float
    player: Any
    concerns: list[Concern]
    command: str = ""
    after: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def headline(self) -> str:
        """What was fitted, in a line."""
        return f"{self.player.headline} in {self.seconds:.0f} s"

    @property
    def notes(self) -> list[str]:
        """What was done to the data, what was left out of the comparison, and figures that could not be drawn."""
        return [*self.player.notes, *self.remarks, *self.report.left_out]

    @property
    def tables(self) -> list[Table]:
        """The tables of the comparison and of the test, or of clusters."""
        tables = [s for s in self.report.sections if isinstance(s, Table)]
        return [t for t in tables if t.title.startswith(("Cross-validation", "Test", "Clusters"))]


def hold_contest(
    read: Callable[[], Player],
    job: ContestOptions,
    *,
    tell: Tell = tell_nobody,
    cancel: CancelToken | None = None,
    started: float | None = None,
    source: str = "",
) -> FitResult:
    """Hold the contest on the data that ``read`` gives, and write a model folder.

    Args:
        read: Reads the data and splits them.
        job: What the user asked for, the model folder included.
        tell: Called with what is being done and the share of it that is done.
        cancel: Ends the run when asked to, between two pieces of work.
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.
        source: Where the data come from, noted in the folder.
    """
    if is_helper():
        with suppress(GradatimError, OSError):  # the first finds the same, or does without help
            _help(read(), job)
        raise Helped
    with begin(read, job, tell=tell, cancel=cancel, started=started, source=source) as (player, work):  # fmt: skip
        return _contest(player, job, work, tell)


def _help(player: Player, job: ContestOptions) -> None:
    """Take folds off the hands of the first process, until its work folder is gone."""
    folder = work_folder(job.folder)
    if not wait_for(folder, identity_of(player, job)):
        return
    work = Borrowed(folder)
    player.judge_by(job.score, job.costs)
    with limit_threads(safe_threads()):
        player.prepare(work, job.budget if job.trials is None else None, tell_nobody)
    help_compare(player, work)


def _contest(player: Player, job: ContestOptions, work: Work, tell: Tell) -> FitResult:
    timed = job.budget if job.trials is None else None
    start_up = work.elapsed - work.spent
    player.judge_by(job.score, job.costs)
    comparison, tuning, average, verdict = _compete(player, job, work, start_up, tell)
    tell(Stage(f"training on all training {player.things}"))
    began, finalists = work.elapsed, _finalists(player, comparison, verdict, tuning, average)
    models = _train(player, finalists, work)
    took = work.elapsed - began
    build = _builder(player, verdict, average)
    models |= build(models)
    tell(Stage(f"judging on the test {player.things}", 0.5))
    outputs = {name: player.outputs(model, None) for name, model in models.items()}
    decisions = _decisions(player, models, comparison, tuning, average)
    test_figures = {n: _tested(player, output, decisions.get(n)) for n, output in outputs.items()}
    calibrations = calibrate_models(player, models, verdict.recommended, comparison, tuning, average)  # fmt: skip
    completion = complete_models(
        player, finalists, models, work, build=build,
        has_time=timed is None or _is_affordable(SLOWER * took, timed, work.elapsed, start_up),
        keep_test_out=job.keep_test_out, is_sample=player.is_sample, tell=tell,
    )  # fmt: skip
    tell(Stage("writing the report", 0.8))
    can_watch = tuning is not None and player.clock.has(_watching(player, comparison, tuning), by=LATE)  # fmt: skip
    findings = Findings(
        folder=job.folder,
        comparison=comparison,
        tuning=tuning,
        average=average,
        verdict=verdict,
        models=models,
        outputs=outputs,
        test_figures=test_figures,
        can_watch=can_watch,
        completion=completion,
        decisions=decisions,
        calibrations=calibrations,
    )
    return _write(player, findings, job, work)


def _decisions(
    player: Player,
    models: Iterable[str],
    comparison: Comparison,
    tuning: Tuning | None,
    average: Average | None,
) -> dict[str, np.ndarray]:
    """How each of the models says a class, where that is not the likeliest one."""
    results = all_results(comparison, tuning, average)
    found = {name: player.decision(results[name]) for name in models if name in results}
    return {name: decision for name, decision in found.items() if decision is not None}


def _tested(player: Player, output: np.ndarray, decision: np.ndarray | None) -> Figures:
    """Figures of the test rows; those that the rows cannot tell are left out."""
    given = () if decision is None else (decision,)
    figures = player.measure(output, None, *given)
    return {name: value for name, value in figures.items() if np.isfinite(value)}


def _watching(player: Player, comparison: Comparison, tuning: Tuning) -> float:
    """Seconds to train the chosen network once more, about."""
    return player.cost(tuning.settings) * comparison.network[0].seconds


def _writing(budget: float, start_up: float) -> float:
    """Seconds for the report, which takes no more than half as long as starting up, or a tenth of the budget if that is less."""
    return min(0.5 * start_up, 0.1 * budget)


def _is_affordable(seconds: float, budget: float, elapsed: float, start_up: float) -> bool:
    """Whether the last trainings may use what is left, or take no more than what is kept for the unexpected."""
    return seconds <= max(budget - elapsed - _writing(budget, start_up), RESERVE * budget)


def _compete(
    player: Player, job: ContestOptions, work: Work, start_up: float, tell: Tell
) -> tuple[Comparison, Tuning | None, Average | None, Verdict]:
    """Compare the candidates, tune the network, average the best, conclude."""
    timed = job.budget if job.trials is None else None
    if len(player.folds) < 2:
        raise InvalidValue(
            f"fit: the training {player.things} must allow at least two folds, and do not. Use more {player.things}."
        )
    player.clock = Clock(timed, lambda: work.elapsed)
    with limit_threads(safe_threads()):
        player.prepare(work, timed, tell)
        player.has_network = timed is None or work.recall("begins-network", lambda: begin_network(work, timed))  # fmt: skip
        if player.has_network:
            player.plan_network(work, timed, tell)
    free = None if timed is None else timed - player.reserved(timed)
    comparison = compare(player, work, free, tell)
    deadline = None if free is None else _deadline(free, comparison, start_up)
    families = player.families()
    tuned = tune_simple(families, comparison.simple, work, deadline=deadline, trials=job.trials, tell=tell)  # fmt: skip
    for family in families:
        if family.name in tuned:
            own = tuned[family.name]
            comparison.simple[family.name] = own.results
            comparison.choices[family.name] = own.settings, own.choices
            comparison.notes.append(family.sentence(own.settings, own.trials))
    deadline = None if free is None else _deadline(free, comparison, start_up)
    tuning = tune(NetworkFamily(player), comparison.network, work, deadline=deadline, trials=job.trials, tell=tell)  # fmt: skip
    average = find_average(player, comparison, tuning, work, deadline)
    return comparison, tuning, average, _conclude(comparison, tuning, average, job.prefer)


def _deadline(budget: float, comparison: Comparison, start_up: float) -> float:
    """When tuning must end: the last trainings take as long as the slowest folds of all who may be averaged."""
    slowest = [max(r.seconds for r in results) for results in comparison.simple.values()]
    planned = _writing(budget, start_up) + (1 + SLOWER) * max(2.0 * max(slowest), sum(slowest))
    return budget * (1 - RESERVE - TIME) - planned


def _conclude(comparison: Comparison, tuning: Tuning | None, average: Average | None, prefer: str) -> Verdict:  # fmt: skip
    simple = {name: scores(results) for name, results in comparison.simple.items()}
    metric = next(iter(next(iter(comparison.simple.values()))[0].figures))
    network = None if tuning is None else scores(tuning.results)
    mixed = None if average is None else scores(average.results)
    return decide(simple, network, comparison.ratio, metric, prefer, mixed)


def _finalists(player: Player, comparison: Comparison, verdict: Verdict, tuning: Tuning | None, average: Average | None) -> list[Candidate]:  # fmt: skip
    """The trivial model, the best simple one, the recommended one (or whom it averages) and the network."""
    wanted = [player.simple[0], verdict.best_simple, verdict.recommended]
    if average is not None and verdict.recommended == AVERAGE:
        wanted += average.members
    candidates = [comparison.candidate(name) for name in dict.fromkeys(wanted) if name not in (NETWORK, AVERAGE)]  # fmt: skip
    if tuning is not None:
        candidates.append(Candidate(NETWORK, tuning.settings))
    return candidates


def _builder(player: Player, verdict: Verdict, average: Average | None) -> Build:
    """Makes the average of trained models, by name, where that is recommended."""

    def build(models: Mapping[str, Any]) -> dict[str, Any]:
        if average is None or verdict.recommended != AVERAGE:
            return {}
        return {AVERAGE: player.combine([models[n] for n in average.members], average.weights)}

    return build


def _train(player: Player, candidates: list[Candidate], work: Work) -> dict[str, Any]:
    """Train candidates on all training rows."""
    models = {}
    for candidate in candidates:
        work.cancel.check()
        with limit_threads(safe_threads()):
            models[candidate.name] = player.fit(candidate, None)
    return models


def _write(player: Player, findings: Findings, job: ContestOptions, work: Work) -> FitResult:
    report = make_report(player, findings)
    report.settings, report.seconds = job.settings(), work.elapsed
    about = _about(player, findings) | work.origin
    model = player.save(findings.folder, findings, about, report.files())
    return FitResult(
        findings.folder,
        model,
        findings.verdict,
        report,
        work.elapsed,
        player,
        findings.concerns,
        command=player.command(findings.folder),
        after=findings.completion.sentence,
        remarks=findings.remarks,
    )


def _about(player: Player, findings: Findings) -> dict[str, Any]:
    verdict = findings.verdict
    return {
        "data": player.name,
        "task": player.task,
        "metric": verdict.metric,
        "verdict": verdict.sentence,
        "simplicity_costs": verdict.cost._asdict(),
        "difference": None if verdict.difference is None else verdict.difference._asdict(),
        "training_rows": player.rows[0],
        "test_rows": player.rows[1],
        "learned_test_rows": findings.completion.is_done,
        "figures": findings.completion.sentence,
        "test": findings.test_figures,
        "cross_validation": findings.cv_means(),
    }
