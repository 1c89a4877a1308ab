"""The makers: their geometry without noise, the size of the noise, balance, seeds, bad arguments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim import data
from gradatim.errors import InvalidValue

NAMES = ("xor", "moons", "circles", "spirals", "sinusoid", "blobs")
MAKERS = {name: getattr(data, name) for name in NAMES}
CLASSIFIERS = {name: maker for name, maker in MAKERS.items() if name != "sinusoid"}


@settings(max_examples=30, deadline=None)
@given(name=st.sampled_from(sorted(MAKERS)), n=st.integers(1, 50), seed=st.integers(0, 2**40))
def test_shapes_kinds_and_seeds(name, n, seed):
    X, y = MAKERS[name](num_samples=n, seed=seed)
    assert X.shape == (n, 1 if name == "sinusoid" else 2)
    assert y.shape == (n,)
    assert X.dtype == np.float64
    assert y.dtype == (np.float64 if name == "sinusoid" else np.int64)
    again = MAKERS[name](num_samples=n, seed=seed)
    assert np.array_equal(X, again[0])
    assert np.array_equal(y, again[1])
    assert not np.array_equal(X, MAKERS[name](num_samples=n, seed=seed + 1)[0])


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("n", [99, 100, 101])
def test_classes_balance_to_within_one(name, n):
    _, y = CLASSIFIERS[name](num_samples=n)
    counts = np.bincount(y)
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("name", MAKERS)
def test_the_global_generator_is_left_alone(name):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    MAKERS[name]()
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_noise_has_the_stated_deviation(name):
    # The same seed draws the same positions, so the difference is the noise alone.
    sigma, n = 0.3, 5000
    noise = (
        CLASSIFIERS[name](num_samples=n, noise=sigma)[0]
        - CLASSIFIERS[name](num_samples=n, noise=0.0)[0]
    )
    error = 4 * sigma / np.sqrt(4 * n)  # four standard errors of a deviation from 2n numbers
    assert abs(noise.std() - sigma) < error
    assert abs(noise.mean()) < 4 * sigma / np.sqrt(2 * n)


def test_xor_is_exclusive_or_of_the_nearest_corner():
    X, y = data.xor(num_samples=200, noise=0.05)
    corners = X.round().astype(int)
    assert np.array_equal(corners[:, 0] ^ corners[:, 1], y)
    assert len(np.unique(corners, axis=0)) == 4


def test_moons_lie_on_two_half_circles():
    X, y = data.moons(num_samples=200, noise=0.0)
    upper, lower = X[y == 0], X[y == 1] - [1, 0.5]
    for half in (upper, lower):
        assert np.allclose(np.hypot(*half.T), 1)
    assert (upper[:, 1] >= 0).all()
    assert (lower[:, 1] <= 0).all()


def test_circles_have_radius_one_and_one_half():
    X, y = data.circles(num_samples=200, noise=0.0)
    assert np.allclose(np.hypot(*X.T), np.where(y == 0, 1, 0.5))
    assert {(a > 0, b > 0) for a, b in X[y == 1]} == {(a, b) for a in (0, 1) for b in (0, 1)}


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_spirals_unroll_to_their_class(classes):
    X, y = data.spirals(num_samples=300, noise=0.0, num_classes=classes)
    r = np.hypot(*X.T)
    assert r.min() >= 0.1
    assert r.max() <= 1
    turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) - 1.5 * r
    assert np.array_equal(np.round((turns % 1) * classes).astype(int) % classes, y)
    assert np.allclose(np.round(turns * classes), turns * classes, atol=1e-9)


def test_sinusoid_has_noise_on_the_value_only():
    X, y = data.sinusoid(num_samples=5000, noise=0.3)
    residual = y - np.sin(2 * np.pi * X[:, 0])
    assert abs(residual.std() - 0.3) < 4 * 0.3 / np.sqrt(2 * 5000)
    assert X.min() >= 0
    assert X.max() < 1
    assert abs(np.corrcoef(X[:, 0], residual)[0, 1]) < 4 / np.sqrt(5000)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_blobs_are_centred_evenly_on_a_circle(classes):
    X, y = data.blobs(num_samples=4 * classes, noise=0.0, num_classes=classes)
    centres = np.array([X[y == label].mean(axis=0) for label in range(classes)])
    assert np.allclose(X, centres[y])
    assert np.allclose(np.hypot(*centres.T), 2)
    neighbours = np.hypot(*(centres - np.roll(centres, 1, axis=0)).T)
    assert np.allclose(neighbours, 4 * np.sin(np.pi / classes))


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (
            "num_samples",
            0,
            r"num_samples must be a whole number of at least 1, got 0\. Try num_samples=3\.",
        ),
        (
            "num_samples",
            2.5,
            r"num_samples must be a whole number of at least 1, got 2\.5\. Try num_samples=3\.",
        ),
        (
            "num_samples",
            True,
            r"num_samples must be a whole number of at least 1, got True\. Try num_samples=3\.",
        ),
        ("seed", -1, r"seed must be a whole number of at least 0, got -1\. Try seed=3\."),
        (
            "noise",
            -0.1,
            r"noise must be a standard deviation in \[0, ∞\), got -0\.1\. Try noise=0\.1\.",
        ),
        ("noise", float("nan"), r"noise must be .*, got nan\. Try noise=0\.1\."),
        ("noise", float("inf"), r"noise must be .*, got inf\. Try noise=0\.1\."),
        ("noise", "little", r"noise must be .*, got 'little'\. Try noise=0\.1\."),
    ],
)
def test_bad_arguments_are_named(name, argument, value, message):
    with pytest.raises(InvalidValue, match=f"^{name}: {message}$"):
        MAKERS[name](**{argument: value})


@pytest.mark.parametrize("name", ["spirals", "blobs"])
def test_one_class_is_too_few(name):
    with pytest.raises(
        InvalidValue,
        match=rf"^{name}: num_classes must be .* of at least 2, got 1\. Try num_classes=3\.$",
    ):
        MAKERS[name](num_classes=1)


def test_numpy_integers_are_welcome():
    assert len(data.moons(num_samples=np.int64(5), seed=np.int32(1))[0]) == 5
