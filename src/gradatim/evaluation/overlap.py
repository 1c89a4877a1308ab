r"""How well masks agree, from one table of counts.

.. math:: \text{IoU}_k = \frac{C_{kk}}{\sum_j C_{kj} + \sum_i C_{ik} - C_{kk}}, \qquad
    \text{Dice}_k = \frac{2\,C_{kk}}{\sum_j C_{kj} + \sum_i C_{ik}}

:math:`C_{ij}` counts pixels of class :math:`i` that were said to be :math:`j`, over all images together. A class that neither
shows nor is said anywhere has no overlap and is left out of means; one that is said and never shows has overlap 0.
"""

from typing import NamedTuple

import numpy as np

from gradatim.errors import InvalidValue

DRAWS = 1000  # of images, for intervals


class Overlap(NamedTuple):
    """How well masks agree.

    Args:
        iou: Intersection over union of every class, shape ``(..., K)``; not a number where a class is nowhere.
        dice: Dice coefficient of every class, in the same way.
        accuracy: Share of pixels that are right, shape ``(...)``.
    """

    iou: np.ndarray
    dice: np.ndarray
    accuracy: np.ndarray

    @property
    def mean_iou(self) -> np.ndarray:
        """Mean over the classes that are somewhere."""
        return np.nanmean(self.iou, axis=-1)

    @property
    def mean_dice(self) -> np.ndarray:
        """Mean over the classes that are somewhere."""
        return np.nanmean(self.dice, axis=-1)


def count_pixels(truth: np.ndarray, said: np.ndarray, num_classes: int) -> np.ndarray:
    r"""Count the pixels of every image by true and said class.

    Args:
        truth: Class of every pixel, shape ``(N, H, W)``.
        said: What was said, in the same way.
        num_classes: Number :math:`K` of classes.

    Returns:
        :math:`C_{ij}` of every image, shape ``(N, K, K)``.

    Example:
        >>> count_pixels(np.array([[[0, 1, 1]]]), np.array([[[0, 1, 0]]]), 2).tolist()
        [[[1, 0], [1, 1]]]
    """
    if truth.shape != said.shape:
        raise InvalidValue(
            f"count_pixels: said must have the shape of truth, {truth.shape}, got {said.shape}."
        )
    pairs = truth.reshape(len(truth), -1).astype(np.int64) * num_classes + said.reshape(len(said), -1)  # fmt: skip
    counts = [np.bincount(own, minlength=num_classes**2) for own in pairs]
    return np.array(counts, dtype=np.int64).reshape(len(truth), num_classes, num_classes)


def measure_overlap(counts: np.ndarray) -> Overlap:
    r"""Overlaps of all classes from counts.

    Args:
        counts: :math:`C_{ij}`, shape ``(..., K, K)``.

    Example:
        >>> found = measure_overlap(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]]))
        >>> found.iou.tolist(), float(found.mean_iou)
        ([0.5, 0.5, nan], 0.5)
    """
    both = np.diagonal(counts, axis1=-2, axis2=-1).astype(np.float64)  # (..., K)
    sizes = (counts.sum(-1) + counts.sum(-2)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        iou, dice = both / (sizes - both), 2.0 * both / sizes
        accuracy = both.sum(-1) / counts.sum((-1, -2))
    return Overlap(iou, dice, accuracy)


def draw_overlaps(counts: np.ndarray, seed: int = 0, *, draws: int = DRAWS) -> Overlap:
    """Overlaps of images drawn with replacement, again and again: how far they depend on which images there are.

    Args:
        counts: Of every image, shape ``(N, K, K)``.
        seed: Fixes the draws.
        draws: How often.

    Returns:
        Overlaps of every draw, shapes ``(draws, K)`` and ``(draws,)``.

    Example:
        >>> counts = np.array([[[2, 0], [0, 2]], [[1, 1], [1, 1]]])
        >>> found = draw_overlaps(counts).iou[:, 0]
        >>> float(found.min()), float(found.max())
        (0.3333333333333333, 1.0)
    """
    number, classes = len(counts), counts.shape[-1]
    shares = np.full(number, 1.0 / number)
    times = np.random.default_rng([seed, 5]).multinomial(number, shares, draws)  # (draws, N)
    pooled = times @ counts.reshape(number, -1)
    return measure_overlap(pooled.reshape(draws, classes, classes))
