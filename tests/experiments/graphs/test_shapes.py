import networkx as nx
import numpy as np
import torch

from gradatim.experiments.graphs._shapes import (  # fmt: skip
    binary_tree,
    complete,
    dumbbell,
    grid,
    grid_frequencies,
    hops,
    path,
    path_frequencies,
    ring,
    ring_frequencies,
)


def test_shapes_and_their_frequencies_are_those_of_networkx():
    expected = {
        nx.path_graph(7): (path(7), path_frequencies(7)),
        nx.cycle_graph(8): (ring(8), ring_frequencies(8)),
        nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 5), ordering="sorted"): (
            grid(3, 5),
            grid_frequencies(3, 5),
        ),
    }
    for graph, (edges, frequencies) in expected.items():
        assert set(map(tuple, edges.T.tolist())) == set(graph.to_directed().edges)
        found = np.sort(nx.laplacian_spectrum(graph))
        np.testing.assert_allclose(found, frequencies, atol=1e-12)


def test_cliques_and_trees_are_those_of_networkx():
    expected = [
        (nx.complete_graph(5), complete(5)),
        (nx.barbell_graph(4, 3), dumbbell(4, 4)),  # three nodes between them are a path of four edges
        (nx.barbell_graph(3, 0), dumbbell(3, 1)),
        (nx.balanced_tree(2, 3), binary_tree(3)),
    ]  # fmt: skip
    for graph, edges in expected:
        found = nx.Graph(edges.T.tolist())
        assert len(found) == int(edges.max()) + 1 == len(graph)
        assert 2 * found.number_of_edges() == edges.shape[1]
        assert nx.is_isomorphic(found, graph)


def test_hops_are_lengths_of_shortest_paths():
    graph = nx.gnp_random_graph(30, 0.06, seed=1)
    edges = torch.tensor(list(graph.to_directed().edges)).T
    lengths = nx.single_source_shortest_path_length(graph, 0)
    assert hops(edges, 30, 0).tolist() == [lengths.get(node, -1) for node in range(30)]
