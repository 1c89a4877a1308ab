"""What a medium gives to the course: rows of a table, or pictures, and the networks that can learn them.

A medium knows how its data are read, split, shown, judged and stored. A :class:`Maker` is one kind of network: how it is built,
trained and drawn from. The course knows neither.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from gradatim.events import Tell
from gradatim.fitting.rounds import Plan, Size
from gradatim.fitting.verdict import Verdict
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import Callback, History

ENOUGH = 3_000  # steps of a network, after which a larger one is worth its time


class Asked(NamedTuple):
    """What is asked of a network that draws.

    Args:
        label: Class of every sample; ``None`` of a network without classes.
        guidance: How far to go beyond what the class asks for.
        steps: Evaluations of a diffusion model; its own number by default.
    """

    label: Tensor | None = None
    guidance: float = 0.0
    steps: int | None = None


class Look(NamedTuple):
    """What samples of a half-trained network look like.

    Args:
        figure: How good they are.
        sample: Some of them in words.
        picture: A PNG of them as text in base 64, where they are images.
    """

    figure: float
    sample: str
    picture: str = ""


class Seen(NamedTuple):
    """A look, and after which round it was taken."""

    round: int
    figure: float
    sample: str
    picture: str = ""


class Maker(ABC):
    """A kind of network that learns to make data.

    Attributes:
        name: ``"vae"``, ``"gan"`` or ``"diffusion"``.
        share: Of the time for training, beside those of the others.
        sizes: Networks from the smallest to the largest, with the rows of a step.
    """

    name: ClassVar[str]
    share: ClassVar[float] = 1.0
    sizes: ClassVar[tuple[tuple[Size, int], ...]]

    @abstractmethod
    def build(self, plan: Plan) -> nn.Module:
        """Return a fresh network."""

    @abstractmethod
    def learning(self, plan: Plan, network: Any) -> dict[str, Any]:
        """Return objective, rate and schedule: arguments of the Trainer of a network that was built."""

    @abstractmethod
    def callbacks(self, plan: Plan) -> list[Callback]:
        """Return observers of its training, such as an average of its weights."""

    @abstractmethod
    def draw(
        self, network: Any, num_samples: int, asked: Asked, *, generator: torch.Generator
    ) -> Tensor:
        """Return samples, as the network sees them."""

    def rescue(self, network: Any) -> bool:
        """Give a network whose training diverged the best weights that it had; whether there are any."""
        return False

    def worries(self) -> list[str]:
        """Return what went wrong in training, one sentence each."""
        return []

    def is_enough(self, plan: Plan) -> bool:
        """Whether a network learns enough by a plan, so that a larger one may be tried."""
        return plan.rounds * plan.steps >= ENOUGH


@dataclass
class Trained:
    """A network that was trained.

    Args:
        maker: Its kind.
        plan: How it was trained.
        network: The network.
        history: How the training went.
        watched: What was seen after each round.
        figure: How good its samples are beside validation data, by the figure of the verdict.
        worries: What went wrong, one sentence each.
    """

    maker: Maker
    plan: Plan
    network: nn.Module
    history: History
    watched: list[Seen] = field(default_factory=list)
    figure: float = float("nan")
    worries: list[str] = field(default_factory=list)


@dataclass
class Outcome:
    """What a course found.

    Args:
        folder: Where the model will be.
        trained: Networks by name of their kind.
        chosen: The one that made the best samples; ``None`` where there was no time for any.
        verdict: The conclusion.
        concerns: What a careful reader would worry about.
        model: What is stored.
    """

    folder: Path
    trained: Mapping[str, Trained]
    chosen: str | None
    verdict: Verdict
    concerns: list[Concern]
    model: Any

    @property
    def best(self) -> Trained | None:
        """The network that was chosen."""
        return None if self.chosen is None else self.trained[self.chosen]


class Medium(ABC):
    """Data that were read, with everything that is done to them on the way to a model that makes more.

    Attributes:
        name: Short name of the data.
        title: What is made, for the report.
        headline: What is learned from how much, in a line.
        notes: What was done to the data, one sentence each.
        things: What is made: ``"rows"`` or ``"images"``.
    """

    task: ClassVar[str] = "generative model"
    things: ClassVar[str]
    metric: ClassVar[str]  # of the verdict; smaller is better
    figure: ClassVar[tuple[str, str]]  # name of what is measured after a round, and how it is told
    name: str
    title: str
    headline: str
    notes: list[str]

    @abstractmethod
    def fingerprint(self) -> str:
        """Return a hash of everything that training sees; a killed run resumes only with the same."""

    @abstractmethod
    def prepare(self, work: Work, tell: Tell) -> None:
        """Learn simple generators, judge them, and make ready what networks need; ``work`` keeps what takes long."""

    @abstractmethod
    def seconds_to_judge(self, prepared: float) -> float:
        """Return how long the test and the report take, where :meth:`prepare` took so many seconds."""

    @abstractmethod
    def most_steps(self, plan: Plan) -> int:
        """Return the most steps of a network before it knows its few data by heart."""

    @abstractmethod
    def makers(self) -> list[Maker]:
        """Return the kinds of networks that compete, or the one that was asked for."""

    @abstractmethod
    def batches(self, maker: Maker, plan: Plan) -> tuple[object, object]:
        """Return what a round learns from and what it is watched on."""

    @abstractmethod
    def look(self, maker: Maker, network: nn.Module) -> Look:
        """Return a figure of samples from the same noise in every round, and some of them."""

    @abstractmethod
    def choose_by(self, maker: Maker, network: nn.Module) -> float:
        """Return the figure of the verdict for samples beside validation data; smaller is better."""

    @abstractmethod
    def judge(self, best: Trained | None, tell: Tell) -> Verdict:
        """Use the held-out data once, for the network, the simple generators and the references."""

    @abstractmethod
    def worries(self, recommended: str) -> list[Concern]:
        """Return what the judging found about the network, and about the generator that is recommended."""

    @abstractmethod
    def model(self, best: Trained | None, verdict: Verdict) -> Any:
        """Return what is stored: generators by name, and everything that turns samples into data."""

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return sizes and figures for the model folder."""

    @abstractmethod
    def describe(self, report: Report) -> None:
        """Add what the data are to the report."""

    @abstractmethod
    def explain(self, report: Report, outcome: Outcome) -> None:
        """Add figures and samples of all generators side by side to the report."""

    @abstractmethod
    def usage(self, outcome: Outcome) -> str:
        """Return lines that use the model folder."""

    @abstractmethod
    def command(self, outcome: Outcome) -> str:
        """Return what to type next."""
