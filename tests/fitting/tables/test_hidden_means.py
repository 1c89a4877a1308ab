"""Many categories: their places, and mean targets that blur them."""

import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables.columns import Column, Levels
from gradatim.fitting import work
from gradatim.fitting.tables.costs import FoldData
from gradatim.fitting.tables.hidden_means import are_better_hidden, hide
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.level_means import standardized_targets
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.tables.preprocessing import from_json, learn_features


def visits(rows=3000, places=120, seed=0):
    """Every place has a score of its own in every year, and is seen several times in it."""
    rng = np.random.default_rng(seed)
    place, year = rng.integers(0, places, rows), rng.integers(0, 6, rows)
    scores = rng.normal(size=(places, 6)) + rng.normal(size=(places, 1))
    return pd.DataFrame({"place": [f"inn {k:03d}" for k in place], "year": year, "score": scores[place, year]})  # fmt: skip


def learn(frame):
    codes, names = pd.factorize(frame["place"])
    table = {"place": Levels(codes, list(names)), "year": frame["year"].to_numpy(float)}
    columns = [Column("place", "categorical"), Column("year", "numeric")]
    targets = standardized_targets(frame["score"].to_numpy(), 0)
    return table, *learn_features(table, columns, np.arange(len(frame)), targets, seed=0)


def test_the_place_is_one_number_for_a_category_in_the_order_of_names():
    frame = visits()
    table, prepared, X = learn(frame)
    place = prepared.names.index("place: place")
    firsts = pd.Series(X[:, place]).groupby(frame["place"]).agg(["min", "max"])  # by name
    assert (firsts["min"] == firsts["max"]).all()
    assert firsts["min"].is_monotonic_increasing
    assert firsts["min"].iloc[[0, -1]].tolist() == [-1.0, 1.0]
    later = prepared.transform(table)
    np.testing.assert_array_equal(later[:, place], X[:, place])
    np.testing.assert_array_equal(from_json(prepared.to_json()).transform(table), later)
    unknown = {"place": Levels(np.array([0]), ["new"]), "year": np.array([1.0])}
    assert prepared.transform(unknown)[0, place] == 0.0


def test_what_is_blurred_are_the_mean_targets_of_such_categories():
    frame = visits()
    _, prepared, X = learn(frame)
    blurred = prepared.blurred()
    assert [prepared.names[k] for k in blurred] == ["place: mean target 1"]
    spread = pd.Series(X[:, blurred[0]]).groupby(frame["place"]).nunique()
    assert (spread > 1).all()
    assert not len(learn(visits(places=20))[1].blurred())  # so few have a feature each


@pytest.mark.parametrize("matters", ["the year within a place", "the place alone"])
def test_a_look_tells_whether_to_hide_them(matters):
    frame = visits()
    if matters == "the place alone":
        rng = np.random.default_rng(1)
        frame["score"] = frame.groupby("place")["score"].transform("mean") + rng.normal(size=3000)
    table, _, _ = learn(frame)
    _, prepared, X = learn(frame[:2000])
    y = frame["score"].to_numpy()
    data = FoldData(X, y[:2000], prepared.transform(table)[2000:], 0)

    def loss(output):
        return float(np.mean((output - y[2000:]) ** 2))

    found = are_better_hidden(prepared.blurred(), data, loss, seed=0, most=2000)
    assert found == (matters == "the year within a place")
    assert not hide(X, prepared.blurred())[:, prepared.blurred()].any()


def test_a_fit_recalls_what_it_saw(tmp_path, monkeypatch):
    job = TableOptions(target="score", budget=600.0)
    kept = work.Work(tmp_path / "work", {}, resume=False)
    for _ in range(2):
        player = read_player(visits(), job)
        player.prepare(kept, 600.0, print)
        assert player._hides_means
        monkeypatch.setattr("gradatim.fitting.tables.player.are_better_hidden", None)  # not again
