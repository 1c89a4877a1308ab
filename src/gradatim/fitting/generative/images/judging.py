"""Figures of pictures that a generator made, beside held-out ones; the same for all generators."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.fitting.learning import train_network
from gradatim.fitting.work import Work
from gradatim.generative import (
    ClassifierFeatures,
    Estimate,
    Judgement,
    Repeats,
    class_agreement,
    exact_repeats,
    judge_samples,
    kernel_distance,
)
from gradatim.models import build
from gradatim.randomness import seeded

MOST_SEEN = 32  # pixels a side that the classifier sees
STEPS_PER_SECOND, STEPS = 3, (60, 1_500)  # of the classifier, by the budget
BATCH = 128
BLOCKS = 10  # of held-out pictures, whose differences decide
LEAST_OF_BLOCK = 8
NUMBERS = 2**24  # pixels of training pictures that are compared one by one
TURNS = 4


@dataclass(frozen=True, eq=False)
class Eye:
    """A classifier that was trained on the training pictures, in whose features pictures are compared.

    Args:
        classifier: To logits of the classes, or, where there are none, of the quarter turns of a picture.
        center: Mean of its features on training pictures.
        spread: Their deviation.
    """

    classifier: nn.Module
    center: Tensor
    spread: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """Features of pictures ``(N, C, H, W)`` from 0 to 1."""
        return (ClassifierFeatures(self.classifier)(as_seen(x)) - self.center) / self.spread


def as_seen(x: Tensor) -> Tensor:
    """Pictures as the classifier sees them: no larger than 32 × 32, from -1 to 1."""
    side = min(x.shape[-1], MOST_SEEN)
    return 2 * F.interpolate(x, (side, side), mode="area") - 1


def train_eye(x: Tensor, labels: Tensor | None, num_classes: int, budget: float, work: Work | None, seed: int) -> Eye:  # fmt: skip
    """Train a small classifier, or take up the one that a killed run left.

    Without classes it learns by how many quarter turns a picture was turned, which asks for its shapes as well.

    Args:
        x: Training pictures from 0 to 1, shape ``(N, C, H, W)``.
        labels: Their classes, if there are any.
        num_classes: How many.
        budget: Seconds of the whole run.
        work: Keeps the classifier.
        seed: Fixes it.
    """
    seen = as_seen(x)
    if labels is None:
        labels, num_classes = torch.arange(len(seen)) % TURNS, TURNS
        seen = torch.stack([own.rot90(int(k), (1, 2)) for own, k in zip(seen, labels, strict=True)])
    steps = int(np.clip(STEPS_PER_SECOND * budget, *STEPS))
    epochs = max(round(steps * BATCH / len(seen)), 1)
    epochs = epochs if work is None else work.recall("eye", lambda: epochs)
    some = slice(None) if epochs > 1 else slice(steps * BATCH)
    widths = ((16,), (32,)) if seen.shape[-1] < 16 else ((16,), (32,), (64,))
    with seeded(seed):
        classifier = build("vgg", widths, num_classes, in_channels=x.shape[1])
    train_network(
        lambda: classifier, (seen[some], labels[some]), seed=seed, loss="cross_entropy", lr=4e-3, epochs=epochs, batch_size=BATCH,
        checkpoint=None if work is None else work.folder / "eye.safetensors", cancel=None if work is None else work.cancel,
    )  # fmt: skip
    features = ClassifierFeatures(classifier.eval())(as_seen(x[: 20 * BATCH]))
    return Eye(classifier, features.mean(0), features.std(0).clamp(min=1e-4))


class PictureFigures(NamedTuple):
    """How good pictures are.

    Args:
        losses: Kernel distance to every block of held-out pictures, which decides.
        judged: Distances, precision, recall and copying, with intervals.
        agreement: Share of them in which the classifier sees their class; ``None`` without classes.
        repeats: Pictures that are training pictures; ``None`` of real ones.
    """

    losses: np.ndarray
    judged: dict[str, Estimate]
    agreement: Estimate | None
    repeats: Repeats | None


class Bench(NamedTuple):
    """What generators are judged by.

    Args:
        train: Pictures that they learned from, whole numbers, shape ``(N, C, side, side)``.
        held_out: Pictures that none has seen.
        eye: In whose features they are compared.
        seed: Fixes draws.
    """

    train: Tensor
    held_out: Tensor
    eye: Eye
    seed: int

    def judge(self, made: Tensor, labels: Tensor | None, *, is_real: bool = False) -> PictureFigures:  # fmt: skip
        """Figures of pictures.

        Args:
            made: What a generator made, whole numbers, shape ``(N, C, side, side)``.
            labels: The class of each, if there are any.
            is_real: Whether they are training pictures, the reference; they copy by definition.
        """
        found = self._compare(made)
        return PictureFigures(
            self._losses(made),
            dict(found.real if is_real else found.model),
            None if labels is None else class_agreement(self.eye.classifier, as_seen(_unit(made)), labels),
            None if is_real else exact_repeats(made, self.train, self.held_out),
        )  # fmt: skip

    def _compare(self, made: Tensor) -> Judgement:
        few = max(NUMBERS // made[0].numel(), 500)
        rows = (_unit(made), _unit(self.train[:few]), _unit(self.held_out[:few]))
        return judge_samples(*rows, features=self.eye, most_rows=len(made), seed=self.seed)

    def _losses(self, made: Tensor) -> np.ndarray:
        """Kernel distance of every block: it has no bias, however few pictures a block holds."""
        count = min(len(made), len(self.held_out))
        blocks = int(np.clip(count // LEAST_OF_BLOCK, 2, BLOCKS))
        own, real = (self.eye(_unit(x[:count])).tensor_split(blocks) for x in (made, self.held_out))
        return np.array([float(kernel_distance(a, b)) for a, b in zip(own, real, strict=True)])


def _unit(x: Tensor) -> Tensor:
    return x.float() / 255
