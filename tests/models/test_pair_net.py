"""The network on pairs: its formula, its laws, and what it sees."""

import networkx as nx
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import PairNet
from gradatim.randomness import seeded


def build(**arguments):
    with seeded(0):
        return PairNet(2, 6, 3, **arguments).double().eval()


def edges_of(graph):
    return torch.tensor(list(graph.to_directed().edges), dtype=torch.long).view(-1, 2).T


def features(n):
    return torch.randn(n, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(n))


def ones(graph):
    return torch.ones(len(graph), 2, dtype=torch.float64)


def standard(rows):
    values = torch.stack(list(rows.values()))
    scale = (values.var(0, unbiased=False) + 1e-5).sqrt()
    return {pair: (row - values.mean(0)) / scale for pair, row in rows.items()}


def test_it_is_the_formula():
    model, x, edges = build(num_layers=1), features(4), torch.tensor([[0, 1, 3], [1, 2, 3]])
    n, layer = 4, model.layers[0]
    A = torch.zeros(n, n).double()
    for source, target in edges.T.tolist():
        A[target, source] += 1
    h = {
        (i, j): model.first(torch.cat([x[i], x[j], A[i, j, None], torch.tensor([float(i == j)]).double()]))
        for i in range(n)
        for j in range(n)
    }  # fmt: skip
    every = [(i, j) for i in range(n) for j in range(n)]
    h = standard(h)
    over = standard(
        {
            (i, j): sum(torch.relu(layer.left(h[i, k])) * torch.relu(layer.right(h[k, j])) for k in range(n))
            for i, j in every
        }
    )  # fmt: skip
    h = {pair: layer.update(torch.cat([h[pair], over[pair]])) for pair in every}
    total = torch.cat([sum(h.values()), sum(h[i, i] for i in range(n))])
    torch.testing.assert_close(model(x, edges)[0], model.readout(total))


def test_renaming_nodes_changes_nothing():
    model, x, graph = build(), features(8), nx.gnm_random_graph(8, 12, seed=1)
    order = torch.randperm(8, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(
        model(x[order], order.argsort()[edges_of(graph)]), model(x, edges_of(graph))
    )


def test_a_batch_is_its_graphs_one_by_one_in_any_order_of_nodes():
    model = build()
    graphs = [nx.cycle_graph(5), nx.empty_graph(1), nx.complete_graph(3)]
    xs = [features(len(graph)) for graph in graphs]
    alone = torch.cat([model(x, edges_of(g)) for x, g in zip(xs, graphs, strict=True)])
    batch = torch.tensor([0] * 5 + [1] + [2] * 3)
    edges = torch.cat([edges_of(g) + start for g, start in zip(graphs, (0, 5, 6), strict=True)], 1)
    torch.testing.assert_close(model(torch.cat(xs), edges, batch), alone)
    order = torch.randperm(9, generator=torch.Generator().manual_seed(2))
    mixed = model(torch.cat(xs)[order], order.argsort()[edges], batch[order])
    torch.testing.assert_close(mixed, alone)
    empty = model(xs[1], edges_of(graphs[1]), torch.tensor([0]), num_graphs=2)
    torch.testing.assert_close(empty[1], model.readout(torch.zeros(12).double()))


def test_gradients():
    model, x = build(num_layers=1), features(3).requires_grad_()
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    assert torch.autograd.gradcheck(lambda x: model(x, edges), x)


def test_it_sees_what_messages_do_not_and_not_what_the_test_on_pairs_does_not():
    model = build()

    def gap(first, second):
        a, b = (model(ones(graph), edges_of(graph)) for graph in (first, second))
        return ((a - b).abs().max() / a.abs().max()).item()

    triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    assert gap(nx.cycle_graph(6), triangles) > 1e-3
    # strongly regular with the same parameters (16, 6, 2, 2), and different
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    rook = nx.convert_node_labels_to_integers(rook)
    steps = [(0, 1), (1, 0), (1, 1)]
    shrikhande = nx.Graph(
        (4 * a + b, 4 * ((a + c) % 4) + (b + d) % 4) for a in range(4) for b in range(4) for c, d in steps
    )  # fmt: skip
    assert not nx.is_isomorphic(rook, shrikhande)
    assert gap(rook, shrikhande) < 1e-12


def test_mistakes_are_refused():
    with pytest.raises(InvalidValue, match="PairNet: hidden_dim must be a whole number from 1"):
        PairNet(2, 0, 1)
    with pytest.raises(InvalidValue, match="PairNet: edge_index must"):
        build()(features(2), torch.tensor([[0], [5]]))
