"""Nodes in the contest: what folds hide, what is learned, what is kept."""

import json

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.cli import main
from gradatim.errors import InvalidValue
from gradatim.fitting.kinds import KINDS, make_options
from gradatim.fitting.nodes import player as players
from gradatim.fitting.nodes.candidates import PROPAGATION, simple_models
from gradatim.fitting.nodes.player import read_player
from gradatim.fitting.player import NETWORK, Candidate


def read(folder, **options):
    return read_player(folder, make_options(KINDS["node"], {"target": "label", **options}))


def days(count, rng):
    return [f"2024-{1 + k // 28:02d}-{1 + k % 28:02d}" for k in range(count)]


def towns(count, rng):
    return rng.integers(0, 8, size=count)


def test_folds_hide_labels_and_no_edges(write_graph):
    player = read(write_graph(blank=10))
    p = player.problem
    assert (len(p), len(p.y), len(p.unlabelled)) == (90, 80, 10)
    for k in [None, *range(len(player.folds))]:
        learned, judged = player.views(k)
        assert learned is judged
        assert learned.edge_index.shape[1] == 2 * p.index.shape[1]


@pytest.mark.parametrize("how", [{"time_column": "when"}, {"group": "town"}])
def test_times_and_groups_hide_nodes_with_their_edges_in_every_fold(write_graph, how):
    player = read(write_graph(when=days, town=towns), **how)
    p = player.problem
    assert p.is_inductive
    for k in [None, *range(len(player.folds))]:
        train, judge = player.split(k)
        learned, judged = (view.edge_index for view in player.views(k))
        assert not np.isin(learned, judge).any()
        assert not np.isin(learned, p.test).any()
        if k is not None:
            assert not np.isin(judged, p.test).any()
        mine = np.isin(p.index, train).all(0).sum()
        assert learned.shape[1] == 2 * mine
        if p.times is not None:
            assert p.times[train].max() <= p.times[judge].min()
            assert p.times[np.unique(judged)].max() <= p.times[judge].max()


@pytest.mark.parametrize("name", [*simple_models(3), NETWORK])
def test_hidden_nodes_cannot_be_heard_of(write_graph, name, monkeypatch):
    """Other columns, labels and edges of the test nodes change nothing in what was learned without them."""
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 5)
    folder = write_graph(when=days)
    first = read(folder, time_column="when", drop=["when"])
    frame, edges = pd.read_csv(folder / "nodes.csv"), pd.read_csv(folder / "edges.csv")
    late = [first.problem.ids[k] for k in first.problem.test]
    frame.loc[frame["id"].isin(late), ["p", "q"]] = 9.0
    frame.loc[frame["id"].isin(late), "label"] = "red"
    kept = ~(edges["source"].isin(late) & edges["target"].isin(late))
    frame.to_csv(folder / "nodes.csv", index=False)
    edges[kept].to_csv(folder / "edges.csv", index=False)
    second = read(folder, time_column="when", drop=["when"])
    candidate = Candidate(name, first.draw(0) if name == NETWORK else None)
    for k in (0, None):
        told = [player.fit(candidate, k).outputs(player.views(k)[0])[first.split(k)[0]] for player in (first, second)]  # fmt: skip
        np.testing.assert_array_equal(*told)


def test_edges_between_other_nodes_help(write_graph):
    """Labels and neighbours tell the class where columns say little."""
    player = read(write_graph(count=150), trials=1)
    loss = {name: np.mean([player.judge(Candidate(name), k)["log loss"] for k in range(3)]) for name in player.simple}  # fmt: skip
    assert loss[PROPAGATION] < 0.8 * loss["logistic regression"]
    assert loss["logistic regression on averages (SGC)"] < loss["logistic regression"]


def test_a_fit_says_whether_the_graph_helps_and_predicts_new_nodes(write_graph, tmp_path, monkeypatch):  # fmt: skip
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 40)
    folder = write_graph(count=120, blank=12)
    result = gradatim.fit(folder, "label", trials=1, output=tmp_path / "m")
    assert any(note.startswith("Does the graph help? Yes: ") for note in result.notes)
    assert "adjusted homophily is 0." in result.notes[-1]
    made = {path.name for path in (tmp_path / "m").iterdir()}
    assert {"graph.png", "degrees.png", "error-by-degree.png", "error-by-distance.png", "confusion.png"} <= made  # fmt: skip
    blank = pd.read_csv(tmp_path / "m" / "unlabelled.csv")
    truth = np.array(["red", "green", "blue"])[np.arange(108, 120) % 3]
    assert blank["id"].tolist() == [f"n{k}" for k in range(108, 120)]
    assert (blank["prediction"] == truth).mean() > 0.6
    model = gradatim.load_model(tmp_path / "m")
    said = gradatim.predict(model, folder)
    assert said["id"].tolist() == pd.read_csv(folder / "nodes.csv")["id"].tolist()
    again = said.set_index("id").loc[blank["id"]].reset_index()
    pd.testing.assert_frame_equal(again, blank, check_exact=False)


