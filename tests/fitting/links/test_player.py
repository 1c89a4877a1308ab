"""Links in the contest: what is learned, what is kept, what is said of new pairs."""

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.fitting.kinds import KINDS, find_kind, make_options
from gradatim.fitting.links import player as players
from gradatim.fitting.links.player import read_player
from gradatim.fitting.player import NETWORK, Candidate

from .conftest import fit

PICTURES = {"graph.png", "degrees.png", "precision-recall.png", "calibration.png", "error-by-degree.png"}  # fmt: skip


def read(folder, **options):
    return read_player(folder, make_options(KINDS["link"], options))


def test_a_flag_asks_for_links(write_graph):
    folder = write_graph()
    assert find_kind(folder, {}).name == "node"
    assert find_kind(folder, {"links": True}).name == "link"
    with pytest.raises(InvalidValue, match="fit: target must not be given for links of a graph"):
        make_options(KINDS["link"], {"target": "p"})
    with pytest.raises(InvalidValue, match="fit: test must be a share for links, got a file"):
        make_options(KINDS["link"], {"test": "t.csv"})


def test_half_of_the_pairs_are_edges_and_blocks_are_found(write_graph):
    player = read(write_graph())
    p = player.problem
    assert p.y.sum() * 2 == len(p.y)
    assert p.index.shape[1] == p.y.sum()
    assert player.simple == ("class frequencies", "preferential attachment", "common neighbours", "Adamic-Adar", "features")  # fmt: skip
    auc = {}
    for name in player.simple:
        figures = [player.judge(Candidate(name), k) for k in range(3)]
        auc[name] = np.mean([own["AUC"] for own in figures])
        assert "average precision" in figures[0]
        assert next(iter(figures[0])) == "log loss"
    assert auc["class frequencies"] == 0.5
    for name in ("common neighbours", "Adamic-Adar", "features"):
        assert auc[name] > 0.6, name


def test_a_fit_writes_what_it_found(fitted, tmp_path):
    result, folder = fitted
    assert "which pairs are joined" in result.headline
    assert {path.name for path in result.folder.iterdir()} >= PICTURES
    page = (result.folder / "report.html").read_text()
    assert "The surest mistakes" in page
    assert "Probabilities are those of such a mixture" in page
    told = pd.read_csv(result.folder / "predictions.csv", dtype={"source": str, "target": str})
    assert list(told) == ["source", "target", "prediction", "probability apart", "probability joined"]  # fmt: skip
    again = gradatim.predict(result.folder, told[["source", "target"]])
    pd.testing.assert_frame_equal(again, told, check_exact=False)
    told[["source", "target"]].to_csv(tmp_path / "pairs.csv", index=False)
    pd.testing.assert_frame_equal(gradatim.predict(result.folder, tmp_path / "pairs.csv"), again)
    assert result.command == f"gradatim predict {result.folder} pairs.csv -o predictions.csv"
    test_edges = told[result.player.problem.y[result.player.problem.test] == 1]
    known = gradatim.load_model(result.folder).known.graph
    kept = {frozenset((known.ids[a], known.ids[b])) for a, b in known.index.T}
    assert not kept & {frozenset(pair) for pair in test_edges[["source", "target"]].to_numpy()}
    assert len(kept) + len(test_edges) == len(pd.read_csv(folder / "edges.csv"))


def test_the_order_of_a_pair_and_its_mates_play_no_part(fitted):
    p = fitted[0].player.problem
    ids = np.array(p.ids)[p.pairs[:, p.test]]
    pairs, turned = (pd.DataFrame(dict(zip(("source", "target"), own, strict=True))) for own in (ids, ids[::-1]))  # fmt: skip
    model = gradatim.load_model(fitted[0].folder)
    for name in model.models:
        said = model.predict_proba(pairs, model=name)
        assert said.sum(1) == pytest.approx(1.0)
        np.testing.assert_array_equal(model.predict_proba(turned, model=name), said)
        alone = model.predict_proba(pairs.iloc[:1], model=name)
        np.testing.assert_allclose(alone, said[:1], rtol=1e-6)


def test_directions_are_learned(tmp_path):
    """All edges lead from small numbers to large ones."""
    rng = np.random.default_rng(0)
    height = np.sort(rng.normal(size=50))
    a, b = rng.integers(0, 50, size=(2, 500))
    ends = np.unique(np.sort(np.stack([a, b]), axis=0)[:, a != b], axis=1)
    folder = tmp_path / "up"
    folder.mkdir()
    pd.DataFrame({"id": np.arange(50), "height": height}).to_csv(folder / "nodes.csv", index=False)
    pd.DataFrame(ends.T, columns=["source", "target"]).to_csv(folder / "edges.csv", index=False)
    player = read(folder, directed=True)
    pairs = np.array([[5, 40], [40, 5]])
    for candidate in (Candidate("features"), Candidate(NETWORK, player.draw(1))):
        up, down = player.fit(candidate, None).outputs(player.view(None), pairs)[:, 1]
        assert up > 0.6 > 0.4 > down, candidate


