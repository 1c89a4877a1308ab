"""Series with one label each, drawn from known laws: smooth waves, waves of corners, and waves that hurry."""

import numpy as np

from gradatim.errors import require, require_seed, require_whole

SHAPES = ("smooth", "square", "hurried")
STEPS = (40, 60)  # fewest and most of a series
TURNS = (2.0, 4.0)  # fewest and most in a series


def waves(num_samples: int = 150, noise: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    r"""Draw series of two channels whose class is the shape of their waves.

    .. math:: x_t = \bigl(g(\phi_t), g(\phi_t + \tfrac\pi2)\bigr) + \sigma\epsilon_t, \qquad \phi_t = 2\pi(k\,\tau_t + u), \quad \epsilon_t \sim N(0, I)

    Smooth waves have :math:`g = \sin` and :math:`\tau_t = t/T`, square ones :math:`g = \operatorname{sign}\sin`; hurried ones are
    smooth, but begin slowly and end fast, :math:`\tau_t = (t/T)^2`. Turns :math:`k`, phase :math:`u` and length :math:`T` say nothing
    of the class.

    Args:
        num_samples: Number of series; classes come in turn.
        noise: Standard deviation :math:`\sigma` of the noise on a value.
        seed: Seed of the draw.

    Returns:
        Series ``(num_samples,)`` of arrays ``(T, 2)`` with 40 to 60 steps, and classes: 0 smooth, 1 square, 2 hurried.

    Example:
        >>> X, y = waves(6)
        >>> X[0].shape[1], y.tolist()
        (2, [0, 1, 2, 0, 1, 2])
    """
    require_whole("waves", num_samples=num_samples)
    require(0 <= noise < np.inf, "waves: noise must be a standard deviation in [0, ∞)", noise)
    require_seed("waves", seed)
    rng = np.random.default_rng(seed)
    y = np.arange(num_samples, dtype=np.int64) % len(SHAPES)
    series = np.empty(num_samples, dtype=object)
    for k, shape in enumerate(y.tolist()):
        steps = int(rng.integers(*STEPS, endpoint=True))
        turns, start = rng.uniform(*TURNS), rng.uniform(0.0, 1.0)
        tau = (np.arange(steps) / steps) ** (2 if shape == 2 else 1)
        phase = 2 * np.pi * (turns * tau + start)
        wave = np.sin(np.stack([phase, phase + np.pi / 2], axis=1))  # (T, 2)
        wave = np.sign(wave) if shape == 1 else wave
        series[k] = wave + noise * rng.standard_normal(wave.shape)
    return series, y
