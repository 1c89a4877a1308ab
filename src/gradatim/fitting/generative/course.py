"""The course of generative models: split, plan for the budget, train each kind of network, choose, judge once, write.

Whatever the medium is, the network must beat a simple generator on data that neither has seen, or the simple one is
recommended. Where the budget is too short for any network, the simple one is all that is written.
"""

from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial

from torch import nn

from gradatim.events import CancelToken, Figure, Sample, Stage, Tell, tell_nobody
from gradatim.fitting.contest import RESERVE, FitResult
from gradatim.fitting.course import SAFE
from gradatim.fitting.generative import sections
from gradatim.fitting.generative.kind import GenerativeOptions
from gradatim.fitting.generative.medium import Maker, Medium, Outcome, Seen, Trained
from gradatim.fitting.learning import train_network
from gradatim.fitting.rounds import Deadline, Plan, Size, early_end, largest_plan
from gradatim.fitting.verdict import Verdict
from gradatim.fitting.work import Work, begin
from gradatim.nn.training_modes import evaluation_mode
from gradatim.randomness import seeded
from gradatim.reports import Concern
from gradatim.threads import limit_threads, safe_threads
from gradatim.training import EMA, Callback, History, NonFiniteError, Trainer
from gradatim.training.history import Record

ROUNDS = 10
LEAST_STEPS, MOST_STEPS = 60, 20_000  # of a network; with fewer it is not worth a look
PROBED = 6  # steps by which the pace is measured
STRETCH = (0.15, 0.85)  # shares of the course at which training begins and ends
SHORT = Concern(
    "The budget is too short for a network",
    "the simple generator is all that was written",
    "Give it a longer --budget",
)


