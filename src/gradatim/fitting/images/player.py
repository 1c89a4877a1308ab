"""Images in the contest."""

from pathlib import Path
from typing import Any

import numpy as np

from gradatim.errors import InvalidType
from gradatim.events import Stage, Tell
from gradatim.fitting.classes import FLATTERS
from gradatim.fitting.findings import Findings
from gradatim.fitting.images import sections
from gradatim.fitting.images.kind import ImageOptions
from gradatim.fitting.images.model import FittedImages, ImageModel, outputs_of
from gradatim.fitting.images.networks import (
    EPOCHS,
    UNTIMED_EPOCHS,
    ImageNetwork,
    ImageSettings,
    draw_settings,
    fit_network,
    relative_cost,
    training_speed,
)
from gradatim.fitting.images.pixels import SIMPLE, fit_pixels, pixel_features
from gradatim.fitting.images.problem import Arrays, ImageProblem, prepare
from gradatim.fitting.images.teacher import read_teacher
from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.work import Work
from gradatim.reports import Concern
from gradatim.training import History

FOLDS = 3
SHARE = 0.1  # of the budget, for one training of the network on a fold


def read_player(data: "str | Path | Arrays", job: ImageOptions) -> "ImagePlayer":
    """Read a folder with one subfolder per class, a built-in set or pictures with classes, and set test images aside."""
    if not isinstance(data, str | Path | tuple):
        raise InvalidType("fit: data must be a folder of images, got a table.")
    problem = prepare(data, job)
    teacher = None if job.teacher is None else read_teacher(job.teacher, problem)
    return ImagePlayer(problem, job.seed, job.model, teacher)


class ImagePlayer(Player):
    """Images that were decoded and split.

    Args:
        problem: Pictures, classes and split.
        seed: Fixes folds, weights and distortions.
        architecture: The only one to try; ``None`` for the usual ones.
        teacher: A network whose odds are learned too.
    """

    sections, stored = sections, ImageModel
    remedy = "Try more images, or classes that can be seen in them"
    last = 4.3  # on all training images, on all images, and once for the learning curve
    simple = SIMPLE
    problem: ImageProblem

    def __init__(
        self,
        problem: ImageProblem,
        seed: int,
        architecture: str | None = None,
        teacher: ImageNetwork | None = None,
    ) -> None:
        super().__init__(problem, seed)
        p, self.task = problem, problem.task
        self.architecture, self.teacher = architecture, teacher
        self.title = f"{p.name}: images"
        self.rows = len(p.train), len(p.test)
        self.headline = f"{p.name}: {p.task} of images ({self.rows[0]:,} training images, {self.rows[1]:,} test images)"
        self.folds = p.folds(FOLDS, seed)
        self.features = pixel_features(p.images)
        self._epochs: float | None = (
            None  # of the default network, on one fold, within its share of the budget
        )

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how fast the network trains, and plan how often it may see each image."""
        if budget is None:
            return
        tell(Stage("measuring how fast the network trains"))
        p, rows = self.problem, self.problem.train
        speed = work.recall(
            "speed",
            lambda: training_speed(
                p.images[rows], p.y[rows], p.classes, self.draw(0), self.teacher
            ),
        )
        self._epochs = SHARE * budget * speed / len(self.folds[0][0])

    def epochs(self, settings: ImageSettings) -> int:
        """Passes over the training images."""
        if self._epochs is None:
            return UNTIMED_EPOCHS
        cost = relative_cost(settings) / relative_cost(self.draw(0))
        return int(np.clip(self._epochs / cost, *EPOCHS))

    def draw(self, trial: int) -> ImageSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed, self.architecture)

    def cost(self, settings: ImageSettings) -> float:
        """Training time in units of that of the default settings, about."""
        default = self.draw(0)
        passes = self.epochs(settings) / self.epochs(default)
        return passes * relative_cost(settings) / relative_cost(default)

    def fit(self, candidate: Candidate, k: int | None) -> FittedImages:
        """The candidate on the training images of fold ``k``, or on all."""
        p, rows, settings = self.problem, self.split(k)[0], candidate.settings
        if candidate.name == NETWORK:
            seed = self.seed + (k or 0)
            return fit_network(p.images[rows], p.y[rows], p.classes, settings, self.epochs(settings), seed, teacher=self.teacher)[0]  # fmt: skip
        return fit_pixels(candidate.name, self.features[rows], p.y[rows], p.classes, self.seed)

    def complete(self, candidate: Candidate, elder: FittedImages) -> FittedImages:
        """The candidate on all images."""
        p, rows, settings = self.problem, self.everything, candidate.settings
        if candidate.name == NETWORK:
            return fit_network(p.images[rows], p.y[rows], p.classes, settings, self.epochs(settings), self.seed, teacher=self.teacher)[0]  # fmt: skip
        return fit_pixels(candidate.name, self.features[rows], p.y[rows], p.classes, self.seed, elder.settings)  # fmt: skip

    def outputs(self, model: FittedImages, k: int | None) -> np.ndarray:
        """Probabilities of the judging images of fold ``k``, or of the test images."""
        return outputs_of(model, self.problem.images[self.split(k)[1]])

    def watch(self, settings: ImageSettings) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        (train, judge), p = self.folds[0], self.problem
        watched = (p.images[judge], p.y[judge])
        return fit_network(p.images[train], p.y[train], p.classes, settings, self.epochs(settings), self.seed, watched, self.teacher)[1]  # fmt: skip

    def concerns(self) -> list[Concern]:
        """Repeated images, rare classes, a teacher, little data."""
        p, found = self.problem, []
        learned = {p.images[k].tobytes() for k in p.train.tolist()}
        repeated = sum(p.images[k].tobytes() in learned for k in p.test.tolist())
        if repeated:
            seen = f"{repeated:,} of {len(p.test):,} test images stand in the training part too"
            found.append(Concern("Repeats", seen, FLATTERS))
        found += p.doubts("images")
        if self.teacher is not None:
            seen = (
                "it may have learned from images that judge the folds here, and from test images, unless it was fitted to "
                "the same data with --keep-test-out and the same --test, --rows, --budget and --seed"
            )
            found.append(Concern("Teacher", seen, "Believe the test only then"))
        if len(p.train) < 100 * p.classes:
            seen = f"{len(p.train):,} training images of {p.classes} classes"
            found.append(Concern("Little data", seen, "Another split may give another winner"))
        return found

    def describe_network(self, settings: ImageSettings) -> list[tuple[str, object]]:
        """The settings and how often each image is seen, for people."""
        return [*super().describe_network(settings), ("epochs", self.epochs(settings))]

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Labels and the size of a picture."""
        _, side, _, channels = self.problem.images.shape
        return {"labels": self.problem.labels, "side": side, "channels": channels}
