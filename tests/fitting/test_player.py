"""What all kinds of data do alike in the contest."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gradatim.events import CancelToken
from gradatim.fitting.completion import complete_models
from gradatim.fitting.images.player import ImagePlayer
from gradatim.fitting.images.problem import ImageProblem
from gradatim.fitting.player import Candidate
from gradatim.fitting.series.candidates import LAST, SMOOTHING
from gradatim.fitting.series.kind import SeriesOptions
from gradatim.fitting.series.player import read_player as read_series
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import read_player as read_table
from gradatim.fitting.texts.kind import TextOptions
from gradatim.fitting.texts.linear import WORDS
from gradatim.fitting.texts.player import read_player as read_texts

ROWS = 60


def frame():
    rng = np.random.default_rng(0)
    words = rng.choice(["good", "bad", "film"], (ROWS, 4))
    texts = [" ".join(row) for row in words]
    return pd.DataFrame({"x": rng.normal(size=ROWS), "text": texts, "y": rng.normal(size=ROWS)})


def images():
    rng = np.random.default_rng(1)
    pictures = rng.integers(0, 255, (ROWS, 8, 8, 1), dtype=np.uint8)
    train, test = np.arange(48), np.arange(48, ROWS)
    files = [f"{k}.png" for k in range(ROWS)]
    return ImageProblem("p", ["a", "b"], np.arange(ROWS) % 2, pictures, files, train, test)


PLAYERS = {
    "table": lambda: read_table(frame()[["x", "y"]], TableOptions(target="y")),
    "text": lambda: read_texts(frame(), TextOptions(text=("text",), target="y")),
    "series": lambda: read_series(frame()[["x"]], SeriesOptions(forecast=2)),
    "image": lambda: ImagePlayer(images(), 0),
}


@pytest.mark.parametrize("kind", ["table", "text"])
@pytest.mark.parametrize("k", [0, 2, None])
def test_the_mean_errs_as_it_must(kind, k):
    player = PLAYERS[kind]()
    learned, judged = player.split(k)
    y = player.problem.y
    output = player.outputs(player.fit(Candidate("mean"), k), k)
    expected = np.sqrt(np.mean((y[judged] - y[learned].mean()) ** 2))
    assert player.measure(output, k)["RMSE"] == pytest.approx(expected, rel=1e-12)
    if k is not None:
        assert player.judge(Candidate("mean"), k) == player.measure(output, k)


@pytest.mark.parametrize("kind", PLAYERS)
def test_folds_are_parts_of_the_training_part_and_never_touch(kind):
    player = PLAYERS[kind]()
    learned, judged = player.rows
    for train, judge in player.folds:
        assert not set(train) & set(judge)
    if kind != "series":
        assert (learned, judged) == tuple(map(len, player.split(None)))
        inside = set(player.problem.train.tolist())
        assert all(set(np.concatenate(fold)) <= inside for fold in player.folds)
        assert set(np.concatenate([judge for _, judge in player.folds])) == inside


@pytest.mark.parametrize("kind", PLAYERS)
def test_a_fingerprint_is_that_of_the_data(kind):
    player, again = PLAYERS[kind](), PLAYERS[kind]()
    whole = player.fingerprint()
    assert again.fingerprint() == whole
    if kind == "series":
        player.problem.series[""][3] += 1e-9
    else:
        moved = replace(player.problem, train=player.problem.train[::-1].copy())
        again.problem = moved
        assert again.fingerprint() != whole
        player.problem.y[3] += 1
    assert player.fingerprint() != whole


def test_predictions_say_where_each_row_came_from():
    player = PLAYERS["image"]()
    table = player.predictions(np.tile([0.25, 0.75], (12, 1)))
    assert table["file"].tolist() == [f"{k}.png" for k in range(48, ROWS)]
    assert table.columns.tolist() == ["file", "prediction", "probability a", "probability b"]
    texts = PLAYERS["text"]()
    rows = texts.predictions(np.zeros(texts.rows[1]))["row"].to_numpy() - 1
    np.testing.assert_array_equal(
        frame()["y"].to_numpy()[rows], texts.problem.y[texts.problem.test]
    )


def test_held_values_are_a_concern():
    player = PLAYERS["table"]()
    ridge = player.fit(Candidate("ridge regression"), None)
    output = player.outputs(ridge, None)
    assert player.beyond(ridge, output) == []
    output[[0, 3]] = ridge.settings["high"]
    assert str(player.beyond(ridge, output)[0]) == (
        "Extrapolation: 2 of 12 predictions of test rows lay further beyond the training values than their range is wide; "
        "they are held there. Look for strange rows."
    )


def test_a_trivial_model_says_that_nothing_was_learned():
    for kind, build in PLAYERS.items():
        player = build()
        (found,) = player.nothing_learned(player.simple[0])
        assert str(found).startswith(f"Nothing was learned: no model is better than the trivial one, {player.simple[0]}. Try "), kind  # fmt: skip
        assert player.nothing_learned(player.simple[1]) == []


# --- all rows, after the test


@pytest.mark.parametrize("kind", ["table", "text"])
def test_the_mean_is_that_of_all_rows(kind):
    player = PLAYERS[kind]()
    elder = player.fit(Candidate("mean"), None)
    y, one = player.problem.y, player.complete(Candidate("mean"), elder)
    assert player.outputs(one, None)[0] == pytest.approx(y.mean(), rel=1e-12)
    assert player.outputs(elder, None)[0] == pytest.approx(y[player.problem.train].mean(), rel=1e-12)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "setting"),
    [
        ("table", "ridge regression", "penalty"),
        ("table", "k nearest neighbours", "neighbours"),
        ("table", "Gaussian process", "parameters"),
        ("table", "gradient-boosted trees", "trees"),
        ("text", WORDS, "penalty"),
        ("image", "k nearest neighbours", "neighbours"),
    ],
)
def test_settings_stay_as_they_were_chosen(kind, name, setting):
    player = PLAYERS[kind]()
    elder = player.fit(Candidate(name), None)
    odd = {
        "penalty": 0.123,
        "neighbours": 5,
        "trees": 13,
        "parameters": [[0.1, 2.0, 3.0, 4.0, 0.5]],
    }[setting]  # that no choice would give
    elder.settings[setting] = odd
    found = player.complete(Candidate(name), elder).settings[setting]
    assert np.ravel(found) == pytest.approx(np.ravel(odd))


def test_neighbours_are_sought_among_all_rows():
    for kind in ("table", "image"):
        player = PLAYERS[kind]()
        candidate = Candidate("k nearest neighbours")
        models = [player.fit(candidate, None)]
        models.append(player.complete(candidate, models[0]))
        assert [len(m.arrays["rows"]) for m in models] == [48, 60]


def test_a_series_is_learned_to_its_end():
    player = PLAYERS["series"]()
    whole = list(player.problem.series.values())
    for name in (LAST, SMOOTHING):
        candidate = Candidate(name)
        found = player.complete(candidate, player.fit(candidate, None))
        expected = player._learn(candidate, whole, player.seed)
        np.testing.assert_array_equal(found.forecast(whole), expected.forecast(whole))


def test_a_training_that_fails_leaves_the_models_before():
    player = PLAYERS["table"]()
    candidates = [Candidate("mean"), Candidate("ridge regression")]
    models = {c.name: player.fit(c, None) for c in candidates}

    def complete(candidate, elder):
        if candidate.name != "mean":
            raise np.linalg.LinAlgError
        return "new"

    player.complete = complete
    done = complete_models(
        player,
        candidates,
        models,
        _Memory(),
        build=lambda models: {},
        has_time=True,
        keep_test_out=False,
        tell=print,
    )
    assert done.models == models
    assert done.sentence == "The models have not learned the test rows: a training on all rows failed."  # fmt: skip


class _Memory:
    cancel = CancelToken()

    def recall(self, key, compute):
        return compute()
