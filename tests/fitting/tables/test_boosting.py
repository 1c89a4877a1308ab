"""Settings of boosted trees: one training serves many, the race finds what a table needs, extra trees are averaged."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

from gradatim import fit
from gradatim.evaluation.metrics import score
from gradatim.fitting.goals import Goal
from gradatim.fitting.player import Candidate
from gradatim.fitting.tables import boosting
from gradatim.fitting.tables.boosting import TreeRace, TreeSettings, tree_settings
from gradatim.fitting.tables.candidates import EXTRA, FOREST, TREES, fit_simple
from gradatim.fitting.tables.predictors import Fitted, predict
from gradatim.fitting.tables.trees import first_trees, forest_arrays

STEPS = TreeSettings(0.1, 4, 5, 1.0, 0.0, 40)


def make_rows(classes, rows=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    y = np.exp(X[:, 0] + 0.1 * rng.normal(size=rows))
    return X, (np.digitize(y, [0.5, 1.5])[: len(y)] % classes if classes else y)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_first_trees_of_a_long_training_are_those_of_a_short_one(classes):
    X, y = make_rows(classes)
    for is_log in {False, not classes}:
        own = replace(STEPS, is_log=is_log)
        long = fit_simple(TREES, X, y, classes, 0, asdict(own))
        short = fit_simple(TREES, X, y, classes, 0, asdict(replace(own, trees=15)))
        found = predict(first_trees(long, 15), X)
        if is_log:  # but for the mean, which each training has of its own
            found = found * (y.mean() / found.mean())
        np.testing.assert_allclose(found, predict(short, X), rtol=1e-12)


def test_the_race_judges_as_if_each_were_trained_alone(monkeypatch):
    X, y = make_rows(0)
    grown, kept = [], {}
    fitting = boosting.fit_simple
    monkeypatch.setattr(
        boosting, "fit_simple", lambda *a: grown.append(a[5]["trees"]) or fitting(*a)
    )

    def judge(candidate, fitted, k):
        kept[candidate, k] = fitted
        return {"RMSE": score(y[k::2], predict(fitted, X[k::2]), 0)}

    race = TreeRace(lambda k: (X[1 - k :: 2], y[1 - k :: 2], Goal()), judge, y, 0, 0)
    jobs = [(Candidate(TREES, race.draw(trial)), k) for trial in (1, 2, 6, 7) for k in (0, 1)]
    results = race.judge(jobs)
    assert sorted(grown) == [50, 50, 50, 50]  # two growths on two folds
    for (candidate, k), result in zip(jobs, results, strict=True):
        alone = fit_simple(TREES, X[1 - k :: 2], y[1 - k :: 2], 0, 0, asdict(candidate.settings))
        assert result.figures["RMSE"] == pytest.approx(score(y[k::2], predict(alone, X[k::2]), 0))
        assert result.seconds > 0
    assert race.draw(0) is None
    assert race.cost(None) == 1.0
    assert race.limit == 1 + len(race.settings)
    assert race.draw(race.limit - 1) == race.settings[-1]


def test_settings_come_in_groups_and_skewed_targets_in_logarithms_too():
    for classes, y in ((0, np.arange(50.0)), (0, np.exp(np.arange(50.0))), (5, np.arange(50) % 5)):
        found = tree_settings(y, classes)
        width = TreeRace(None, None, y, classes, 0).width
        groups = [found[k : k + width] for k in range(0, len(found), width)]
        assert all(len({replace(s, trees=0) for s in group}) == 1 for group in groups)
        assert len(set(found)) == len(found)
        assert {s.is_log for s in found} == ({False, True} if y[-1] > 1e9 else {False})


def test_costs_grow_with_trees_and_leaves():
    race = TreeRace(None, None, np.arange(50.0), 0, 0)
    assert race.cost(replace(STEPS, trees=80)) == 2 * race.cost(STEPS)
    assert race.cost(replace(STEPS, leaves=31)) > race.cost(STEPS)
    assert race.cost(replace(STEPS, leaves=31, trees=100)) == 1.0  # as the default


def test_settings_are_kept_for_a_training_on_more_rows():
    X, y = make_rows(0)
    fitted = fit_simple(TREES, X[:150], y[:150], 0, 0, asdict(STEPS))
    again = fit_simple(TREES, X, y, 0, 0, fitted.settings)
    expected = fit_simple(TREES, X, y, 0, 0, asdict(STEPS))
    np.testing.assert_array_equal(predict(again, X), predict(expected, X))
    assert again.settings == fitted.settings | {"depth": again.settings["depth"]}


@pytest.mark.parametrize("classes", [0, 3])
def test_extra_trees_are_those_of_scikit_learn_and_are_stored(classes):
    X, y = make_rows(classes)
    fitted = fit_simple(EXTRA, X, y, classes, 7)
    kind = ExtraTreesClassifier if classes else ExtraTreesRegressor
    settings = {"min_samples_leaf": 3, "max_features": 0.5} if classes else {"min_samples_leaf": 2}
    forest = kind(FOREST, random_state=7, **settings).fit(X, y)
    prior = (np.bincount(y, minlength=3) + 1 / 3) / (len(y) + 1) if classes else None
    expected = forest.predict(X) if not classes else (FOREST * forest.predict_proba(X) + prior) / (FOREST + 1)  # fmt: skip
    np.testing.assert_allclose(predict(fitted, X), expected, rtol=1e-6)
    again = Fitted.restore(*fitted.store())
    np.testing.assert_array_equal(predict(again, X), predict(fitted, X))
    np.testing.assert_array_equal(predict(forest_arrays(forest, prior), X), predict(fitted, X))


def test_a_table_that_needs_many_small_trees_gets_them(tmp_path, monkeypatch):
    import pandas as pd

    from gradatim.fitting.tables import player

    simple = player.simple_models
    monkeypatch.setattr(player, "simple_models", lambda c: (simple(c)[0], TREES))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=X.sum(1) + 0.05 * rng.normal(size=300))
    result = fit(frame, target="y", trials=6, output=tmp_path / "m")
    note = next(n for n in result.notes if n.startswith("The gradient-boosted trees are the best of 6 settings"))  # fmt: skip
    assert "rounds at a rate of 0.1, up to 4 leaves of at least 5 rows" in note
    settings = result.model.fitted(TREES).settings
    assert (settings["lr"], settings["leaves"]) == (0.1, 4)


def test_settings_that_differ_in_their_number_of_trees_cost_one_training():
    race = TreeRace(None, None, np.arange(50.0), 0, 0)
    short, other = replace(STEPS, trees=10), replace(STEPS, leaves=31)
    assert race.cost_together([short, STEPS]) == race.cost(STEPS)
    assert race.cost_together([short, other]) == race.cost(short) + race.cost(other)
