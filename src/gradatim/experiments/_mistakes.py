"""Wrongly classified images, the surest first."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor


def most_confident_mistakes(
    probabilities: NDArray[np.float64],
    images: Tensor,
    labels: NDArray[np.int64],
    count: int,
    names: Sequence[str] = tuple("0123456789"),
) -> tuple[Tensor, list[str]]:
    """Return the wrongly classified images of highest probability, with ``true → predicted`` titles."""
    predicted, sure = probabilities.argmax(1), probabilities.max(1)
    wrong = np.flatnonzero(predicted != labels)
    worst = wrong[np.argsort(-sure[wrong])][:count]
    return images[worst], [f"{names[labels[i]]} → {names[predicted[i]]}" for i in worst]