def take_course(
    read: Callable[[], Medium],
    job: GenerativeOptions,
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
    with begin(read, job, tell=tell, cancel=cancel, started=started, source=source) as (medium, work):  # fmt: skip
        start_up = work.elapsed - work.spent
        with limit_threads(safe_threads()):
            before = work.elapsed
            medium.prepare(work, tell)
            prepared = work.recall("prepared", lambda: work.elapsed - before)
            end = job.budget * (1 - RESERVE) - start_up - medium.seconds_to_judge(prepared)
            trained = {own.maker.name: own for own in _train(medium, job, work, tell, end)}
            usable = {name: own.figure for name, own in trained.items() if own.watched}
            chosen = min(usable, key=lambda name: usable[name], default=None)
            best = None if chosen is None else trained[chosen]
            tell(Stage(f"judging on held-out {medium.things}", STRETCH[1]))
            verdict = medium.judge(best, tell)
        concerns = _concerns(medium, trained, chosen, verdict)
        outcome = Outcome(job.folder, trained, chosen, verdict, concerns, medium.model(best, verdict))  # fmt: skip
        return _write(medium, outcome, job, work)


def _train(
    medium: Medium, job: GenerativeOptions, work: Work, tell: Tell, end: float
) -> Iterator[Trained]:
    """Train the kinds of networks one after the other, each for its share of the time that is left."""
    makers = medium.makers()
    for k, maker in enumerate(makers):
        share = maker.share / sum(other.share for other in makers[k:])
        until = work.recall(f"until-{maker.name}", partial(_share_of_time, work, share, end))
        tell(Stage(f"measuring how fast a {maker.name} learns", STRETCH[0]))
        made = work.recall(f"plan-{maker.name}", partial(_plan, medium, maker, job.seed, until - work.elapsed))  # fmt: skip
        if made is None:
            continue
        plan = Plan(**{**made, "size": Size(*made["size"])})
        trained = _train_one(medium, maker, plan, work, tell, Stretch(until, k, len(makers)))
        if trained.watched:
            judge = partial(medium.choose_by, maker, trained.network)
            trained.figure = work.recall(f"chosen-{maker.name}", judge)
        yield trained


def _share_of_time(work: Work, share: float, end: float) -> float:
    """When a network must be done that has a share of the time until the end."""
    return work.elapsed + share * max(end - work.elapsed, 0.0)


def _plan(medium: Medium, maker: Maker, seed: int, seconds: float) -> dict[str, object] | None:
    """The largest network of a kind that learns enough in the time there is; ``None`` where none learns anything."""
    plans = (Plan(size, 1, rows, seed=seed) for size, rows in maker.sizes)

    def count(plan: Plan) -> int:
        return int(SAFE * seconds / _seconds_per_step(medium, maker, plan)) if seconds > 0 else 0

    plan = largest_plan(plans, count, maker.is_enough)
    if plan.steps < LEAST_STEPS:
        return None
    steps = min(plan.steps, MOST_STEPS, max(medium.most_steps(plan), LEAST_STEPS))
    return asdict(replace(plan, steps=max(steps // ROUNDS, 1), rounds=ROUNDS))


def _seconds_per_step(medium: Medium, maker: Maker, plan: Plan) -> float:
    probe = replace(plan, steps=PROBED, rounds=2)
    train, _ = medium.batches(maker, probe)
    network = _build(maker, probe)
    _, history = train_network(
        lambda: network, train, seed=plan.seed, device="auto", epochs=2, **maker.learning(probe, network)
    )  # fmt: skip
    return float(history["seconds"][-1]) / PROBED  # the first round warms up


def _build(maker: Maker, plan: Plan) -> nn.Module:
    with seeded(plan.seed):
        return maker.build(plan)


class Stretch:
    """The part of the course that a training takes: until when, and its place among the others."""

    def __init__(self, until: float, place: int, count: int) -> None:
        self.until, self.place, self.count = until, place, count

    def share(self, done: float) -> float:
        """Share of the whole course that is done, of this training's own."""
        return STRETCH[0] + (STRETCH[1] - STRETCH[0]) * (self.place + done) / self.count


def _train_one(
    medium: Medium, maker: Maker, plan: Plan, work: Work, tell: Tell, stretch: Stretch
) -> Trained:
    """Train, keep the weights of the best round, and save every round so that a killed run goes on."""
    own = maker.callbacks(plan)
    average = next((callback for callback in own if isinstance(callback, EMA)), None)
    watcher = Watcher(medium, maker, plan, work, tell, stretch, average)
    train, watched = medium.batches(maker, plan)
    network, worries = _build(maker, plan), list[str]()
    try:
        train_network(
            lambda: network, train, watched, seed=plan.seed, device="auto", epochs=plan.rounds,
            checkpoint=work.folder / f"{maker.name}.safetensors", cancel=work.cancel,
            **maker.learning(plan, network),
            callbacks=[
                *own,
                watcher,
                Deadline(lambda: work.elapsed > stretch.until),
            ],
        )  # fmt: skip
    except NonFiniteError as error:
        worries.append(str(error))
        if not maker.rescue(network):
            watcher.seen = []
    return Trained(maker, plan, network, watcher.history, watcher.seen, worries=[*maker.worries(), *worries])  # fmt: skip


class Watcher(Callback):
    """After every round: tell how good samples of the same noise are, show some, and keep all for the report.

    Args:
        medium: What is learned.
        maker: The kind of network.
        plan: How many rounds there will be.
        work: Where both are kept, so that a resumed run still has them.
        tell: Called with the figure, the sample and the stage.
        stretch: The part of the course that this training takes.
        average: Of the weights, where samples are drawn with it.
    """

    def __init__(
        self,
        medium: Medium,
        maker: Maker,
        plan: Plan,
        work: Work,
        tell: Tell,
        stretch: Stretch,
        average: EMA | None = None,
    ) -> None:
        self.medium, self.maker, self.rounds = medium, maker, plan.rounds
        self.average = average
        self.work, self.tell, self.stretch = work, tell, stretch
        self.seen: list[Seen] = []
        self.history = History()

    def _key(self, done: int) -> str:
        return f"{self.maker.name}-round-{done}"

    def on_fit_start(self, trainer: Trainer) -> None:
        self.history = trainer.history
        kept = (self.work.recall(self._key(n), dict) for n in range(1, trainer.epoch + 1))
        self.seen = [Seen(**seen) for seen in kept if seen]

    def on_epoch_end(self, trainer: Trainer, record: Record) -> None:
        done = int(record["epoch"])
        lent = nullcontext() if self.average is None else self.average.averaged(trainer.model)
        with lent, evaluation_mode(trainer.model):
            seen = Seen(done, *self.medium.look(self.maker, trainer.model))
        self.seen.append(seen)
        self.work.put(self._key(done), seen._asdict())
        name, words = self.medium.figure
        told = f"{self.maker.name}, round {done} of {self.rounds}: {words.format(seen.figure)}"
        self.tell(Figure(f"{self.maker.name}: {name}", seen.figure, done))
        self.tell(Sample(told, seen.sample, b64decode(seen.picture)))
        self.tell(Stage(told, self.stretch.share(done / self.rounds)))


def _concerns(
    medium: Medium, trained: dict[str, Trained], chosen: str | None, verdict: Verdict
) -> list[Concern]:
    found = [Concern(f"The training of the {own.maker.name} went wrong", said.rstrip(".")) for own in trained.values() for said in own.worries]  # fmt: skip
    if chosen is None:
        return [*([] if trained else [SHORT]), *found, *medium.worries(verdict.recommended)]
    if not verdict.network_wins:
        found.append(
            Concern(
                f"The network's {medium.things} are not clearly nearer to real ones than those of a simple generator",
                remedy="Give it a longer --budget or more data, or use the simple one",
            )
        )
    best = trained[chosen]
    return [
        *found,
        *early_end(best.history, best.plan.rounds, "More data"),
        *medium.worries(verdict.recommended),
    ]


def _write(medium: Medium, outcome: Outcome, job: GenerativeOptions, work: Work) -> FitResult:
    report = sections.make_report(medium, outcome)
    report.settings, report.seconds = job.settings(), work.elapsed
    outcome.model.about = {
        "data": medium.name,
        "task": medium.task,
        "metric": medium.metric,
        "verdict": outcome.verdict.sentence,
        **work.origin,
        **medium.about(),
    }
    outcome.model.save(outcome.folder, report.files())
    return FitResult(
        outcome.folder, outcome.model, outcome.verdict, report, work.elapsed, medium, outcome.concerns,
        command=medium.command(outcome),
    )  # fmt: skip
