"""Graphs from published files, on small files made by hand, and the karate club."""

import networkx
import numpy as np
import pytest
import torch

from gradatim.data import load
from gradatim.data.entry import Source
from gradatim.data.graph_files import karate_club, read_citations, read_molecules
from gradatim.errors import Unavailable

TU = {
    "T_A.txt": b"4, 5\n1, 2\n2, 1\n5, 4\n2, 3\n3, 2\n",
    "T_graph_indicator.txt": b"1\n1\n1\n2\n2\n",
    "T_graph_labels.txt": b"1\n-1\n",
    "T_node_labels.txt": b"0\n2\n0\n2\n2\n",
    "T_edge_labels.txt": b"7\n0\n0\n7\n7\n7\n",
}
PAPERS = b"10\t0\t1\t0\tTheory\n7\t1\t1\t0\tRules\n9\t0\t0\t0\tTheory\n"
MOLECULES = (
    b"Name,Elements,XYZ_Ang,u\n"
    b"a,\"['O','H','H']\",\"[[0.,0.,-1.],[1.,2,3.5],[-0.25,0,0.]]\",-76.5\n"
    b'b,"[\'F\']","[[4.,5.,6.]]",2\n'
)


def test_the_karate_club_is_that_of_networkx():
    graph, classes = karate_club()
    club = networkx.karate_club_graph()
    assert {(a, b) for a, b in graph.edge_index.T.tolist() if a < b} == set(club.edges)
    assert [classes[k] for k in graph.y.tolist()] == [club.nodes[i]["club"] for i in club]
    data = load("karate")
    assert repr(data) == "DataSet('karate', X (34, 34) float32, y (34,) int64)"
    assert data.graph.num_edges == 156
    assert data.graphs is None


def test_citations_become_undirected_edges_and_sparse_words():
    graph, classes = read_citations(PAPERS, b"7\t10\n10\t7\n9\t7\n")
    assert graph.x.layout == torch.sparse_csr
    assert graph.x.to_dense().tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 0]]
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert [classes[k] for k in graph.y.tolist()] == ["Theory", "Rules", "Theory"]
    with pytest.raises(KeyError):
        read_citations(PAPERS, b"7\t11\n")


def test_molecules_are_sets_of_atoms_in_space():
    (water, fluorine, *again), classes = read_molecules([MOLECULES, MOLECULES], "u")
    assert len(again) == 2
    assert classes is None
    assert water.x[:, :5].tolist() == [[0, 0, 0, 1, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
    assert water.x[:, 5:].tolist() == [[0, 0, -1], [1, 2, 3.5], [-0.25, 0, 0]]
    assert fluorine.x.tolist() == [[0, 0, 0, 0, 1, 4, 5, 6]]
    assert (water.y.item(), water.num_edges) == (-76.5, 0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"'H','H'", b"'H','Cl'", "atoms must be of H, C, N, O, F"),
        (b"'H','H'", b"'H'", "a place for each of its atoms"),
        (b"5.,6.", b"5.,six", "six"),
    ],
)
def test_damaged_molecules_are_refused(old, new, words):
    with pytest.raises(ValueError, match=words):
        read_molecules([MOLECULES.replace(old, new)], "u")


def test_sets_of_graphs_load_from_the_cache(home, register):
    made = {
        "mutag": (TU, [1, 0], [3, 2]),
        "qm9": ({"a.csv": MOLECULES.replace(b",u", b",InternalEnergy_0K_au")}, [-76.5, 2], [3, 1]),
    }
    for like, (files, y, sizes) in made.items():
        entry = register(files, (Source("pip", "p==1", "{}", 1),), like=like, name=f"toy-{like}")
        (home / f"toy-{like}").mkdir(parents=True)
        for name, content in files.items():
            entry.path(name).write_bytes(content)
        data = load(f"toy-{like}")
        assert data.y.tolist() == y
        assert data.graphs.sizes.tolist() == sizes
        assert np.array_equal(data.X[:, 0], sizes)
        assert data.graph is None
    entry.path("a.csv").write_bytes(b"x" * len(files["a.csv"]))
    with pytest.raises(Unavailable, match="cannot be read"):
        load("toy-qm9")
