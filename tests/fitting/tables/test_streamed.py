"""A table larger than memory: statistics and network from all rows, none of the test's."""

import json

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.data.streaming.files import AllRows
from gradatim.data.tables.reading import read_table
from gradatim.errors import Unavailable
from gradatim.fitting.goals import Goal
from gradatim.fitting.tables.kind import RowOptions, TableOptions
from gradatim.fitting.tables.networks import NetworkSettings
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.tables.predictors import predict
from gradatim.fitting.tables.preprocessing import read_columns
from gradatim.fitting.tables.streamed import Blocks, Pass

ROWS = 12_000


def table(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(3.0, 2.0, size=(rows, 3))
    kind = rng.choice(["red", "green", "blue"], rows)
    score = (
        (X[:, 0] - 3) * (X[:, 1] - 3) / 4
        + np.where(kind == "red", 1.0, 0.0)
        + 0.2 * rng.normal(size=rows)
    )
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
        kind=kind, y=score, grade=np.where(score > 0.3, "high", "low")
    )
    frame.loc[::50, "a"] = np.nan
    frame.loc[7::1000, ["y", "grade"]] = None
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, frame = tmp_path_factory.mktemp("big"), table()
    for k in range(3):
        frame.iloc[k * 4000 : (k + 1) * 4000].to_parquet(
            folder / f"{k}.parquet", row_group_size=3000
        )
    frame.iloc[:4000].to_csv(folder / "0.csv", index=False)
    frame.iloc[4000:9000].to_csv(folder / "1.csv", index=False)
    return folder


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(RowOptions, "most_rows", lambda self, columns: 400)


def player_of(folder, pattern="*.parquet", **options):
    drop = {"y": ("grade",), "grade": ("y",)}[options["target"]]
    return read_player(f"{folder}/{pattern}", TableOptions(trials=1, drop=drop, **options))


@pytest.mark.parametrize("pattern", ["*.parquet", "*.csv"])
def test_a_sample_is_rows_of_the_files(folder, pattern):
    raw = read_table(f"{folder}/{pattern}", limit=lambda columns: 500, seed=1)
    frame = table()
    assert (len(raw.frame), raw.rows) == (500, ROWS if "parquet" in pattern else 9000)
    own = frame.iloc[raw.frame.index]
    assert np.allclose(raw.frame["b"].astype(float), own["b"])
    assert raw.frame["kind"].tolist() == own["kind"].tolist()
    assert abs(raw.frame.index.to_numpy().mean() / raw.rows - 0.5) < 0.05
    assert "A random sample of 500 of" in raw.notes[-1]
    other = read_table(f"{folder}/{pattern}", limit=lambda columns: 500, seed=2)
    assert other.frame.index.tolist() != raw.frame.index.tolist()


def test_statistics_are_those_of_all_rows_but_the_tests(folder, small_sample):
    player = player_of(folder, target="y")
    test = player.problem.rows[player.problem.test]
    rest = table().drop(index=test)
    found = player.streamed.moments()
    assert found.keys() == {"a", "b", "c"}
    for name, (mean, deviation) in found.items():
        assert mean == pytest.approx(rest[name].mean(), rel=1e-12)
        assert deviation == pytest.approx(rest[name].std(ddof=0), rel=1e-12)
    assert f"those of all {ROWS - len(test):,} rows" in player.streamed.notes[0]
    player.features(None)
    encoders = {e.column.name: e for e in player.preprocessing.encoders}
    assert (encoders["a"].center, encoders["a"].scale) == found["a"]
    player.features(0)
    assert encoders["a"].center != player._learn(player.split(0)[0])[0].encoders[0].center


def test_every_row_with_a_target_is_learned_from_once(folder, small_sample):
    for target in ("y", "grade"):
        player = player_of(folder, target=target)
        stream, left = player.streamed, player.problem.rows[player.problem.test]
        frame = table().drop(index=left)
        known = frame[target].notna()
        blocks = Blocks(
            stream.rows(
                lambda rows, stream=stream, target=target: (
                    rows["b"].to_numpy(),
                    stream.codes(rows[target]),
                )
            )
        )
        pairs = list(blocks)
        b, y = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
        assert np.array_equal(np.sort(b), np.sort(frame["b"]))
        if target == "y":
            assert int(np.isfinite(y).sum()) == known.sum()
        else:
            assert [int((y == k).sum()) for k in (0, 1, -1)] == [
                *frame[target].value_counts()[["high", "low"]],
                int((~known).sum()),
            ]
        assert len(blocks) == -(-len(frame) // 512)


def test_the_network_learns_from_all_rows(folder, small_sample, tmp_path):
    result = gradatim.fit(f"{folder}/*.parquet", "y", trials=1, drop="grade", output=tmp_path / "m")
    fresh = table(2000, seed=5).dropna(subset=["y"])
    said = result.model.predict(fresh, model="network")
    assert 1 - np.var(fresh["y"] - said) / np.var(fresh["y"]) > 0.75
    notes = " ".join(result.notes)
    assert "A random sample of 400 of 12,000 rows" in notes
    assert "The network learned from all 11,9" in notes
    assert "which are few beside all" in result.after
    report = json.loads((tmp_path / "m" / "report.json").read_text())
    assert 10**8 < report["peak_memory_bytes"] < 10**10


def test_classes_are_learned_from_all_rows_balanced_where_asked(folder, small_sample):
    player = player_of(folder, target="grade")
    X = player.features(None)[0]
    y = player.problem.y[player.problem.train]
    fresh = table(2000, seed=5).dropna(subset=["y"])
    own = player.preprocessing.transform(read_columns(fresh, player.problem.columns)[0])
    for is_balanced in (False, True):
        settings = NetworkSettings(steps=100, is_balanced=is_balanced)
        fitted = player.streamed.train(X, y, player.preprocessing, settings, Goal(), 0)
        said = np.array(["high", "low"])[predict(fitted, own).argmax(1)]
        assert (said == fresh["grade"]).mean() > 0.75


def test_as_much_as_time_allows_is_told():
    assert Pass(10, 40).told() == "10 of 40 rows (25.0 %)"


def test_rows_that_cannot_be_kept_apart_are_left_alone(folder, small_sample):
    player = read_player(f"{folder}/*.parquet", TableOptions(trials=1, target="y", time_column="c"))
    assert player.streamed is None
    assert "because of time_column" in " ".join(player.problem.notes)


def test_a_pattern_without_files_is_said():
    with pytest.raises(
        Unavailable, match=r"nowhere/\*.parquet must name files, and there are none"
    ):
        gradatim.fit("nowhere/*.parquet", "y")


def test_all_rows_read_in_chunks_are_all_rows(folder):
    rows = AllRows(f"{folder}/*.csv", as_text=True)
    chunks = list(rows.chunks(1500))
    assert [len(chunk) for chunk in chunks] == [1500] * 6
    assert pd.concat(chunks)["kind"].tolist() == table()["kind"].iloc[:9000].tolist()
