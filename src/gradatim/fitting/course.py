"""One course for networks that write: plan for the budget, train once in rounds, judge once on what was set aside.

Training takes the whole budget, so there is no cross-validation: simple models and the network learn from one training part
and are judged on one test part, in blocks whose differences decide. What differs between a language model and a translator
is a :class:`Course`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, NamedTuple

from torch import nn

from gradatim.events import CancelToken, Figure, Sample, Stage, Tell, tell_nobody
from gradatim.fitting.contest import RESERVE, FitResult
from gradatim.fitting.helping import Helped, is_helper
from gradatim.fitting.learning import train_network
from gradatim.fitting.options import Options
from gradatim.fitting.rounds import Deadline, Plan, Size, early_end
from gradatim.fitting.stored import StoredWriter
from gradatim.fitting.verdict import Verdict
from gradatim.fitting.work import Work, begin
from gradatim.reports import Concern, Report
from gradatim.threads import limit_threads, safe_threads
from gradatim.training import Callback, EarlyStopping, History, Trainer
from gradatim.training.distributed.joining import joined
from gradatim.training.distributed.spread import Spread, spreading
from gradatim.training.history import Record

NETWORK_FILE = "network.safetensors"
PATIENCE = 4  # rounds without a better one
SAFE = 0.75  # of the time that is left, for which training is planned


class Seen(NamedTuple):
    """What was seen after a round: a figure, and something the network made."""

    round: int
    figure: float
    sample: str


@dataclass
class Outcome:
    """What a course found.

    Args:
        folder: Where the model will be.
        plan: How the network was trained.
        model: The trained model.
        history: How the training went.
        verdict: The conclusion.
        concerns: What a careful reader would worry about.
    """

    folder: Path
    plan: Plan
    model: StoredWriter
    history: History
    verdict: Verdict
    concerns: list[Concern]


class Course(ABC):
    """Data that were read, with everything that is done to them on the way to a model.

    Attributes:
        name: Short name of the data.
        title: What is made, for the report.
        headline: What is learned from how much, in a line.
        notes: What was done to the data, one sentence each.
        watched: What was seen after each round.
    """

    task: ClassVar[str]
    metric: ClassVar[str]  # of the verdict; smaller is better
    material: ClassVar[str]  # what is learned from, in a word
    figure: ClassVar[tuple[str, str]]  # name of what is measured after a round, and how it is told
    stretch: ClassVar[tuple[float, float]]  # shares of the course at which training begins and ends
    judging: ClassVar[str]  # what is told before the test
    spare: ClassVar[float]  # seconds for the test and the report
    doubt: ClassVar[Concern]  # where the network does not win
    remedy: ClassVar[str]  # of learning that ended early
    name: str
    title: str
    headline: str
    notes: list[str]

    def __init__(self) -> None:
        self.watched: list[Seen] = []

    @abstractmethod
    def fingerprint(self) -> str:
        """Return a hash of everything that training sees; a killed run resumes only with the same."""

    @abstractmethod
    def prepare(self, work: Work, tell: Tell) -> None:
        """Cut the data into tokens and parts, and fit what the network must beat."""

    @abstractmethod
    def plan(self, seconds: float) -> Plan:
        """Return the largest network that learns enough in ``seconds`` of training."""

    @abstractmethod
    def build(self, plan: Plan) -> nn.Module:
        """Return a fresh network."""

    @abstractmethod
    def batches(self, plan: Plan) -> tuple[object, object]:
        """Return what a round learns from and what it is judged by."""

    @abstractmethod
    def learning(self, plan: Plan) -> dict[str, Any]:
        """Return loss, rate and schedule: arguments of the Trainer."""

    @abstractmethod
    def model(self, network: Any) -> StoredWriter:
        """Return the network with what it needs to be used."""

    @abstractmethod
    def look(self, model: Any, loss: float) -> tuple[float, str]:
        """Return the figure of a validation loss, and something that the model makes."""

    @abstractmethod
    def judge(self, model: Any) -> Verdict:
        """Use the test part once."""

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return sizes and test figures for the model folder."""

    @abstractmethod
    def describe(self, report: Report, outcome: Outcome) -> None:
        """Add what the data are to the report."""

    @abstractmethod
    def explain(self, report: Report, outcome: Outcome) -> None:
        """Add the comparison, the network, and what it does to the report."""

    @abstractmethod
    def usage(self, outcome: Outcome) -> str:
        """Return lines that use the model folder."""

    def command(self, outcome: Outcome) -> str:
        """Return what to type next, where it is not ``gradatim predict``."""
        return ""


class Watcher(Callback):
    """After every round: tell how good the network is and what it makes, and keep both for the report.

    Args:
        course: What is learned.
        rounds: How many there will be.
        work: Where both are kept, so that a resumed run still has them.
        tell: Called with the figure, the sample and the stage.
    """

    once = True

    def __init__(self, course: Course, rounds: int, work: Work, tell: Tell) -> None:
        self.course, self.rounds, self.work, self.tell = course, rounds, work, tell

    def on_fit_start(self, trainer: Trainer) -> None:
        kept = (self.work.recall(f"round-{n}", dict) for n in range(1, trainer.epoch + 1))
        self.course.watched = [Seen(**seen) for seen in kept if seen]

    def on_epoch_end(self, trainer: Trainer, record: Record) -> None:
        done, course = int(record["epoch"]), self.course
        seen = Seen(done, *course.look(course.model(trainer.model), record["validation_loss"]))
        course.watched.append(seen)
        self.work.put(f"round-{done}", seen._asdict())
        (name, words), (begins, ends) = course.figure, course.stretch
        told = f"round {done} of {self.rounds}: {words.format(seen.figure)}"
        self.tell(Figure(name, seen.figure, done))
        self.tell(Sample(told, seen.sample))
        self.tell(Stage(told, begins + (ends - begins) * done / self.rounds))


