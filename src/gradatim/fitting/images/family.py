"""Families of networks for images: those that begin from nothing, and those with published weights."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from gradatim.errors import InvalidValue
from gradatim.events import Stage, Tell
from gradatim.fitting.family import recall_vectors
from gradatim.fitting.images import sections
from gradatim.fitting.images.fitted import ImageNetwork
from gradatim.fitting.images.heads import (
    Head,
    Published,
    fit_head,
    read_features,
    read_out,
    with_head,
)
from gradatim.fitting.images.inputs import cut_tiles, look
from gradatim.fitting.images.networks import (
    EPOCHS,
    UNTIMED_EPOCHS,
    ImageSettings,
    draw_settings,
    fit_network,
    relative_cost,
    training_speed,
)
from gradatim.fitting.images.pictures import GRID, PUBLISHED_SIDES
from gradatim.fitting.images.pretrained import PretrainedSettings, draw_pretrained, fine_tune
from gradatim.fitting.images.problem import ImageProblem
from gradatim.fitting.learning import read_target
from gradatim.fitting.pacing import Pace, measure_pace
from gradatim.fitting.work import Work
from gradatim.training import History

SHARE = 0.1  # of the budget, for one training of the network on a fold
LEAST = 0.8  # passes over the images that fit into that share, or the network is left out
READING = 0.35  # of the time left, for reading all images once with a published network
PART = 64  # images that it reads at a time
PROBED = 8  # images on which its speed is measured
TRAINING = 4.0  # time of a training step on an image, in units of reading it
TUNING = 0.07  # of the time left, for one fine-tuning on a fold
TUNED_EPOCHS = (2, 12)
UNTIMED_TUNED = 3
LEAST_TUNED = 128  # pixels a side, below which fine-tuning is left out


class LearnedFamily:
    """A convolutional network, a residual one or a vision Transformer, all of whose weights are learned from the images.

    Args:
        problem: Pictures, targets and split.
        seed: Fixes the draws.
        rows: Images of a fold to learn from.
        architecture: The only one to try; ``None`` for the usual ones.
        teacher: A network whose odds are learned too.
        tiles: Parts along each side of a picture.
    """

    head = ""

    def __init__(
        self,
        problem: ImageProblem,
        seed: int,
        rows: int,
        *,
        architecture: str | None = None,
        teacher: ImageNetwork | None = None,
        tiles: int = 1,
    ) -> None:
        self.problem, self.seed, self.rows = problem, seed, rows
        self.architecture, self.teacher, self.tiles = architecture, teacher, tiles
        self.notes: list[str] = []
        self._pace = Pace()
        self.looking = 0.0  # seconds of a pass over one picture

    @property
    def is_too_slow(self) -> bool:
        """Whether the budget does not allow a network."""
        return self._pace.passes is not None and self._pace.passes < LEAST

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how fast the network trains, and plan how often it may see each image."""
        p, rows = self.problem, self.problem.train

        def speed() -> float:
            return training_speed(p.images[rows], p.y[rows], p.classes, self.draw(0), self.teacher, tiles=self.tiles)  # fmt: skip

        self._pace = measure_pace(work, budget, tell, speed, share=SHARE, rows=self.rows)
        self.looking = 1 / self._pace.speed

    def epochs(self, settings: ImageSettings) -> int:
        """Passes over the training images."""
        cost = relative_cost(settings) / relative_cost(self.draw(0))
        return self._pace.epochs(cost, EPOCHS, UNTIMED_EPOCHS)

    def draw(self, trial: int) -> ImageSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed, self.architecture)

    def cost(self, settings: ImageSettings) -> float:
        """Training time in units of that of the default settings, about."""
        default = self.draw(0)
        passes = self.epochs(settings) / self.epochs(default)
        return passes * relative_cost(settings) / relative_cost(default)

    def fit(self, settings: ImageSettings, rows: np.ndarray, seed: int, judge: np.ndarray | None = None) -> tuple[ImageNetwork, History]:  # fmt: skip
        """Train the network."""
        p = self.problem
        watched = None if judge is None else (p.images[judge], p.y[judge])
        return fit_network(p.images[rows], p.y[rows], p.classes, settings, self.epochs(settings), seed, watched, self.teacher, tiles=self.tiles)  # fmt: skip

    def outputs(self, model: ImageNetwork, rows: np.ndarray) -> np.ndarray:
        """What a network says of images."""
        return model.outputs(self.problem.images[rows])

    def describe(self, settings: ImageSettings) -> list[tuple[str, object]]:
        """The settings and how often each image is seen, for people."""
        return [*sections.describe_network(settings), ("epochs", self.epochs(settings))]


