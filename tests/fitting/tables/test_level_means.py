import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data.tables.columns import Column, Levels
from gradatim.fitting.tables import level_means
from gradatim.fitting.tables.level_means import learn_level_means, standardized_targets
from gradatim.fitting.tables.preprocessing import from_json, learn_features


def sample(levels: int, rows: int, spread: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, rows)
    return codes, spread * rng.normal(size=levels)[codes] + rng.normal(size=rows)


def test_means_are_shrunk_as_the_best_linear_predictor_says():
    codes, y = sample(200, 4000, spread=0.5)
    found = learn_level_means(codes, y[:, None], seed=0)
    n = np.array([(codes == c).sum() for c in found.places])
    raw = np.array([y[codes == c].mean() for c in found.places])
    # with σ = 1 and τ = ½ the best predictor of a level's mean is n / (n + 4) of what was seen
    np.testing.assert_allclose(found.means[:, 0] / raw, n / (n + 4.0), rtol=0.08)


def test_levels_that_differ_by_chance_give_nothing_most_of_the_time():
    found = [learn_level_means(*_with_column(sample(50, 500, 0.0, s)), seed=0) for s in range(40)]
    means = [np.zeros(1) if f is None else f.means for f in found]
    assert sum(f is None for f in found) >= 15
    assert max(np.abs(m).max() for m in means) < 0.5


def _with_column(pair: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return pair[0], pair[1][:, None]


@given(st.integers(0, 2**32 - 1))
def test_no_row_sees_its_own_target(seed):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(-1, 5), 10))
    y = rng.normal(size=(60, 2)) + codes[:, None]
    row = int(rng.integers(60))
    changed = y.copy()
    changed[row] += 100.0
    with pytest.MonkeyPatch.context() as patch:  # the one number that all rows share, held still
        patch.setattr(level_means, "_shrinkage", lambda counts, sums, targets: 1.0)
        before, after = (learn_level_means(codes, targets, seed=1) for targets in (y, changed))
    np.testing.assert_allclose(after.crossed[row], before.crossed[row], rtol=0.0, atol=1e-9)
    own = before.places == codes[row]
    np.testing.assert_allclose((after.means - before.means)[own], 100.0 / 11.0)


def test_a_unique_value_per_row_cannot_be_learned_by_heart():
    rng = np.random.default_rng(0)
    codes, y = np.arange(300) // 2, rng.normal(size=(300, 1))
    found = learn_level_means(codes, y, seed=0)
    if found is not None:
        assert abs(np.corrcoef(found.crossed[:, 0], y[:, 0])[0, 1]) < 0.3


def test_rows_that_no_other_row_explains_get_the_mean_of_all():
    codes, y = np.repeat(np.arange(50), 2), np.repeat(np.linspace(-1.5, 1.5, 50), 2)[:, None]
    found = learn_level_means(codes, y, seed=0)
    assert np.isfinite(found.crossed).all()
    is_alone = np.abs(found.crossed[:, 0]) < 1e-12  # its twin lies in the same fold
    assert 0 < is_alone.sum() < 50
    np.testing.assert_allclose(found.crossed[~is_alone], y[~is_alone] / 1.1, atol=1e-9)


@pytest.mark.parametrize(("classes", "outputs"), [(0, 1), (2, 1), (3, 3), (11, 0)])
def test_targets_have_mean_zero_and_variance_one(classes, outputs):
    y = np.arange(60) % (classes or 60)
    found = standardized_targets(y if classes else 1e200 * y, classes)
    assert found.shape == (60, outputs)
    np.testing.assert_allclose(found.mean(0), 0.0, atol=1e-12)
    np.testing.assert_allclose(found.var(0), 1.0)


@pytest.mark.parametrize(
    ("codes", "y"),
    [([0, 1] * 5, range(10)), (range(10), range(10)), ([0, 1, 2] * 4, [1.0] * 12)],
    ids=["two levels", "a level per row", "constant target"],
)
def test_nothing_is_learned_where_nothing_can_be(codes, y):
    targets = standardized_targets(np.array(y, dtype=float), 0)
    assert learn_level_means(np.array(codes), targets, seed=0) is None


def test_features_of_new_rows_are_the_means_of_their_levels_and_survive_a_file():
    codes, y = sample(8, 400, spread=2.0)
    names = [f"level {k}" for k in range(8)]
    table = {"c": Levels(codes, names)}
    targets = standardized_targets(y, 0)
    column = Column("c", "categorical")
    own, X = learn_features(table, [column], np.arange(400), targets, seed=0)
    assert X.shape == (400, len(own.names))
    assert own.names[-1] == "c: mean target 1"
    new = {"c": Levels(np.array([3, 0, 1, -1]), ["new", *names[1:]])}
    found = from_json(own.to_json()).transform(new)
    learned = learn_level_means(codes, targets, seed=0)
    np.testing.assert_allclose(found[:, -1], [learned.means[3, 0], 0.0, learned.means[1, 0], 0.0])
    assert np.array_equal(found, own.transform(new))
