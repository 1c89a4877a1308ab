"""Series with one label each: sets of the UCR archive with published accuracies, and made-up ones that need no download."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.data import load


class Published(NamedTuple):
    """What others found on the same split.

    Args:
        window: Share of the length by which clocks may differ, chosen on the training part by the archive's authors.
        dtw: Accuracy of the nearest neighbour under dynamic time warping with this window.
        rocket: Accuracy of ROCKET, mean of ten runs.
    """

    window: float
    dtw: float
    rocket: float


# Windows and errors of the nearest neighbour: Dau et al., The UCR Time Series Archive, 2018, its table of summaries.
# ROCKET: Dempster, Petitjean and Webb, 2020, the results that its authors published with its code.
PUBLISHED = {
    "Adiac": Published(0.03, 0.6087, 0.7834),
    "ArrowHead": Published(0.0, 0.8000, 0.8143),
    "BME": Published(0.04, 0.9800, 1.0000),
    "Beef": Published(0.0, 0.6667, 0.8333),
    "CBF": Published(0.11, 0.9956, 1.0000),
    "Car": Published(0.01, 0.7667, 0.8467),
    "Chinatown": Published(0.0, 0.9534, 0.9825),
    "Coffee": Published(0.0, 1.0000, 1.0000),
    "CricketX": Published(0.10, 0.7718, 0.8195),
    "DiatomSizeReduction": Published(0.0, 0.9346, 0.9699),
    "DistalPhalanxTW": Published(0.0, 0.6331, 0.7187),
    "ECG200": Published(0.0, 0.8800, 0.9060),
    "ECG5000": Published(0.01, 0.9251, 0.9472),
    "ECGFiveDays": Published(0.0, 0.7967, 1.0000),
    "FaceAll": Published(0.03, 0.8083, 0.9465),
    "FaceFour": Published(0.02, 0.8864, 0.9773),
    "FacesUCR": Published(0.12, 0.9122, 0.9614),
    "FiftyWords": Published(0.06, 0.7582, 0.8303),
    "Fish": Published(0.04, 0.8457, 0.9794),
    "Fungi": Published(0.0, 0.8226, 1.0000),
}


class Split(NamedTuple):
    """Series of one length with their labels, to learn from and to judge by."""

    x: Tensor
    y: np.ndarray
    x_test: Tensor
    y_test: np.ndarray


def load_split(name: str, seed: int) -> Split:
    """The published split of a set of the archive, or one that is drawn of ``"shapes"`` or ``"charts"``; standardized."""
    if name in MADE_UP:
        return draw_split(name, seed)
    data = load(f"ucr-{name}")
    x, x_test = (standardize(np.stack(list(part[0]))[..., 0]) for part in (data.train, data.test))
    return Split(x, data.train[1], x_test, data.test[1])


def standardize(x: np.ndarray) -> Tensor:
    """Scale every series to mean 0 and deviation 1, as the archive's authors did for what they published."""
    deviation = x.std(1, keepdims=True)
    return torch.as_tensor((x - x.mean(1, keepdims=True)) / np.maximum(deviation, 1e-8)).float()


def draw_split(name: str, seed: int, train: int = 90, test: int = 300) -> Split:
    """Draw a made-up set."""
    x, y = MADE_UP[name](np.random.default_rng(seed), train + test)
    series = standardize(x)
    return Split(series[:train], y[:train], series[train:], y[train:])


def draw_shapes(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Cylinders, bells and funnels: a plateau, a rise or a fall at a random place, in noise.

    Reference:
        Saito, Local Feature Extraction and Its Applications Using a Library of Bases, 1994.
    """
    y, t = rng.permutation(np.arange(count) % 3), np.arange(1, 129)
    start = rng.integers(16, 33, (count, 1))
    width = rng.integers(32, 97, (count, 1))
    height = (6 + rng.normal(size=(count, 1))) * ((t >= start) & (t <= start + width))
    rise = (t - start) / width
    form = np.choose(y[:, None], [np.ones_like(rise), rise, 1 - rise])
    return height * form + rng.normal(size=(count, 128)), y


def draw_charts(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Control charts: steady, cyclic, rising, falling, or with a jump up or down.

    Reference:
        Alcock and Manolopoulos, Time-Series Similarity Queries Employing a Feature-Based Approach, 1999.
    """
    y, t = rng.permutation(np.arange(count) % 6), np.arange(60)
    size, period = rng.uniform(10, 15, (2, count, 1))
    slope, jump = rng.uniform(0.2, 0.5, (count, 1)), rng.uniform(7.5, 20, (count, 1))
    late = t >= rng.uniform(20, 40, (count, 1))
    wave = size * np.sin(2 * np.pi * t / period)
    forms = [0 * wave, wave, slope * t, -slope * t, jump * late, -jump * late]
    course = np.choose(y[:, None], forms)
    return 30 + 2 * rng.uniform(-3, 3, (count, 60)) + course, y


MADE_UP = {"shapes": draw_shapes, "charts": draw_charts}
