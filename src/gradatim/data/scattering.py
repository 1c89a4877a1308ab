"""Digits scattered over uneven paper, and which pixel belongs to which digit."""

import numpy as np

from gradatim.errors import require, require_seed, require_whole

DIGITS = 3  # 0, 1 and 2: classes 1 to 3; the paper is class 0
INK = 0.35  # of a digit's full ink, above which a pixel is part of it
SIZES = (11, 17)  # pixels a digit is high and wide
SMALLEST = 24


def scattered_digits(
    num_samples: int = 240, noise: float = 0.08, seed: int = 0, *, side: int = 48
) -> tuple[np.ndarray, np.ndarray]:
    r"""Draw grey images of handwritten digits 0 to 2 at random places, and their masks.

    .. math:: x = a + b^\top u + \sum_j c_j d_j(u) + \sigma\epsilon, \qquad \epsilon \sim N(0, 1)

    The paper :math:`a + b^\top u` is lighter on one side, digits :math:`d_j` differ in size and ink :math:`c_j`: no threshold
    finds them all, and pixels alone do not tell which digit it is.

    Args:
        num_samples: Number of images.
        noise: Standard deviation :math:`\sigma` of the noise on a pixel.
        seed: Seed of the draw.
        side: Pixels along each side, at least 24.

    Returns:
        Images ``(num_samples, 1, side, side)`` in [0, 1] and masks ``(num_samples, side, side)`` of classes: 0 for paper,
        1 to 3 for the digits 0 to 2.

    Example:
        >>> X, y = scattered_digits(2)
        >>> X.shape, y.shape, int(y.max()) <= 3
        ((2, 1, 48, 48), (2, 48, 48), True)
    """
    require_whole("scattered_digits", num_samples=num_samples, side=side)
    require(0 <= noise < np.inf, "scattered_digits: noise must be a standard deviation in [0, ∞)", noise)  # fmt: skip
    require(side >= SMALLEST, f"scattered_digits: side must be at least {SMALLEST}", side)
    require_seed("scattered_digits", seed)
    digits, labels = _digits()
    rng = np.random.default_rng(seed)
    y = np.zeros((num_samples, side, side), dtype=np.int64)
    X = np.empty((num_samples, 1, side, side), dtype=np.float32)
    across = np.linspace(-1, 1, side)
    for image, mask in zip(X[:, 0], y, strict=True):
        slope = rng.normal(0, 0.12, 2)
        image[:] = rng.uniform(0.15, 0.45) + slope[0] * across[:, None] + slope[1] * across
        for _ in range(rng.integers(4, 9)):
            _write(image, mask, digits, labels, rng)
        image += noise * rng.standard_normal((side, side))
    return X.clip(0.0, 1.0), y


def _write(image: np.ndarray, mask: np.ndarray, digits: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:  # fmt: skip
    """Put a digit somewhere; one that would touch another is not written."""
    which, size = int(rng.integers(len(digits))), int(rng.integers(*SIZES))
    top, left = rng.integers(0, len(image) - size + 1, 2)
    place = np.s_[top : top + size, left : left + size]
    ink = _resized(digits[which], size)
    if not mask[place].any():
        image[place] += rng.uniform(0.3, 0.55) * ink
        mask[place][ink > INK] = labels[which] + 1


def _resized(picture: np.ndarray, size: int) -> np.ndarray:
    """A square picture at another size, bilinearly."""
    at = np.linspace(0, len(picture) - 1, size)
    low = np.minimum(at.astype(int), len(picture) - 2)
    share = at - low
    rows = picture[low] * (1 - share[:, None]) + picture[low + 1] * share[:, None]
    return rows[:, low] * (1 - share) + rows[:, low + 1] * share


def _digits() -> tuple[np.ndarray, np.ndarray]:
    """The first three digits of scikit-learn's set, ink from 0 to 1, and which they are."""
    from sklearn.datasets import load_digits

    bunch = load_digits(n_class=DIGITS)
    return bunch.images / 16.0, bunch.target
