import numpy as np
import pytest

from gradatim import data
from gradatim.data import waves
from gradatim.errors import InvalidValue


def test_without_noise_the_shapes_are_what_they_are_called():
    X, y = waves(30, noise=0.0, seed=4)
    for series, shape in zip(X, y, strict=True):
        assert 40 <= len(series) <= 60
        turn = np.unwrap(
            np.arctan2(series[:, 0], series[:, 1])
        )  # the phase, where waves are smooth
        if shape == 1:
            assert set(np.unique(series)) <= {-1.0, 0.0, 1.0}
            continue
        np.testing.assert_allclose((series**2).sum(1), 1.0)  # on the circle
        speed = np.diff(turn)
        assert np.allclose(speed, speed[0]) == (shape == 0)
        assert abs(turn[-1] - turn[0]) / (2 * np.pi) * len(series) / (len(series) - 1) + 0.1 >= 2.0
    assert np.bincount(y).tolist() == [10, 10, 10]


def test_noise_has_its_size_and_seeds_decide():
    loud, calm = (np.concatenate(waves(60, noise=s, seed=1)[0][:1]) for s in (0.5, 0.0))
    assert 0.35 < (loud - calm).std() < 0.65
    assert np.array_equal(waves(4, seed=2)[0][3], waves(4, seed=2)[0][3])


@pytest.mark.parametrize(("given", "rule"), [({"num_samples": 0}, "num_samples must be"), ({"noise": -1.0}, "noise must be"), ({"seed": -1}, "seed must be")])  # fmt: skip
def test_other_values_are_refused(given, rule):
    with pytest.raises(InvalidValue, match=rule):
        waves(**given)


def test_the_catalogue_has_them():
    record = data.load("waves")
    assert record.target_names == ("smooth", "square", "hurried")
    assert record.feature_names == ("x", "y")
    assert len(record.X) == 150