def test_a_new_node_is_what_its_neighbours_are(write_graph, tmp_path, monkeypatch):
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 60)
    gradatim.fit(write_graph(count=120), "label", trials=1, output=tmp_path / "m")
    new = tmp_path / "new"
    new.mkdir()
    (new / "nodes.csv").write_text("id,p,q\nx,1.0,0\ny,1.0,0\n")
    ties = [("x", f"n{k}") for k in range(0, 30, 3)] + [(f"n{k}", "y") for k in range(2, 30, 3)]
    pd.DataFrame(ties, columns=["source", "target"]).to_csv(new / "edges.csv", index=False)
    model = gradatim.load_model(tmp_path / "m")
    for name in model.models:
        if name != "class frequencies":
            assert model.predict(new, model=name).tolist() == ["red", "blue"], name


@pytest.mark.parametrize("folder", [{"columns": False}, {"edges": False}])
def test_graphs_without_columns_or_edges_are_fitted(write_graph, tmp_path, monkeypatch, folder):
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 5)
    path = write_graph(**folder)
    result = gradatim.fit(path, "label", trials=1, output=tmp_path / "m")
    words = "Nodes have no columns to learn from" if "columns" in folder else "There are no edges"
    assert any(words in note for note in result.notes)
    model = gradatim.load_model(tmp_path / "m")
    with pytest.warns(UserWarning, match="nodes are known from training"):
        assert len(model.predict(path, model="network")) == 90


def test_values_weights_directions_and_columns_of_edges(write_graph, tmp_path, monkeypatch):
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 5)
    folder = write_graph(height=lambda count, rng: np.arange(count) % 3 + rng.normal(size=count))
    edges = pd.read_csv(folder / "edges.csv")
    edges["weight"] = np.linspace(0.5, 2.0, len(edges))
    edges["tie"] = np.where(np.arange(len(edges)) % 2, "strong", "weak")
    edges.to_csv(folder / "edges.csv", index=False)
    result = gradatim.fit(folder, "height", trials=4, directed=True, output=tmp_path / "m")
    assert result.player.task == "regression"
    assert result.player.problem.is_directed
    assert [c.name for c in result.player.problem.edge_columns] == ["tie", "weight"]
    assert len(gradatim.predict(tmp_path / "m", folder, which="network")) == 90


def test_test_nodes_may_be_named(write_graph, tmp_path):
    (tmp_path / "t.csv").write_text("id\nn3\nn4\nn5\nn6\n")
    player = read(write_graph(), test=str(tmp_path / "t.csv"))
    assert [player.problem.ids[k] for k in player.problem.test] == ["n3", "n4", "n5", "n6"]
    (tmp_path / "t.csv").write_text("id\nn3\nzz\n")
    with pytest.raises(InvalidValue, match="test must name nodes with a target, got 'zz'"):
        read(tmp_path / "g", test=str(tmp_path / "t.csv"))


def test_a_sample_of_nodes_keeps_the_edges_between_them(write_graph):
    player = read(write_graph(), rows=60)
    assert len(player.problem) == 60
    assert any("A random sample of 60 of 90 nodes is used" in note for note in player.notes)
    whole = read(write_graph("h")).problem
    names = {(whole.ids[a], whole.ids[b]) for a, b in whole.index.T}
    p = player.problem
    assert all((p.ids[a], p.ids[b]) in names for a, b in p.index.T)


def test_the_graph_is_kept_in_the_folder(write_graph, tmp_path, monkeypatch):
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 3)
    gradatim.fit(write_graph(), "label", trials=1, keep_test_out=True, output=tmp_path / "m")
    document = json.loads((tmp_path / "m" / "model.json").read_bytes())
    assert sorted(document["ids"]) == sorted(f"n{k}" for k in range(90))


def test_the_karate_club_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 3)
    assert main(["fit", "karate", "--trials", "1", "-o", "m"]) == 0
    said = capsys.readouterr().out
    assert "karate: binary classification of 'label'" in said
    assert "34, 78 edges" in " ".join(said.split())
    assert main(["predict", "m", "karate", "-o", "p.csv"]) == 0
    told = pd.read_csv("p.csv")
    assert list(told) == ["id", "prediction", "probability Mr. Hi", "probability Officer"]
    assert len(told) == 34
