r"""The signals of a machine with known faults, so that it is known which alarms are right."""

import numpy as np

from gradatim.errors import require, require_seed, require_whole

SIGNALS = ("speed", "vibration", "temperature")
SHIFT, TURN = 96, 12  # steps in which the speed goes up and down, and the vibration
EVENT = (8, 24)  # steps of a fault
FAULTS = 4


def machine_signal(num_samples: int = 4000, num_faults: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    r"""Draw speed, vibration and temperature of a machine, and say at which steps it is faulty.

    .. math::
        s_t &= 50 + 10\sin(2\pi t/96) + a_t, \qquad a_t = 0.8\,a_{t-1} + \epsilon_t \\
        v_t &= \tfrac{s_t}{50}\sin(2\pi t/12) + 0.1\,\eta_t, \qquad
        T_t = 0.9\,T_{t-1} + 0.1\,(20 + 0.8\,s_t) + 0.2\,\zeta_t

    Faults are spread over the series and last 8 to 24 steps, four kinds in turn: knocks (the vibration jumps at every fourth
    step), heat (the temperature climbs by up to 8 degrees, at no higher speed), a frozen sensor of the vibration, and the
    vibration of another speed (half as fast): values that the channel has had before, at a wrong time.

    Args:
        num_samples: Steps.
        num_faults: Faults.
        seed: Fixes the draw.

    Returns:
        Signals of shape ``(num_samples, 3)``, and 1 for a faulty step, else 0.

    Example:
        >>> X, y = machine_signal()
        >>> X.shape, int(y.sum())
        ((4000, 3), 181)
    """
    require_whole("machine_signal", num_samples=num_samples)
    require_seed("machine_signal", seed)
    room = num_samples // (2 * EVENT[1])
    require(0 <= num_faults <= room, f"machine_signal: num_faults must be from 0 to {room} for {num_samples} samples", num_faults)  # fmt: skip
    rng, t = np.random.default_rng(seed), np.arange(num_samples)
    speed = 50.0 + 10.0 * np.sin(2 * np.pi * t / SHIFT) + _smooth(rng.normal(size=num_samples), 0.8)
    vibration = speed / 50.0 * np.sin(2 * np.pi * t / TURN) + 0.1 * rng.normal(size=num_samples)
    heating = 0.1 * (20.0 + 0.8 * speed) + 0.2 * rng.normal(size=num_samples)
    temperature = 60.0 + _smooth(heating - 6.0, 0.9)
    X, y = np.stack([speed, vibration, temperature], axis=1), np.zeros(num_samples, dtype=np.int64)
    places = np.linspace(0, num_samples, num_faults + 2)[1:-1].astype(int)
    for number, start in enumerate(places.tolist()):
        steps = slice(start, start + int(rng.integers(*EVENT)))
        _break(X[steps], t[steps], number % FAULTS)
        y[steps] = 1
    return X, y


def _smooth(x: np.ndarray, keep: float) -> np.ndarray:
    """Let every value add to what is left of the last."""
    out, last = np.empty_like(x), 0.0
    for k, value in enumerate(x.tolist()):
        last = keep * last + value
        out[k] = last
    return out


def _break(X: np.ndarray, t: np.ndarray, kind: int) -> None:
    """Change steps in place."""
    if kind == 0:
        X[::4, 1] += 3.0
    elif kind == 1:
        X[:, 2] += np.linspace(0.5, 8.0, len(X))
    elif kind == 2:
        X[:, 1] = X[0, 1]
    else:
        X[:, 1] = X[:, 0] / 50.0 * np.sin(2 * np.pi * t / (2 * TURN))
