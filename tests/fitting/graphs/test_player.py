"""Whole graphs in the contest: what is learned, what is kept together, what is said, and what comes back from a folder."""

import json

import numpy as np
import pytest
import torch

from gradatim import data, fit, load_model
from gradatim.cli import main
from gradatim.data import Graph
from gradatim.errors import InvalidValue
from gradatim.fitting.graphs import player as graph_player
from gradatim.fitting.graphs.candidates import simple_models
from gradatim.fitting.graphs.encoding import Graphs
from gradatim.fitting.graphs.kind import GraphOptions
from gradatim.fitting.graphs.networks import (
    GraphNetwork,
    GraphSettings,
    build_network,
    fit_network,
    to_set,
)
from gradatim.fitting.graphs.player import read_player
from gradatim.fitting.graphs.problem import prepare
from gradatim.fitting.kinds import find_kind
from gradatim.fitting.player import Candidate


def write(path, graphs, with_y=True):
    lines = [
        {"edges": g.edge_index.T.tolist(), "x": g.x.tolist(), **({"y": int(g.y)} if with_y else {})}
        for g in graphs
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    path = write(folder / "graphs.jsonl", data.rings(120))
    return fit(path, trials=1, output=str(folder / "m"))


def test_which_kind_is_meant(tmp_path):
    path = write(tmp_path / "some.jsonl", data.rings(2))
    assert find_kind(str(path), {}).name == find_kind(data.rings(2), {}).name == "graph"
    for name in ("rings", "mutag", "qm9"):
        assert find_kind(name, {}).name == "graph"
    (tmp_path / "pics").mkdir()
    assert find_kind(str(tmp_path / "pics"), {}).name != "graph"
    (tmp_path / "pics" / "X_graph_indicator.txt").write_text("1\n")
    assert find_kind(str(tmp_path / "pics"), {}).name == "graph"


def test_neighbours_tell_and_counts_do_not(fitted):
    figures = json.loads((fitted.folder / "model.json").read_text())["about"]
    assert fitted.verdict.recommended in ("Weisfeiler-Lehman kernel ridge", "network"), figures
    new = data.rings(100, seed=9)
    truth = np.array([int(g.y) for g in new])
    right = {name: (fitted.model.predict(new, model=name) == truth).mean() for name in fitted.model.models}  # fmt: skip
    assert right[fitted.verdict.recommended] > 0.95
    assert abs(right.get("logistic regression on counts", 0.5) - 0.5) < 0.15


def test_a_folder_says_the_same(fitted, tmp_path):
    model, new = load_model(fitted.folder), data.rings(70, seed=5)
    for name in model.models:
        np.testing.assert_array_equal(model.predict_proba(new, model=name), fitted.model.predict_proba(new, model=name))  # fmt: skip
        alone = np.concatenate([model.predict_proba(new[k : k + 1], model=name) for k in (0, 33, 69)])  # fmt: skip
        np.testing.assert_array_equal(alone, model.predict_proba(new, model=name)[[0, 33, 69]])
    path = write(tmp_path / "new.jsonl", new, with_y=False)
    np.testing.assert_array_equal(model.predict(path), model.predict(new))


def test_renaming_nodes_changes_no_answer(fitted):
    graph, order = data.rings(3, seed=8)[2], torch.randperm(30)
    order = order[order < graph.num_nodes]
    x = torch.empty_like(graph.x)
    x[order] = graph.x
    for name in fitted.model.models:
        first, second = (fitted.model.predict_proba([g], model=name) for g in (graph, Graph(x, order[graph.edge_index])))  # fmt: skip
        np.testing.assert_allclose(first, second, atol=1e-5)


def test_the_report_draws_graphs(fitted):
    names = {path.name for path in fitted.folder.iterdir()}
    assert {"answers.png", "sizes.png", "error-by-size.png", "confusion.png"} <= names
    page = (fitted.folder / "report.html").read_text()
    assert "graph isomorphism network" in page
    assert "120" in page


def test_numbers_of_graphs(tmp_path):
    rng = np.random.default_rng(0)
    graphs = [Graph(g.x, g.edge_index, y=torch.tensor(0.5 * g.num_nodes + 0.05 * float(rng.normal()))) for g in data.rings(80, seed=2)]  # fmt: skip
    result = fit(graphs, trials=1, output=str(tmp_path / "m"))
    assert result.verdict.recommended == "ridge on counts"
    said = result.model.predict(graphs)
    truth = np.array([float(g.y) for g in graphs])
    assert np.sqrt(((said - truth) ** 2).mean()) < 0.1
    with pytest.raises(InvalidValue, match="predict_proba"):
        result.model.predict_proba(graphs)


def test_repeats_stay_together_and_are_told():
    graphs = data.rings(80)
    p = prepare([*graphs, *graphs[:10]], GraphOptions(trials=1, output="m"))
    assert any("graphs repeat another one; such graphs stay together in every split" in note for note in p.notes)  # fmt: skip
    assert p.twins is not None
    for train, judge in [(p.train, p.test), *p.fold_rows(5, 0)]:
        assert not set(p.twins[train].tolist()) & set(p.twins[judge].tolist())


def test_where_repeats_are_the_rule_they_are_a_warning():
    graphs = data.rings(30) * 3
    own = read_player(graphs, GraphOptions(trials=1, output="m"))
    assert any("stay where they fall" in note for note in own.notes)
    assert any("test graphs repeat one of the training part" in str(c) for c in own.concerns())


def test_a_network_learns_the_same_whatever_its_mates():
    graphs = read_player(data.rings(60), GraphOptions(trials=1, output="m")).features(None)[0]
    network = GraphNetwork(build_network(GraphSettings(), graphs.x.shape[1], 2), 2, {})
    whole = network.outputs(graphs)
    cut = to_set(graphs)[:]
    with torch.inference_mode():
        direct = network.module.eval()(cut.x, cut.edge_index, cut.batch, cut.num_graphs).softmax(-1)
    np.testing.assert_allclose(whole, direct.numpy(), atol=1e-5)
    for k in (0, 7):
        np.testing.assert_array_equal(network.outputs(graphs.take(np.array([k])))[0], whole[k])


def test_empty_graphs_and_graphs_without_edges_are_answered():
    x, none = np.zeros((3, 2), np.float32), np.zeros((2, 0), np.int64)
    graphs = Graphs(x, np.zeros(3, np.uint64), none, np.zeros(0, np.uint64), np.array([0, 3, 0]))
    network = GraphNetwork(build_network(GraphSettings(), 2, 2), 2, {})
    assert np.isfinite(network.outputs(graphs)).all()
    y = np.array([0, 1, 0])
    assert np.isfinite(fit_network(graphs, y, 2, GraphSettings(), 2, 0)[0].outputs(graphs)).all()


def test_candidates_in_memory_and_seeds():
    own = read_player(data.rings(60), GraphOptions(trials=1, output="m"))
    for name in simple_models(2):
        first, second = (own.outputs(own.fit(Candidate(name), 0), 0) for _ in range(2))
        np.testing.assert_array_equal(first, second)
        np.testing.assert_allclose(first.sum(1), 1.0)


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(graph_player, "UNTIMED_EPOCHS", 3)
    assert main(["fit", "rings", "--trials", "1", "--rows", "60", "-o", "m"]) == 0
    assert "binary classification of 'y'" in capsys.readouterr().out
    assert main(["predict", "m", "rings", "-o", "p.csv"]) == 0
    assert (
        (tmp_path / "p.csv")
        .read_text()
        .splitlines()[0]
        .startswith("graph,prediction,probability apart")
    )
    assert main(["export", "m", "--onnx", "-o", "m.onnx"]) == 2
    assert "reads graphs of any size" in capsys.readouterr().err


def test_wrong_new_graphs(fitted):
    with pytest.raises(InvalidValue, match="nodes must have 1 columns, as those of training had, got 2"):  # fmt: skip
        fitted.model.predict([Graph(torch.zeros(2, 2), torch.zeros(2, 0, dtype=torch.long))])
    with pytest.warns(UserWarning, match="1 node has a label that training never saw"):
        fitted.model.predict([Graph(torch.full((1, 1), 9.0), torch.zeros(2, 0, dtype=torch.long))])
