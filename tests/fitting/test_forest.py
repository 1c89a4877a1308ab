"""Trees on features of whole things: as scikit-learn grows them."""

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from gradatim.fitting.forest import TREES, grow_trees
from gradatim.fitting.tables import candidates as tables
from gradatim.fitting.tables.predictors import predict


def test_a_forest_of_classes_is_scikit_learns_with_one_vote_for_the_shares():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)).astype(np.float32), rng.integers(0, 3, 80)
    theirs = ExtraTreesClassifier(TREES, max_features="sqrt", random_state=1).fit(X, y)
    new = rng.normal(size=(20, 4)).astype(np.float32)
    expected = (TREES * theirs.predict_proba(new) + np.bincount(y) / 80) / (TREES + 1)
    np.testing.assert_allclose(predict(grow_trees(X, y, 3, 1), new), expected, atol=1e-6)


def test_values_get_boosted_trees():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    grown = predict(grow_trees(X, X[:, 0], 0, 1), X)
    np.testing.assert_array_equal(grown, predict(tables.fit_simple(tables.TREES, X, X[:, 0], 0, 1), X))  # fmt: skip
