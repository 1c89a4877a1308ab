"""Images with masks in the contest, judged by how far masks overlap."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.whole_images import enlarge
from gradatim.errors import InvalidType, choose, require
from gradatim.evaluation import count_pixels, measure_overlap
from gradatim.evaluation.criteria import OVERLAPS
from gradatim.events import Tell
from gradatim.fitting.classes import FEW_TEST, FLATTERS, TRUST_FOLDS
from gradatim.fitting.findings import Findings
from gradatim.fitting.masks import sections
from gradatim.fitting.masks.kind import MaskOptions
from gradatim.fitting.masks.model import FittedMasks, MaskModel, areas_of
from gradatim.fitting.masks.networks import (
    EPOCHS,
    MaskNetwork,
    MaskSettings,
    draw_settings,
    fit_network,
    plan_epochs,
    relative_cost,
    training_speed,
)
from gradatim.fitting.masks.problem import Arrays, MaskProblem, prepare
from gradatim.fitting.masks.simple import SIMPLE, fit_simple
from gradatim.fitting.mistakes import Costs
from gradatim.fitting.pacing import Pace, measure_pace
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.work import Work
from gradatim.reports import Concern
from gradatim.training import History

FOLDS = 3
SHARE = 0.1  # of the budget, for one training of the network on a fold
IOU, DICE, ACCURACY = OVERLAPS
SCORES = {"iou": IOU, "dice": DICE, "accuracy": ACCURACY}
RARE = 5  # training images that show a class


def read_player(data: "str | Path | Arrays", job: MaskOptions) -> "MaskPlayer":
    """Read images with their masks, and set test images aside."""
    if not isinstance(data, str | Path | tuple):
        raise InvalidType("fit: data must be a folder of images, got a table.")
    return MaskPlayer(prepare(data, job), job.seed)


class MaskPlayer(Player):
    """Images and masks that were read and split.

    Args:
        problem: Pictures, classes of pixels and split.
        seed: Fixes folds, weights and flips.
    """

    sections, stored = sections, MaskModel
    remedy = "Try more images, or a larger --side"
    last = 4.3  # on all training images, on all images, and once for the learning curve
    simple = SIMPLE
    problem: MaskProblem

    def __init__(self, problem: MaskProblem, seed: int) -> None:
        super().__init__(problem, seed)
        p, self.task = problem, problem.task
        self.title = f"{p.name}: masks"
        self.rows = len(p.train), len(p.test)
        self.headline = f"{p.name}: {p.task} ({self.rows[0]:,} training images, {self.rows[1]:,} test images)"  # fmt: skip
        self.folds = p.folds(FOLDS, seed)
        self.first = IOU  # the figure that decides
        self._pace = Pace()

    def judge_by(self, score: str | None, costs: Costs | None = None) -> None:
        """The mean IoU by default; ``"dice"`` or ``"accuracy"`` of pixels decides as well."""
        require(costs is None, "fit: costs must be left out for masks, which are judged by their overlap", "some")  # fmt: skip
        if score is not None:
            self.first = SCORES[choose("fit", "score for masks", score.lower(), SCORES)]

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how fast the network trains, and plan how often it may see each image."""
        p, rows = self.problem, self.problem.train

        def speed() -> float:
            return training_speed(p.images[rows], p.y[rows], p.classes, self.draw(0))

        self._pace = measure_pace(work, budget, tell, speed, share=SHARE, rows=len(self.folds[0][0]))  # fmt: skip

    def epochs(self, settings: MaskSettings) -> int:
        """Passes over the training images, at the most."""
        return self._pace.epochs(
            relative_cost(settings), EPOCHS, plan_epochs(len(self.folds[0][0]))
        )

    def draw(self, trial: int) -> MaskSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: MaskSettings) -> float:
        """Training time in units of that of the default settings, about."""
        passes = self.epochs(settings) / self.epochs(self.draw(0))
        return passes * relative_cost(settings)

    def _train(self, settings: MaskSettings, rows: np.ndarray, seed: int, **how: Any) -> tuple[MaskNetwork, History]:  # fmt: skip
        p, epochs = self.problem, how.pop("epochs", self.epochs(settings))
        groups = None if p.groups is None else p.groups[rows]
        return fit_network(p.images[rows], p.y[rows], p.classes, settings, epochs, seed, groups=groups, **how)  # fmt: skip

    def fit(self, candidate: Candidate, k: int | None) -> FittedMasks:
        """The candidate on the training images of fold ``k``, or on all."""
        p, rows = self.problem, self.split(k)[0]
        if candidate.name == NETWORK:
            return self._train(candidate.settings, rows, self.seed + (k or 0))[0]
        return fit_simple(candidate.name, p.images[rows], p.y[rows], p.classes, self.seed)

    def complete(self, candidate: Candidate, elder: FittedMasks) -> FittedMasks:
        """The candidate on all images; the network for as many epochs as were best before."""
        p, rows = self.problem, self.everything
        if candidate.name == NETWORK:
            done = elder.settings["epochs"]
            return self._train(candidate.settings, rows, self.seed, epochs=done, stops_early=False)[0]  # fmt: skip
        return fit_simple(candidate.name, p.images[rows], p.y[rows], p.classes, self.seed, elder.settings)  # fmt: skip

    def outputs(self, model: FittedMasks, k: int | None) -> np.ndarray:
        """Probabilities of the judging images of fold ``k``, or of the test images, shape ``(N, classes, side, side)``."""
        return model.outputs(self.problem.images[self.split(k)[1]])

    def measure(self, output: np.ndarray, k: int | None, decision: np.ndarray | None = None) -> Figures:  # fmt: skip
        """Overlap over all judging images together; the figure that decides first."""
        p = self.problem
        counts = count_pixels(p.y[self.split(k)[1]], output.argmax(1), p.classes).sum(0)
        found = measure_overlap(counts)
        values = {IOU: found.mean_iou, DICE: found.mean_dice, ACCURACY: found.accuracy}
        order = sorted(values, key=lambda name: name != self.first)
        return {name: float(values[name]) for name in order}

    def watch(self, settings: MaskSettings) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        (train, judge), p = self.folds[0], self.problem
        return self._train(settings, train, self.seed, watched=(p.images[judge], p.y[judge]))[1]

    def concerns(self) -> list[Concern]:
        """Repeated images, classes that few images show, a small test, little data."""
        p, found = self.problem, []
        learned = {p.images[k].tobytes() for k in p.train.tolist()}
        repeated = sum(p.images[k].tobytes() in learned for k in p.test.tolist())
        if repeated:
            seen = f"{repeated:,} of {len(p.test):,} test images stand in the training part too"
            found.append(Concern("Repeats", seen, FLATTERS))
        if len(p.test) < FEW_TEST:
            found.append(Concern("Little to judge by", f"{len(p.test)} test images", TRUST_FOLDS))
        shown = {name: int((p.y[p.train] == k).any((1, 2)).sum()) for k, name in enumerate(p.labels)}  # fmt: skip
        rare = [f"{name!r} in {count}" for name, count in shown.items() if count < RARE]
        if rare:
            seen = f"few training images show a class: {', '.join(rare[:5])}"
            found.append(Concern("Rare classes", seen, "Their overlap says little"))
        if len(p.train) < 50:
            seen = f"{len(p.train):,} training images"
            found.append(Concern("Little data", seen, "Another split may give another winner"))
        return found

    def describe_network(self, settings: MaskSettings) -> list[tuple[str, object]]:
        """The settings and how often each image is seen, for people."""
        return [*super().describe_network(settings), ("epochs, at most", self.epochs(settings))]

    def command(self, folder: Path) -> str:
        """Predict masks into a folder."""
        return f"gradatim predict {folder} NEW_IMAGES -o predicted-masks"

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Labels, style and the size of a picture."""
        p = self.problem
        return {"labels": p.labels, "side": p.side, "channels": p.images.shape[3], "style": p.style}

    def predictions(self, output: np.ndarray, decision: np.ndarray | None = None) -> pd.DataFrame:
        """Areas in the test images as ``predict`` writes them, and the overlap of each."""
        p = self.problem
        masks = [enlarge(own, size) for own, size in zip(output, self._sizes(), strict=True)]
        table = areas_of([p.files[k] for k in p.test.tolist()], masks, p.labels)
        counts = count_pixels(p.y[p.test], output.argmax(1), p.classes)
        return table.assign(**{IOU: measure_overlap(counts).mean_iou})

    def _sizes(self) -> Sequence[tuple[int, int]]:
        return [(int(h), int(w)) for h, w in self.problem.sizes[self.problem.test]]
