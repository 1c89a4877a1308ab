"""What is judged cannot be heard of: not by its own edge, not by its reverse, not by pairs that were drawn."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import random_graph
from gradatim.fitting.kinds import KINDS, make_options
from gradatim.fitting.links import player as players
from gradatim.fitting.links.candidates import simple_models
from gradatim.fitting.links.networks import LinkSettings, OnPairs, build_network, hide_edges
from gradatim.fitting.links.player import LinkPlayer, read_player
from gradatim.fitting.nodes.view import NodeView, both_ways
from gradatim.fitting.player import NETWORK, Candidate
from gradatim.randomness import seeded

MODELS = [*simple_models(has_columns=True), NETWORK]


def read(folder, **options):
    return read_player(folder, make_options(KINDS["link"], options))


def unordered(pairs):
    return {frozenset(pair) for pair in pairs.T.tolist()}


def parts(player):
    return [None, *range(len(player.folds))]


@pytest.fixture(params=["undirected", "directed", "times", "times and directions", "a sample"])
def player(request, write_graph):
    how = {
        "undirected": {},
        "directed": {"directed": True},
        "times": {"time_column": "day"},
        "times and directions": {"time_column": "day", "directed": True},
        "a sample": {"rows": 120, "directed": True},
    }[request.param]
    return read(write_graph(directed=how.get("directed", False), near=0.4), **how)


def test_no_edge_of_a_judged_pair_passes_messages_in_either_direction(player):
    p = player.problem
    for k in parts(player):
        passing = unordered(player.view(k).edge_index)
        assert len(passing) > 30
        for rows in (player.split(k)[1], p.test):
            assert not unordered(p.pairs[:, rows]) & passing


def test_edges_that_are_learned_from_pass_messages(write_graph):
    player = read(write_graph())
    p = player.problem
    for k in parts(player):
        learned = player.split(k)[0]
        edges = p.pairs[:, learned[p.y[learned] == 1]]
        assert unordered(player.view(k).edge_index) == unordered(edges)


def test_pairs_that_are_not_joined_are_no_edges_and_in_one_part(player):
    p = player.problem
    apart = p.pairs[:, p.y == 0]
    edges = set(map(tuple, p.index.T.tolist()))
    ways = edges if p.is_directed else edges | {(b, a) for a, b in edges}
    drawn = list(map(tuple, apart.T.tolist()))
    assert not ways & set(drawn)
    assert len(set(drawn)) == len(drawn)
    assert (apart[0] != apart[1]).all()
    for k in parts(player):
        learned, judged = player.split(k)
        assert not np.intersect1d(learned, judged).size
        if p.times is None:  # both directions of a pair stay together
            assert not unordered(p.pairs[:, learned]) & unordered(p.pairs[:, judged])


def test_the_past_predicts_the_future(write_graph):
    folder = write_graph()
    player = read(folder, time_column="day")
    p = player.problem
    days = pd.read_csv(folder / "edges.csv").set_index(["source", "target"])["day"]
    when = [days[p.ids[a], p.ids[b]] if (p.ids[a], p.ids[b]) in days else days[p.ids[b], p.ids[a]] for a, b in p.index.T]  # fmt: skip
    for k in parts(player):
        learned, judged = player.split(k)
        edges = [rows[p.y[rows] == 1] for rows in (learned, judged)]
        assert max(when[row] for row in edges[0]) <= min(when[row] for row in edges[1])
        assert abs(len(edges[1]) - len(judged) / 2) <= 1  # as many that are not joined
        assert max(when[e] for e in p.passing(learned)) <= min(when[row] for row in edges[1])  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_judged_edges_change_nothing_that_is_learned(write_graph, name, monkeypatch):
    """With other edges in their place, all models say the same of all pairs."""
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 3)
    first = read(write_graph())
    p = first.problem
    judged = p.test[p.y[p.test] == 1]
    apart = p.test[p.y[p.test] == 0][: len(judged)]
    judged = judged[: len(apart)]
    pairs, index = p.pairs.copy(), p.index.copy()
    pairs[:, judged], pairs[:, apart] = p.pairs[:, apart], p.pairs[:, judged]
    index[:, judged] = p.pairs[:, apart]
    second = LinkPlayer(replace(p, pairs=pairs, index=index), 0)
    candidate = Candidate(name, first.draw(0) if name == NETWORK else None)
    said = [own.fit(candidate, None).outputs(own.view(None), p.pairs) for own in (first, second)]
    np.testing.assert_array_equal(*said)


@pytest.mark.parametrize("directed", [False, True])
def test_a_graph_without_structure_tells_nothing(tmp_path, directed, monkeypatch):
    """AUC of every model is 1/2 within four standard errors, over all folds."""
    monkeypatch.setattr(players, "UNTIMED_EPOCHS", 12)
    folder = tmp_path / "random"
    folder.mkdir()
    edges = random_graph(150, 900, seed=3).numpy()
    edges = edges[:, edges[0] < edges[1]]
    rng = np.random.default_rng(0)
    edges = np.where(rng.random(900) < 0.5, edges, edges[::-1])
    pd.DataFrame(edges.T, columns=["source", "target"]).to_csv(folder / "edges.csv", index=False)
    frame = pd.DataFrame(rng.normal(size=(150, 3)), columns=["u", "v", "w"])
    frame.insert(0, "id", range(150))
    frame.to_csv(folder / "nodes.csv", index=False)
    player = read(folder, directed=directed)
    for name in MODELS[1:]:
        candidate = Candidate(name, player.draw(0) if name == NETWORK else None)
        found = [player.judge(candidate, k)["AUC"] for k in range(len(player.folds))]
        error = 1 / np.sqrt(6 * sum(len(judge) / 2 for _, judge in player.folds))
        assert abs(np.mean(found) - 0.5) < 4 * error, name


@pytest.mark.parametrize("ways", ["both", "the reverse"])
def test_an_edge_that_is_left_among_messages_is_heard_of(ways):
    """The measure above can fail: sums of neighbours that hold a judged edge, or its reverse alone, tell of it."""
    both = random_graph(150, 900, seed=3).numpy()
    once, rng = both[:, both[0] < both[1]], np.random.default_rng(0)
    x = rng.normal(size=(150, 16))
    view = NodeView(x, both if ways == "both" else once[::-1])
    z = x + view.adjacency @ x
    joined, apart = ((z[a] * z[b]).sum(1) for a, b in (once, rng.integers(0, 150, size=(2, 900))))
    assert np.mean(joined[:, None] > apart[None]) > 0.6


@given(st.integers(0, 200), st.booleans())
def test_a_batch_does_not_hear_of_its_own_edges(seed, is_directed):
    """What is said of pairs while learning is what the network says of the graph without their edges."""
    rng = np.random.default_rng(seed)
    index = np.unique(rng.integers(0, 9, size=(2, 20)), axis=1)
    index = index[:, index[0] < index[1]]
    index = np.concatenate([index, index[::-1, :2]], axis=1) if is_directed else index
    view = NodeView(rng.normal(size=(9, 4)).astype(np.float32), both_ways(index, is_directed))
    pairs = np.concatenate([index, rng.integers(0, 9, size=(2, 5))], axis=1)
    rows = rng.permutation(pairs.shape[1])[:6]
    with seeded(seed):
        network = build_network(LinkSettings(hidden_dim=4, dropout=0.0), 4, None, is_directed=is_directed)  # fmt: skip
    asked = {frozenset(pair) for pair in pairs[:, rows].T.tolist()}
    kept = [k for k, pair in enumerate(view.edge_index.T.tolist()) if frozenset(pair) not in asked]
    expected = network(view.x, view.edge_index[:, kept], pairs[:, rows])
    said = OnPairs(network, view, pairs)(torch.from_numpy(rows))
    torch.testing.assert_close(said[:, 1] - said[:, 0], expected)
    assert hide_edges(view, pairs[:, rows]).edge_index.tolist() == view.edge_index[:, kept].tolist()
