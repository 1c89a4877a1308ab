"""One pass of a mistake-driven rule over the data, without a Python step per sample."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def correct_mistakes(
    weights: Array,
    inputs: Array,
    targets: Array,
    *,
    lr: float,
    is_mistake: Callable[[Array, Array], NDArray[np.bool_]],
) -> Iterator[int]:
    r"""Visit the samples in order and correct each mistake before looking at the next sample.

    .. math:: w \leftarrow w + \eta\, t_i x_i \quad\text{where sample } i \text{ is a mistake}

    The stretch of samples up to the next mistake is found by products with ever larger blocks, so the
    result is that of a loop over samples and the cost that of a few matrix products.

    Args:
        weights: Changed in place, shape ``(d,)``.
        inputs: Samples, shape ``(n, d)``.
        targets: :math:`t`, shape ``(n,)``.
        lr: Step :math:`\eta`.
        is_mistake: Verdict on activations and targets.

    Yields:
        The index of each corrected sample, right after its correction.
    """
    start, width = 0, 16
    while start < len(inputs):
        block = slice(start, start + width)
        wrong = is_mistake(inputs[block] @ weights, targets[block])
        hit = int(wrong.argmax())
        if wrong[hit]:
            sample = start + hit
            weights += lr * targets[sample] * inputs[sample]
            yield sample
            start, width = sample + 1, max(width // 2, 16)
        else:
            start, width = start + width, 2 * width
