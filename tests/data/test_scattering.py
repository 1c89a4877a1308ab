import numpy as np
import pytest
from sklearn.datasets import load_digits

from gradatim.data import scattered_digits
from gradatim.data.scattering import _resized
from gradatim.errors import InvalidValue


def test_shapes_ranges_and_classes():
    X, y = scattered_digits(30, seed=3, side=40)
    assert X.shape == (30, 1, 40, 40)
    assert X.dtype == np.float32
    assert (X.min() >= 0, X.max() <= 1) == (True, True)
    assert np.unique(y).tolist() == [0, 1, 2, 3]
    shares = np.bincount(y.ravel()) / y.size
    assert shares[0] > 0.7
    assert shares[1:].min() > 0.01


def test_ink_is_where_the_mask_says():
    X, y = scattered_digits(40, noise=0.0)
    for image, mask in zip(X[:, 0], y, strict=True):
        smooth = image[mask == 0]
        assert image[mask > 0].mean() > smooth.mean()


def test_no_threshold_finds_all_digits():
    X, y = scattered_digits(60)
    best = max(((X[:, 0] > t) == (y > 0)).mean() for t in np.linspace(0, 1, 41))
    assert best < 0.97


def test_a_picture_keeps_its_corners_when_resized():
    digit = load_digits().images[0]
    large = _resized(digit, 15)
    np.testing.assert_allclose(large[::2, ::2], digit)
    np.testing.assert_allclose(large[0, 1], digit[0, :2].mean())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"num_samples": 0}, "num_samples must be a whole number from 1"),
        ({"side": 20}, "side must be at least 24, got 20"),
        ({"noise": -1.0}, "noise must be a standard deviation"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_bad_arguments(wrong, message):
    with pytest.raises(InvalidValue, match=message):
        scattered_digits(**wrong)
