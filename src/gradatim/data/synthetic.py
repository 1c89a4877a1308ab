r"""Data drawn from known laws, so that the right answer is known too.

Each maker returns ``(X, y)`` in double precision. Classes come in turn, so that they balance to within
one sample for any ``num_samples``; equal seeds draw equal data.
"""

from numbers import Integral, Real

import numpy as np

from gradatim.errors import InvalidValue

_TURNS = 1.5
_INNER_RADIUS = 0.5
_BLOB_RADIUS = 2.0

Pair = tuple[np.ndarray, np.ndarray]


def xor(num_samples: int = 400, noise: float = 0.15, seed: int = 0) -> Pair:
    r"""Draw clusters at the corners of the unit square, labelled by exclusive or.

    .. math:: x = c + \sigma\epsilon, \quad c \in \{0, 1\}^2, \quad y = c_1 \oplus c_2,
        \quad \epsilon \sim N(0, I)

    Args:
        num_samples: Number of samples; four without noise are the truth table.
        noise: Standard deviation :math:`\sigma` around a corner.
        seed: Seed of the draw.

    Example:
        >>> X, y = xor(num_samples=4, noise=0.0)
        >>> X.tolist(), y.tolist()
        ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    rng = _generator("xor", num_samples, noise, seed)
    corner = np.arange(num_samples) % 4
    c1, c2 = corner // 2, corner % 2
    return _blur(np.stack([c1, c2], axis=1), noise, rng), (c1 ^ c2).astype(np.int64)


def moons(num_samples: int = 400, noise: float = 0.1, seed: int = 0) -> Pair:
    r"""Draw two interleaved half circles of radius 1.

    .. math:: x = (\cos t, \sin t) \text{ for } y = 0, \quad
        x = (1 - \cos t, \tfrac12 - \sin t) \text{ for } y = 1, \quad t \sim U(0, \pi)

    Args:
        num_samples: Number of samples.
        noise: Standard deviation of the Gaussian noise on :math:`x`.
        seed: Seed of the draw.

    Example:
        >>> X, y = moons(num_samples=6)
        >>> X.shape, y.tolist()
        ((6, 2), [0, 1, 0, 1, 0, 1])
    """
    rng = _generator("moons", num_samples, noise, seed)
    y, t = _turns(num_samples, 2), rng.uniform(0, np.pi, num_samples)
    upper = np.stack([np.cos(t), np.sin(t)], axis=1)
    lower = np.stack([1 - np.cos(t), 0.5 - np.sin(t)], axis=1)
    return _blur(np.where(y[:, None] == 0, upper, lower), noise, rng), y


def circles(num_samples: int = 400, noise: float = 0.05, seed: int = 0) -> Pair:
    r"""Draw a circle of radius 1 (label 0) around a circle of radius one half (label 1).

    .. math:: x = r_y (\cos t, \sin t), \quad r_0 = 1, \; r_1 = \tfrac12, \quad t \sim U(0, 2\pi)

    Args:
        num_samples: Number of samples.
        noise: Standard deviation of the Gaussian noise on :math:`x`.
        seed: Seed of the draw.

    Example:
        >>> X, y = circles(num_samples=2, noise=0.0)
        >>> np.hypot(X[:, 0], X[:, 1]).round(9).tolist()
        [1.0, 0.5]
    """
    rng = _generator("circles", num_samples, noise, seed)
    y, t = _turns(num_samples, 2), rng.uniform(0, 2 * np.pi, num_samples)
    return _blur(_polar(np.where(y == 0, 1.0, _INNER_RADIUS), t), noise, rng), y


def spirals(
    num_samples: int = 400, noise: float = 0.02, seed: int = 0, *, num_classes: int = 2
) -> Pair:
    r"""Draw interleaved spirals of one and a half turns, one per class.

    .. math:: x = r (\cos\theta, \sin\theta), \quad \theta = 3\pi r + 2\pi y / K,
        \quad r \sim U(0.1, 1)

    Args:
        num_samples: Number of samples.
        noise: Standard deviation of the Gaussian noise on :math:`x`.
        seed: Seed of the draw.
        num_classes: Number :math:`K` of spirals.

    Example:
        >>> X, y = spirals(num_samples=6, num_classes=3)
        >>> y.tolist()
        [0, 1, 2, 0, 1, 2]
    """
    rng = _generator("spirals", num_samples, noise, seed, num_classes)
    y, r = _turns(num_samples, num_classes), rng.uniform(0.1, 1.0, num_samples)
    return _blur(_polar(r, 2 * np.pi * (_TURNS * r + y / num_classes)), noise, rng), y


def sinusoid(num_samples: int = 100, noise: float = 0.2, seed: int = 0) -> Pair:
    r"""Draw one period of a sine, the standard example of curve fitting.

    .. math:: y = \sin(2\pi x) + \sigma\epsilon, \quad x \sim U(0, 1), \quad \epsilon \sim N(0, 1)

    Args:
        num_samples: Number of samples.
        noise: Standard deviation :math:`\sigma` of the noise on :math:`y`.
        seed: Seed of the draw.

    Example:
        >>> X, y = sinusoid(num_samples=50, noise=0.0)
        >>> X.shape, bool(np.allclose(y, np.sin(2 * np.pi * X[:, 0])))
        ((50, 1), True)
    """
    rng = _generator("sinusoid", num_samples, noise, seed)
    X = rng.uniform(0, 1, (num_samples, 1))
    return X, _blur(np.sin(2 * np.pi * X[:, 0]), noise, rng)


def blobs(
    num_samples: int = 300, noise: float = 0.5, seed: int = 0, *, num_classes: int = 3
) -> Pair:
    r"""Draw one Gaussian cluster per class, centred evenly on a circle of radius 2.

    .. math:: x = 2 (\cos t_y, \sin t_y) + \sigma\epsilon, \quad t_y = 2\pi y / K,
        \quad \epsilon \sim N(0, I)

    Args:
        num_samples: Number of samples.
        noise: Standard deviation :math:`\sigma` of a cluster.
        seed: Seed of the draw.
        num_classes: Number :math:`K` of clusters.

    Example:
        >>> X, y = blobs(num_samples=2, noise=0.0, num_classes=2)
        >>> (X.round(9) + 0.0).tolist(), y.tolist()
        ([[2.0, 0.0], [-2.0, 0.0]], [0, 1])
    """
    rng = _generator("blobs", num_samples, noise, seed, num_classes)
    y = _turns(num_samples, num_classes)
    return _blur(
        _polar(np.full(num_samples, _BLOB_RADIUS), 2 * np.pi * y / num_classes), noise, rng
    ), y


def _turns(num_samples: int, num_classes: int) -> np.ndarray:
    return np.arange(num_samples, dtype=np.int64) % num_classes


def _polar(radius: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)  # (num_samples, 2)


def _blur(values: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    return values + noise * rng.standard_normal(values.shape)


def _generator(
    owner: str, num_samples: int, noise: float, seed: int, num_classes: int = 2
) -> np.random.Generator:
    """Check the arguments that all makers share, and open the stream of random numbers."""
    for argument, value, least in (
        ("num_samples", num_samples, 1),
        ("seed", seed, 0),
        ("num_classes", num_classes, 2),
    ):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise InvalidValue(
                f"{owner}: {argument} must be a whole number of at least {least}, got {value!r}. "
                f"Try {argument}={max(least, 3)}."
            )
    if not isinstance(noise, Real) or not 0 <= noise < np.inf:
        raise InvalidValue(
            f"{owner}: noise must be a standard deviation in [0, ∞), got {noise!r}. Try noise=0.1."
        )
    return np.random.default_rng(seed)
