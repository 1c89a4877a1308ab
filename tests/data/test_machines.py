"""The machine: its equations between faults, what each fault breaks, seeds, bad arguments."""

import numpy as np
import pytest

from gradatim import data
from gradatim.errors import InvalidType, InvalidValue


def test_between_faults_the_equations_hold():
    X, y = data.machine_signal(seed=3, num_faults=0)
    t = np.arange(len(X))
    speed, vibration, temperature = X.T
    assert not y.any()
    drift = speed - 50 - 10 * np.sin(2 * np.pi * t / 96)
    assert (drift[1:] - 0.8 * drift[:-1]).std() == pytest.approx(1.0, rel=0.05)
    assert (vibration - speed / 50 * np.sin(2 * np.pi * t / 12)).std() == pytest.approx(0.1, rel=0.05)  # fmt: skip
    change = temperature[1:] - 0.9 * temperature[:-1] - 0.1 * (20 + 0.8 * speed[1:])
    assert change[100:].mean() == pytest.approx(0.0, abs=0.03)
    assert change.std() == pytest.approx(0.2, rel=0.05)


def test_faults_are_where_they_are_said_to_be():
    X, y = data.machine_signal(seed=1)
    sound, none = data.machine_signal(seed=1, num_faults=0)
    changed = (sound != X).any(1)
    assert not none.any()
    assert not changed[y == 0].any()
    starts = np.flatnonzero(np.diff(y) == 1) + 1
    ends = np.flatnonzero(np.diff(y) == -1) + 1
    assert len(starts) == 12
    assert ((ends - starts) >= 8).all()
    assert ((ends - starts) < 24).all()
    channels = [set(np.flatnonzero((X[a:b] != sound[a:b]).any(0)).tolist()) for a, b in zip(starts, ends, strict=True)]  # fmt: skip
    assert channels == [{1}, {2}, {1}, {1}] * 3
    assert np.ptp(X[starts[2] : ends[2], 1]) == 0  # frozen


def test_seeds_and_arguments():
    assert np.array_equal(data.machine_signal(seed=2)[0], data.machine_signal(seed=2)[0])
    assert not np.array_equal(data.machine_signal(seed=2)[0], data.machine_signal(seed=3)[0])
    with pytest.raises(InvalidValue, match="num_faults must be from 0 to 2 for 100 samples, got 3"):
        data.machine_signal(100, 3)
    with pytest.raises((InvalidValue, InvalidType), match="machine_signal: num_samples must be"):
        data.machine_signal(0)