def test_graphs_without_columns_are_fitted(bare, write_graph):
    result, _ = bare
    assert "There is no nodes.csv: nodes are those that edges.csv names." in result.notes
    drawn = (
        "Nodes have no columns to learn from: random numbers made from their ids take their place."
    )
    assert drawn in result.notes
    assert drawn in read(write_graph(columns=False)).notes
    assert "features" not in result.player.simple
    pairs = pd.DataFrame({"source": ["n0"], "target": ["n7"]})
    assert 0 < gradatim.load_model(result.folder).predict_proba(pairs, model=NETWORK)[0, 1] < 1


def test_new_nodes_come_in_a_folder(fitted, tmp_path):
    result, _ = fitted
    new = tmp_path / "new"
    new.mkdir()
    (new / "nodes.csv").write_text("id,p,q\nx,2.0,0\ny,0.0,0\n")
    (new / "edges.csv").write_text("source,target\n" + "".join(f"x,n{k}\ny,n{k + 1}\n" for k in range(1, 24, 2)))  # fmt: skip
    (new / "pairs.csv").write_text("source,target\nx,n51\nx,n50\ny,n51\ny,n50\nx,n1\n")
    told = []
    said = gradatim.predict(result.folder, new, which=NETWORK, tell=told.append)
    joined = said["probability joined"].to_numpy()
    assert said["source"].tolist() == ["x", "x", "y", "y", "x"]
    assert joined[0] > joined[1]  # x is of the odd ones
    assert joined[3] > joined[2]
    assert any("1 of the 5 pairs is an edge that is known already" in note.message for note in told)


def test_new_nodes_without_columns_are_those_that_edges_name(bare, tmp_path):
    result, _ = bare
    new = tmp_path / "new"
    new.mkdir()
    (new / "edges.csv").write_text("source,target\nz,n1\nz,n3\n")
    (new / "pairs.csv").write_text("source,target\nz,n5\n")
    assert len(gradatim.predict(result.folder, new)) == 1


def test_pairs_must_be_of_known_nodes(bare):
    result, folder = bare
    model = gradatim.load_model(result.folder)
    with pytest.raises(InvalidValue, match="pairs must name nodes by their ids, got 'zz' in row 2, which no node has"):  # fmt: skip
        model.predict(pd.DataFrame({"source": ["n0", "zz"], "target": ["n2", "n1"]}))
    with pytest.raises(
        Unavailable, match=r"there is no such file\. Name the pairs to predict there"
    ):
        model.predict(folder)
    with pytest.raises(InvalidType, match="data must be a table of pairs or a folder with"):
        model.predict([1, 2])
    with pytest.warns(UserWarning, match="1 pair is a node and itself, of which nothing was learned"):  # fmt: skip
        model.predict(pd.DataFrame({"source": ["n0"], "target": ["n0"]}))


def test_two_sides_are_kept_apart(tmp_path):
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 20, size=200), rng.integers(0, 30, size=200)
    folder = tmp_path / "shop"
    folder.mkdir()
    edges = pd.DataFrame({"source": [f"u{k}" for k in users], "target": [f"i{k}" for k in items]})
    edges.to_csv(folder / "edges.csv", index=False)
    player = read(folder)
    p = player.problem
    kinds = np.array([name[0] for name in p.ids])[p.pairs]
    assert (np.sort(kinds, axis=0).T == ["i", "u"]).all()
    assert any("never back: only pairs across these two sides are drawn" in note for note in p.notes)  # fmt: skip


def test_a_sample_of_edges_is_judged_and_the_others_pass_messages(write_graph):
    p = read(write_graph(), rows=60).problem
    assert p.y.sum() == 60
    rows = p.passing(p.train)
    assert len(rows) == p.index.shape[1] - p.y[p.test].sum()
    assert any("A random sample of 60 of " in note for note in p.notes)


def test_weights_and_columns_of_edges_are_read(write_graph, monkeypatch):
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 3)
    folder = write_graph("w")
    edges = pd.read_csv(folder / "edges.csv").drop(columns="day")
    edges["weight"] = np.linspace(0.5, 2.0, len(edges))
    edges["tie"] = np.where(np.arange(len(edges)) % 2, "strong", "weak")
    edges.to_csv(folder / "edges.csv", index=False)
    player = read(folder)
    p, view = player.problem, player.view(0)
    assert [column.name for column in p.edge_columns] == ["tie", "weight"]
    assert view.edge_weight.shape == (view.edge_index.shape[1],)
    for trial in (0, 2):  # GCN reads weights, GAT columns
        assert 0 <= player.judge(Candidate(NETWORK, player.draw(trial)), 0)["AUC"] <= 1


def test_times_and_directions_go_through_a_whole_fit(write_graph, tmp_path):
    result = fit(write_graph(directed=True), tmp_path / "m", directed=True, time_column="day")
    p = result.player.problem
    assert p.is_directed
    assert p.edge_columns == []
    assert "the latest" in (result.folder / "report.html").read_text()
