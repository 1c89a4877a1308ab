"""Images in the contest."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradatim.errors import InvalidType
from gradatim.evaluation.metrics import measure
from gradatim.evaluation.splits import make_folds
from gradatim.events import Stage, Tell
from gradatim.fitting.classes import FLATTERS, prediction_frame
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
from gradatim.fitting.player import NETWORK, Candidate, Figures
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
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


class ImagePlayer:
    """Images that were decoded and split.

    Args:
        problem: Pictures, classes and split.
        seed: Fixes folds, weights and distortions.
        architecture: The only one to try; ``None`` for the usual ones.
        teacher: A network whose odds are learned too.
    """

    last = 2.5  # on all training images, and once for the learning curve
    simple: tuple[str, ...] = SIMPLE

    def __init__(
        self,
        problem: ImageProblem,
        seed: int,
        architecture: str | None = None,
        teacher: ImageNetwork | None = None,
    ) -> None:
        p = self.problem = problem
        self.architecture, self.teacher = architecture, teacher
        self.seed, self.name, self.task, self.notes = seed, p.name, p.task, p.notes
        self.title = f"{p.name}: images"
        self.rows = len(p.train), len(p.test)
        self.headline = f"{p.name}: {p.task} of images ({self.rows[0]:,} training images, {self.rows[1]:,} test images)"
        folds = make_folds(p.y[p.train], FOLDS, np.random.default_rng([seed, 1]))
        self.folds = [(p.train[a], p.train[b]) for a, b in folds]
        self.features = pixel_features(p.images)
        self._epochs: float | None = (
            None  # of the default network, on one fold, within its share of the budget
        )

    def fingerprint(self) -> str:
        """A hash of all pixels, classes and the split."""
        p = self.problem
        digest = hashlib.sha256(p.y.tobytes() + p.train.tobytes())
        digest.update(np.ascontiguousarray(p.images).tobytes())
        return digest.hexdigest()

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

    def _fit(self, candidate: Candidate, rows: np.ndarray, seed: int) -> FittedImages:
        p, y = self.problem, self.problem.y[rows]
        if candidate.name == NETWORK:
            settings = candidate.settings
            return fit_network(p.images[rows], y, p.classes, settings, self.epochs(settings), seed, teacher=self.teacher)[0]  # fmt: skip
        return fit_pixels(candidate.name, self.features[rows], y, p.classes, self.seed)

    def judge(self, candidate: Candidate, k: int) -> Figures:
        """Figures of a candidate on fold ``k``."""
        train, judge = self.folds[k]
        model = self._fit(candidate, train, self.seed + k)
        output = outputs_of(model, self.problem.images[judge])
        return measure(self.problem.y[judge], output, self.problem.classes)

    def train(self, candidate: Candidate) -> FittedImages:
        """The candidate on all training images."""
        return self._fit(candidate, self.problem.train, self.seed)

    def predict_test(self, model: FittedImages) -> np.ndarray:
        """Probabilities of the test images."""
        return outputs_of(model, self.problem.images[self.problem.test])

    def measure_test(self, output: np.ndarray) -> Figures:
        """Figures of the test images."""
        return measure(self.problem.y[self.problem.test], output, self.problem.classes)

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
        found += p.imbalance("images")
        if self.teacher is not None:
            seen = (
                "it may have learned from images that judge the folds here, and from test images, unless it was fitted to "
                "the same data with the same --test, --rows, --budget and --seed"
            )
            found.append(Concern("Teacher", seen, "Believe the test only then"))
        if len(p.train) < 100 * p.classes:
            seen = f"{len(p.train):,} training images of {p.classes} classes"
            found.append(Concern("Little data", seen, "Another split may give another winner"))
        return found

    def describe(self, report: Report) -> None:
        """Add sizes, classes and samples."""
        sections.describe_data(report, self.problem)

    def describe_network(self, settings: ImageSettings) -> list[tuple[str, object]]:
        """The settings, for people."""
        return [*sections.describe_network(settings), ("epochs", self.epochs(settings))]

    def explain(self, report: Report, findings: Findings) -> None:
        """Add confusion, calibration, mistakes, filters, feature maps and saliency."""
        sections.judge_figures(report, self.problem, findings)

    def usage(self, findings: Findings) -> str:
        """How to predict files."""
        return sections.usage(self.problem, findings)

    def save(self, folder: Path, findings: Findings, about: Mapping[str, Any], extra: Mapping[str, bytes]) -> ImageModel:  # fmt: skip
        """Write the models and the predictions of the test images."""
        p = self.problem
        model = ImageModel(
            labels=p.labels,
            side=p.images.shape[1],
            channels=p.images.shape[3],
            models=findings.models,
            recommended=findings.verdict.recommended,
            about=dict(about),
        )
        table = prediction_frame(findings.output, p.labels)
        table.insert(0, "file", [p.files[k] for k in p.test.tolist()])
        model.save(folder, {**extra, "predictions.csv": table.to_csv(index=False).encode()})
        return model