class PretrainedFamily:
    """A published network: a linear head on its features first, then fine-tuning, as time allows.

    Args:
        problem: Pictures, targets and split.
        seed: Fixes the draws.
        rows: Images of a fold to learn from.
        module: The published network.
        name: What it is called.
        side: Pixels along each side that it sees; fewer where the budget asks for it.
        tiles: Parts along each side of a picture.
        views: Ways to look at an image that are tried.
    """

    def __init__(
        self,
        problem: ImageProblem,
        seed: int,
        rows: int,
        *,
        module: Published,
        name: str,
        side: int,
        tiles: int = 1,
        views: int = 1,
    ) -> None:
        self.problem, self.seed, self.rows, self.module = problem, seed, rows, module
        self.tiles, self.views, self.notes = tiles, views, list[str]()
        self.asked = self.side = self.tuned_side = side
        self.name, self.head = name, f"{name} features + {'logistic' if problem.classes else 'ridge'}"  # fmt: skip
        self.features: list[np.ndarray] = []  # of each view, shape (N, tiles, dim)
        self._epochs: int | None = UNTIMED_TUNED  # none where there is no time
        self.looking = 0.0  # seconds of a pass over one picture

    @property
    def is_too_slow(self) -> bool:
        """Whether the budget does not allow fine-tuning."""
        return self._epochs is None

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Read every image once, as large as the budget allows, and plan how often fine-tuning may see each."""
        if budget is not None:
            tell(Stage("measuring how fast the published network reads"))
            seconds = work.recall("seconds-per-picture", self._seconds)
            self._plan(*work.recall("plan", lambda: self._affordable(seconds, budget - work.elapsed)))  # fmt: skip
            self.looking = seconds * (self.side / self.asked) ** 2
        count, images = len(self.problem.images), self.problem.images
        for k in range(self.views):

            def read(part: slice, k: int = k) -> np.ndarray:
                view = look(images[part], self.views)[k]
                return read_features(self.module, cut_tiles(view, self.tiles), self.side)

            found = recall_vectors(work, read, count, part=PART, things="images", tell=tell, name=f"view-{k}")  # fmt: skip
            self.features.append(found.reshape(count, self.tiles**2, -1))

    def _plan(self, side: int, tuned_side: int, epochs: int | None) -> None:
        self.side, self.tuned_side, self._epochs = side, tuned_side, epochs
        if side < self.asked:
            self.notes.append(f"The published network sees images at {side} × {side} pixels, not {self.asked}, to keep within the budget.")  # fmt: skip
        if epochs is not None and tuned_side < side:
            self.notes.append(f"It is fine-tuned at {tuned_side} × {tuned_side} pixels, to keep within the budget.")  # fmt: skip

    def _seconds(self) -> float:
        """To read a picture at the side that was asked for."""
        probe = cut_tiles(self.problem.images[:PROBED], self.tiles)[:PROBED]
        times = []
        for _ in range(2):  # the first time is slower
            started = time.perf_counter()
            read_features(self.module, probe, self.asked)
            times.append(time.perf_counter() - started)
        return min(times) / len(probe)

    def _affordable(self, seconds: float, left: float) -> tuple[int, int, int | None]:
        """Side at which all images are read, side and epochs of fine-tuning; none where that takes too long.

        Args:
            seconds: To read a picture at the side that was asked for.
            left: Seconds of the budget.
        """
        pictures = len(self.problem.images) * self.tiles**2 * self.views
        ladder = [self.asked, *range((self.asked - 1) // GRID * GRID, PUBLISHED_SIDES[0] - 1, -GRID)]  # fmt: skip

        def cost(side: int) -> float:
            return seconds * (side / self.asked) ** 2

        side = next((s for s in ladder if pictures * cost(s) <= READING * left), ladder[-1])
        left -= pictures * cost(side)
        for tuned in ladder:
            step = TRAINING * cost(tuned) * self.rows * self.tiles**2
            epochs = int(TUNING * left / step)
            if epochs >= TUNED_EPOCHS[0] and tuned >= min(LEAST_TUNED, self.asked):
                return side, tuned, min(epochs, TUNED_EPOCHS[1])
        return side, side, None

    def draw(self, trial: int) -> PretrainedSettings:
        """Settings of trial number ``trial``."""
        return draw_pretrained(trial, self.seed)

    def cost(self, settings: PretrainedSettings) -> float:
        """All settings take equally long."""
        return 1.0

    def fit_simple(self, rows: np.ndarray, elder: ImageNetwork | None = None) -> ImageNetwork:
        """A head on the features of images, the network as it was published."""
        p, target = self.problem, read_target(self.problem.y[rows], self.problem.classes)
        kept = None if elder is None else Head(np.zeros(0), np.zeros(0), elder.settings["penalty"], elder.views)  # fmt: skip
        return with_head(self.module, self._head(rows, kept), p.y[rows], target, self.side, self.tiles)  # fmt: skip

    def _head(self, rows: np.ndarray, kept: Head | None = None) -> Head:
        p, target = self.problem, read_target(self.problem.y[rows], self.problem.classes)
        groups = None if p.groups is None else p.groups[rows]
        return fit_head([own[rows] for own in self.features], p.y[rows], target, self.seed, groups, kept)  # fmt: skip

    def fit(self, settings: PretrainedSettings, rows: np.ndarray, seed: int, judge: np.ndarray | None = None) -> tuple[ImageNetwork, History]:  # fmt: skip
        """Fine-tune from the head."""
        p = self.problem
        assert self._epochs is not None
        watched = None if judge is None else (p.images[judge], p.y[judge])
        return fine_tune(
            self.module, self._head(rows), p.images[rows], p.y[rows], p.classes, settings, self._epochs, seed,
            side=self.tuned_side, tiles=self.tiles, validation=watched,
        )  # fmt: skip

    def outputs(self, model: ImageNetwork, rows: np.ndarray) -> np.ndarray:
        """What a network says of images; those that were read are not read again."""
        if not model.settings.get("is_frozen"):
            return model.outputs(self.problem.images[rows])
        dim = self.features[0].shape[-1]
        seen = self.features[: model.views]
        return model.say([read_out(model, own[rows].reshape(-1, dim)) for own in seen])

    def describe(self, settings: PretrainedSettings) -> list[tuple[str, object]]:
        """The settings, for people."""
        return sections.describe_pretrained(settings, self.name, self.tuned_side, self._epochs)


def with_views(settings: Any) -> Any:
    """The same settings, with mirror images looked at too; with images upside down as well where any side may be up.

    Args:
        settings: Of either family.

    Example:
        >>> with_views(PretrainedSettings()).views, with_views(PretrainedSettings("stain")).views
        (2, 4)
    """
    return replace(settings, views=4 if settings.distortion == "stain" else 2)


def check_teacher(problem: ImageProblem, teacher: ImageNetwork | None) -> None:
    """Refuse a teacher of anything but classes."""
    if teacher is not None and (problem.is_tagged or not problem.classes):
        raise InvalidValue("fit: teacher must come with one class per image, got several labels or numbers.")  # fmt: skip
