"""Images in the contest."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.errors import InvalidType, require
from gradatim.evaluation.criteria import find_criterion
from gradatim.evaluation.racing import Result
from gradatim.events import Tell
from gradatim.fitting.classes import ANOTHER_SPLIT, FLATTERS
from gradatim.fitting.findings import Findings
from gradatim.fitting.images import sections
from gradatim.fitting.images.family import (
    LearnedFamily,
    PretrainedFamily,
    check_teacher,
    with_views,
)
from gradatim.fitting.images.fitted import ImageNetwork
from gradatim.fitting.images.heads import Published
from gradatim.fitting.images.kind import MOBILENET, ImageOptions
from gradatim.fitting.images.model import FittedImages, ImageModel, outputs_of
from gradatim.fitting.images.pictures import PUBLISHED_SIDES
from gradatim.fitting.images.pixels import (
    SIMPLE,
    SIMPLE_VALUES,
    fit_pixels,
    fit_tags,
    pixel_features,
)
from gradatim.fitting.images.problem import Arrays, ImageProblem, prepare
from gradatim.fitting.images.tags import measure_tags, tag_frame
from gradatim.fitting.images.teacher import read_teacher
from gradatim.fitting.mistakes import Costs
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.work import Work
from gradatim.hashing import hash_bytes
from gradatim.models import ResNet, load_image_network, published_mobilenet
from gradatim.reports import Concern, Report
from gradatim.training import History

FOLDS = 3
PUBLISHED_FOLDS = 5  # a head on published features is quick to fit
FEW_VALUES = 200  # training images with numbers or several labels
LATE = 0.85  # of the budget, by which figures that take long must be ready
KEPT = 3 * PUBLISHED_FOLDS  # trained networks that are kept, to be looked at in another way


def read_player(data: "str | Path | Arrays", job: ImageOptions) -> "ImagePlayer":
    """Read a folder of images, a built-in set or pictures with classes, and set test images aside."""
    if not isinstance(data, str | Path | tuple):
        raise InvalidType("fit: data must be a folder of images, got a table.")
    module = None if job.pretrained is None else _read_published(job.pretrained)
    problem = prepare(data, job)
    kind = TaggedPlayer if problem.is_tagged else ImagePlayer
    folds = FOLDS if module is None else PUBLISHED_FOLDS
    player = kind(problem, job.seed, folds=folds, has_tta=job.tta)
    if module is not None:
        name = f"resnet{module.depth}" if isinstance(module, ResNet) else MOBILENET
        own = problem.images.shape[1] // job.tiles
        side = own if Path(str(data)).is_dir() else job.side or max(own, PUBLISHED_SIDES[0])
        player.use(PretrainedFamily(problem, job.seed, player.learned, module=module, name=name, side=side, tiles=job.tiles, views=1 + job.tta))  # fmt: skip
        return player
    teacher = None if job.teacher is None else read_teacher(job.teacher, problem)
    check_teacher(problem, teacher)
    player.use(LearnedFamily(problem, job.seed, player.learned, architecture=job.model, teacher=teacher, tiles=job.tiles))  # fmt: skip
    return player


def _read_published(name: str) -> Published:
    """A network with published weights, by name or from a file, for images in colour."""
    if name == MOBILENET:
        return published_mobilenet()
    is_file = Path(name).exists() or "." in Path(name).name
    require(is_file, f"fit: pretrained must be {MOBILENET!r} or a file of weights (.pth, .safetensors)", repr(name))  # fmt: skip
    module = load_image_network(name)
    require(module.in_channels == 3, "fit: pretrained must be a network of images in colour", f"{module.in_channels} channels")  # fmt: skip
    return module


class ImagePlayer(Player):
    """Images that were decoded and split.

    Args:
        problem: Pictures, targets and split.
        seed: Fixes folds, weights and distortions.
        folds: Parts of the training images that judge in turn.
        has_tta: Whether settings are tried that look at mirror images too.
    """

    sections, stored, has_intervals = sections, ImageModel, True
    remedy = "Try more images, or classes that can be seen in them"
    last = 4.3  # on all training images, on all images, and once for the learning curve
    problem: ImageProblem
    family: LearnedFamily | PretrainedFamily

    def __init__(
        self, problem: ImageProblem, seed: int, *, folds: int = FOLDS, has_tta: bool = False
    ) -> None:
        super().__init__(problem, seed)
        p, self.task, self.has_tta = problem, problem.task, has_tta
        self.title = f"{p.name}: images"
        self.rows = len(p.train), len(p.test)
        self.headline = f"{p.name}: {p.task} of images ({self.rows[0]:,} training images, {self.rows[1]:,} test images)"
        self.folds = p.folds(folds, seed, p.groups)
        self.simple = SIMPLE if p.classes else SIMPLE_VALUES
        self.features = pixel_features(p.images)
        self._trained: dict[tuple[Any, int], ImageNetwork] = {}
        self.use(LearnedFamily(problem, seed, self.learned))

    @property
    def learned(self) -> int:
        """Images of a fold to learn from."""
        return len(self.folds[0][0]) if self.folds else len(self.problem.train)

    def use(self, family: LearnedFamily | PretrainedFamily) -> None:
        """Let the networks be of a family."""
        self.family = family
        if family.head:
            self.simple = (*(SIMPLE if self.problem.classes else SIMPLE_VALUES), family.head)

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Let a published network read the images, for a simple model too."""
        if self.family.head:
            self._plan(work, budget, tell)

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Let the networks measure their speed and plan."""
        if not self.family.head:
            self._plan(work, budget, tell)

    def _plan(self, work: Work, budget: float | None, tell: Tell) -> None:
        self.family.prepare(work, budget, tell)
        self.notes += self.family.notes

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """All images, or none where the network would take too long."""
        return 0 if candidate.name == NETWORK and self.family.is_too_slow else None

    def draw(self, trial: int) -> Any:
        """Settings of trial number ``trial``; every second looks at mirror images too, where that was asked for."""
        if not self.has_tta:
            return self.family.draw(trial)
        settings = self.family.draw(trial // 2)
        return with_views(settings) if trial % 2 else settings

    def cost(self, settings: Any) -> float:
        """Training time in units of that of the default settings, about."""
        return self.family.cost(settings)

    def fit(self, candidate: Candidate, k: int | None) -> FittedImages:
        """The candidate on the training images of fold ``k``, or on all."""
        rows = self.split(k)[0]
        if candidate.name == NETWORK:
            return self._network(candidate.settings, k)
        return self._simple(candidate.name, rows)

    def _network(self, settings: Any, k: int | None) -> ImageNetwork:
        """A network; one that differs only in how it looks at images is not trained again."""
        plain, rows = replace(settings, views=1), self.split(k)[0]
        trained = None if k is None else self._trained.get((plain, k))
        if trained is None:
            trained = self.family.fit(plain, rows, self.seed + (k or 0))[0]
        if k is not None and self.has_tta:
            self._trained[plain, k] = trained
            for old in list(self._trained)[:-KEPT]:
                del self._trained[old]
        return trained.looking(settings.views)

    def _simple(self, name: str, rows: np.ndarray, elder: Any = None) -> FittedImages:
        p = self.problem
        if isinstance(self.family, PretrainedFamily) and name == self.family.head:
            return self.family.fit_simple(rows, elder)
        if p.is_tagged:
            return fit_tags(name, self.features[rows], p.y[rows], self.seed, elder.settings if elder else ())  # fmt: skip
        return fit_pixels(name, self.features[rows], p.y[rows], p.classes, self.seed, elder.settings if elder else None)  # fmt: skip

    def complete(self, candidate: Candidate, elder: FittedImages) -> FittedImages:
        """The candidate on all images."""
        rows, settings = self.everything, candidate.settings
        if candidate.name != NETWORK:
            return self._simple(candidate.name, rows, elder)
        return self.family.fit(replace(settings, views=1), rows, self.seed)[0].looking(settings.views)  # fmt: skip

    def outputs(self, model: FittedImages, k: int | None) -> np.ndarray:
        """Probabilities or values of the judging images of fold ``k``, or of the test images."""
        rows = self.split(k)[1]
        if isinstance(model, ImageNetwork):
            return self.family.outputs(model, rows)
        return outputs_of(model, self.problem.images[rows])

    def watch(self, settings: Any) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        train, judge = self.folds[0]
        return self.family.fit(replace(settings, views=1), train, self.seed, judge)[1]

    def concerns(self) -> list[Concern]:
        """Repeated images, rare classes, a teacher, little data."""
        p, found = self.problem, []
        learned = {hash_bytes(p.images[k].tobytes()) for k in p.train.tolist()}
        repeated = sum(hash_bytes(p.images[k].tobytes()) in learned for k in p.test.tolist())
        if repeated:
            seen = f"{repeated:,} of {len(p.test):,} test images stand in the training part too"
            found.append(Concern("Repeats", seen, FLATTERS))
        found += p.doubts()
        if isinstance(self.family, LearnedFamily) and self.family.teacher is not None:
            seen = (
                "it may have learned from images that judge the folds here, and from test images, unless it was fitted to "
                "the same data with --keep-test-out and the same --test, --rows, --budget and --seed"
            )
            found.append(Concern("Teacher", seen, "Believe the test only then"))
        is_single = bool(p.classes) and not p.is_tagged
        if len(p.train) < (100 * p.classes if is_single else FEW_VALUES):
            seen = f"{len(p.train):,} training images" + f" of {p.classes} classes" * is_single
            found.append(Concern("Little data", seen, ANOTHER_SPLIT))
        return found

    def describe_network(self, settings: Any) -> list[tuple[str, object]]:
        """The settings, for people."""
        return self.family.describe(settings)

    def explain(self, report: Report, findings: Findings) -> None:
        """Add figures of what the recommended model does on the test images; hiding patches takes time."""
        can_hide = self.clock.has(sections.PASSES * self.family.looking, by=LATE)
        sections.judge_figures(report, self.problem, findings, can_hide=can_hide)

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Labels and the size of a picture."""
        p = self.problem
        _, side, _, channels = p.images.shape
        return {"labels": p.labels, "side": side, "channels": channels, "is_tagged": p.is_tagged}


class TaggedPlayer(ImagePlayer):
    """Images of which each may have several labels, or none."""

    has_intervals = False

    def judge_by(self, score: str | None, costs: Costs | None = None) -> None:
        """Decide by the mean of a figure over the labels; what mistakes cost is for one class per image."""
        rule = "fit: costs must be left out where an image may have several labels"
        require(costs is None, rule, "some")
        if score is not None:
            self.criterion = find_criterion("fit", score, 2)

    def measure(self, output: np.ndarray, k: int | None, decision: np.ndarray | None = None) -> Figures:  # fmt: skip
        """Means of figures over the labels."""
        return measure_tags(self.problem.y[self.split(k)[1]], output, self.criterion)

    def decision(self, results: Sequence[Result]) -> np.ndarray | None:
        """A label is said where it is more probable than not."""
        return None

    def predictions(self, output: np.ndarray, decision: np.ndarray | None = None) -> pd.DataFrame:
        """Predictions of the test images as ``predict`` writes them."""
        return tag_frame(output, self.problem.labels, self.problem.places())