def take_course(
    read: Callable[[], Course],
    job: Options,
    *,
    tell: Tell = tell_nobody,
    cancel: CancelToken | None = None,
    started: float | None = None,
    source: str = "",
) -> FitResult:
    """Go the course on the data that ``read`` gives, and write a model folder.

    Args:
        read: Reads the data.
        job: What the user asked for, the model folder included.
        tell: Called with what is being done and the share of it that is done.
        cancel: Ends the run when asked to.
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.
        source: Where the data come from, noted in the folder.
    """
    if is_helper():
        _help(read())
        raise Helped
    with begin(read, job, tell=tell, cancel=cancel, started=started, source=source) as (course, work):  # fmt: skip
        start_up = work.elapsed - work.spent
        end = job.budget * (1 - RESERVE) - start_up - course.spare
        with limit_threads(safe_threads()):
            course.prepare(work, tell)
            plan = _plan(course, work, end)
            with spreading(True), joined(Spread()) as group:
                group.gather([asdict(plan), str(work.folder / NETWORK_FILE)])
                network, history = train_in_rounds(course, plan, work, tell, end)
            model = course.model(network)
            tell(Stage(course.judging, course.stretch[1]))
            verdict = course.judge(model)
        doubts = [] if verdict.network_wins else [course.doubt]
        concerns = doubts + early_end(history, plan.rounds, course.remedy)
        return _write(course, Outcome(job.folder, plan, model, history, verdict, concerns), job, work)  # fmt: skip


def _help(course: Course) -> None:
    """Train along with the first process, by its plan, from its checkpoint; nothing is written."""
    with TemporaryDirectory() as scratch, limit_threads(safe_threads()):
        folder = Path(scratch)
        course.prepare(Work(folder, {}, resume=False), tell_nobody)
        with spreading(True), joined(Spread()) as group:
            made, checkpoint = group.gather(None)[0]
            plan = Plan(**{**made, "size": Size(*made["size"])})
            work = Work(folder, {}, resume=False)
            train_in_rounds(course, plan, work, tell_nobody, math.inf, Path(checkpoint))


def _plan(course: Course, work: Work, end: float) -> Plan:
    made = work.recall("plan", lambda: asdict(course.plan(SAFE * (end - work.elapsed))))
    return Plan(**{**made, "size": Size(*made["size"])})


def train_in_rounds(
    course: Course, plan: Plan, work: Work, tell: Tell, end: float, checkpoint: Path | None = None
) -> tuple[nn.Module, History]:
    """Train, keep the weights of the best round, and save every round so that a killed run goes on.

    Args:
        course: What is learned.
        plan: How.
        work: Its folder holds the file that is written after every round.
        tell: Called after every round.
        end: Reading of the work's clock at which training ends in any case.
        checkpoint: File of the first process, where this one helps.
    """
    train, validation = course.batches(plan)
    return train_network(
        lambda: course.build(plan), train, validation, seed=plan.seed, device="auto", clip_norm=1.0,
        epochs=plan.rounds, checkpoint=checkpoint or work.folder / NETWORK_FILE, cancel=work.cancel,
        **course.learning(plan),
        callbacks=[
            EarlyStopping(patience=PATIENCE),
            Watcher(course, plan.rounds, work, tell),
            Deadline(lambda: work.elapsed > end),
        ],
    )  # fmt: skip


def _write(course: Course, outcome: Outcome, job: Options, work: Work) -> FitResult:
    report = make_report(course, outcome)
    report.settings, report.seconds = job.settings(), work.elapsed
    outcome.model.about = {
        "data": course.name,
        "task": course.task,
        "metric": course.metric,
        "verdict": outcome.verdict.sentence,
        **work.origin,
        **course.about(),
    }
    outcome.model.save(outcome.folder, report.files())
    return FitResult(
        outcome.folder, outcome.model, outcome.verdict, report, work.elapsed, course, outcome.concerns,
        command=course.command(outcome),
    )  # fmt: skip


def make_report(course: Course, outcome: Outcome) -> Report:
    """Compose the report."""
    report = Report(title=course.title, summary=outcome.verdict.sentence)
    with report.attempt("the data"):
        course.describe(report, outcome)
    steps = [[note] for note in course.notes]
    report.table(f"What was done to the {course.material}", columns=["step"], rows=steps)
    if outcome.concerns:
        worries = [[str(concern)] for concern in outcome.concerns]
        report.table("Warnings", columns=["what to worry about"], rows=worries)
    with report.attempt("what the model does"):
        course.explain(report, outcome)
    report.text("How to use the model:")
    with report.attempt("the usage"):
        report.code("python", course.usage(outcome))
    return report
