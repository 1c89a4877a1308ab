"""Laws of all layers on graphs, and their formulas written out."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.nn import (
    ChebyshevLayer,
    GATLayer,
    GATv2Layer,
    GCNLayer,
    GINLayer,
    PairNorm,
    SAGELayer,
    drop_edge,
    edge_softmax,
    message_passing,
    pool_nodes,
    pool_sets,
)
from gradatim.nn.attended_edges import attended_edges
from gradatim.randomness import seeded

from .graph_cases import adjacencies, coupling, edges_of

LAYERS = {
    "gcn": lambda: GCNLayer(3, 2),
    "gat": lambda: GATLayer(3, 2, num_heads=2),
    "gatv2": lambda: GATv2Layer(3, 2, num_heads=2),
    "sage": lambda: SAGELayer(3, 2),
    "sage-max": lambda: SAGELayer(3, 2, aggregate="max"),
    "gin": lambda: GINLayer(3, 2, learns_eps=True),
    "chebyshev": lambda: ChebyshevLayer(3, 2, 2),
}


def build(name):
    with seeded(0):
        layer = LAYERS[name]().double()
        for parameter in layer.parameters():
            nn.init.normal_(parameter)
    return layer


def features(n, width=3):
    return torch.randn(n, width, dtype=torch.float64, generator=torch.Generator().manual_seed(n))


@pytest.mark.parametrize("name", LAYERS)
@given(adjacencies(), st.randoms(use_true_random=False))
def test_renaming_the_nodes_renames_the_result(name, A, random):
    layer, x = build(name), features(len(A))
    order = list(range(len(A)))
    random.shuffle(order)
    P = torch.eye(len(A), dtype=torch.float64)[order]
    torch.testing.assert_close(layer(P @ x, edges_of(P @ A @ P.T)), P @ layer(x, edges_of(A)))


@pytest.mark.parametrize("name", LAYERS)
@given(adjacencies())
def test_sparse_features_give_the_same_and_derivatives_are_right(name, A):
    layer, x, edges = build(name), features(len(A)), edges_of(A)
    torch.testing.assert_close(layer(x.to_sparse_csr(), edges), layer(x, edges))


@pytest.mark.parametrize("name", LAYERS)
def test_first_and_second_derivatives(name):
    layer, x = build(name), features(5).requires_grad_()
    edges = torch.tensor([[0, 1, 1, 2, 3], [1, 0, 2, 1, 1]])
    assert torch.autograd.gradcheck(lambda x: layer(x, edges), (x,))
    assert torch.autograd.gradgradcheck(lambda x: layer(x, edges), (x,))


@pytest.mark.parametrize("name", LAYERS)
def test_weights_get_the_gradient_that_dense_features_give(name):
    layer, x = build(name), features(6)
    edges = torch.tensor([[0, 1, 1, 2, 5], [1, 0, 2, 1, 4]])
    found = []
    for form in (x, x.to_sparse_csr()):
        layer.zero_grad()
        layer(form, edges).square().sum().backward()
        found.append([p.grad.clone() for p in layer.parameters()])
    for dense, sparse in zip(*found, strict=True):
        torch.testing.assert_close(dense, sparse)


@pytest.mark.parametrize("name", LAYERS)
def test_no_edges_and_one_node(name):
    layer = build(name)
    none = torch.zeros(2, 0, dtype=torch.long)
    alone = layer(features(4), none)
    torch.testing.assert_close(alone[:1], layer(features(4)[:1], none))
    assert alone.isfinite().all()


@given(adjacencies())
def test_a_gcn_layer_is_its_formula(A):
    layer, x = build("gcn"), features(len(A))
    expected = coupling(A) @ x @ layer.linear.weight.T + layer.bias
    torch.testing.assert_close(layer(x, edges_of(A)), expected)


@given(adjacencies(is_directed=True))
def test_attention_is_its_formula_and_sums_to_one(A):
    layer, x, n = build("gat"), features(len(A)), len(A)
    v = (x @ layer.linear.weight.T).view(n, 2, 2)
    expected = torch.zeros(n, 2, 2, dtype=torch.float64)
    for i in range(n):
        near = [j for j in range(n) if A[i, j] or i == j]
        for h in range(2):
            u = [layer.to_target[h] @ v[i, h] + layer.to_source[h] @ v[j, h] for j in near]
            weight = torch.stack([s if s > 0 else 0.2 * s for s in u]).softmax(0)
            expected[i, h] = sum(w * v[j, h] for w, j in zip(weight, near, strict=True))
    torch.testing.assert_close(layer(x, edges_of(A)), expected.flatten(1) + layer.bias)
    edges = attended_edges("GATLayer", edges_of(A), n, None, None)
    total = torch.zeros(n, 2, dtype=torch.float64).index_add(0, edges.target, layer.attention(v, edges))  # fmt: skip
    torch.testing.assert_close(total, torch.ones(n, 2, dtype=torch.float64))


def test_who_asks_changes_the_order_of_attention_in_the_second_version_only():
    """Of a static attention all nodes prefer the same neighbour (Brody et al., theorem 1)."""
    n = 6
    edges = (1 - torch.eye(n)).nonzero().T
    x = features(n)
    v = (x @ build("gat").linear.weight.T).view(n, 2, 2)
    found = attended_edges("GATLayer", edges, n, None, None)
    weight = build("gat").attention(v, found)[:, 0].view(n, n)  # all pairs, sorted by target
    assert len(set(weight.argmax(1).tolist())) == 1


@given(adjacencies(is_directed=True), st.sampled_from(["sum", "mean", "max"]))
def test_message_passing_is_a_loop_over_edges(A, aggregate):
    x, n = features(len(A)), len(A)
    attr = torch.arange(edges_of(A).shape[1], dtype=torch.float64)[:, None]
    found = message_passing(
        x, edges_of(A), edge_attr=attr, aggregate=aggregate,
        message=lambda x_i, x_j, edge: x_j * edge + x_i, update=lambda x, m: m - x,
    )  # fmt: skip
    source, target = edges_of(A)
    for i in range(n):
        sent = [x[source[k]] * attr[k] + x[i] for k in range(len(source)) if target[k] == i]
        one = {"sum": lambda s: s.sum(0), "mean": lambda s: s.mean(0), "max": lambda s: s.amax(0)}
        gathered = one[aggregate](torch.stack(sent)) if sent else torch.zeros(3).double()
        torch.testing.assert_close(found[i], gathered - x[i])


def test_a_batch_of_graphs_is_its_graphs_one_by_one():
    A, B = torch.ones(3, 3) - torch.eye(3), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    x = features(5)
    edges = torch.cat([edges_of(A), edges_of(B) + 3], 1)
    for name in LAYERS:
        layer = build(name)
        parts = torch.cat([layer(x[:3], edges_of(A)), layer(x[3:], edges_of(B))])
        torch.testing.assert_close(layer(x, edges), parts)
    pooled = pool_nodes(x, torch.tensor([0, 0, 0, 1, 1]), pooling="max")
    torch.testing.assert_close(pooled, torch.stack([x[:3].amax(0), x[3:].amax(0)]))


def test_layers_of_depth_k_are_zero_beyond_k_steps():
    path = torch.diag(torch.ones(7), 1) + torch.diag(torch.ones(7), -1)
    x = features(8).requires_grad_()
    h = build("gin")(x, edges_of(path))
    (gradient,) = torch.autograd.grad(h[0].sum(), x)
    assert bool((gradient[2:] == 0).all())
    assert bool((gradient[1] != 0).any())


@given(adjacencies(), st.floats(0.0, 0.9))
def test_dropping_edges_keeps_both_directions_or_none(A, share):
    kept = drop_edge(edges_of(A), share, generator=torch.Generator().manual_seed(0))
    B = torch.zeros_like(A)
    B[kept[1], kept[0]] = 1.0
    torch.testing.assert_close(B, B.T)
    assert bool((B <= A).all())
    if share == 0.0:
        torch.testing.assert_close(kept, edges_of(A))


def test_pair_norm_holds_the_total_distance():
    y = PairNorm(scale=2.0)(features(7) * torch.tensor([1.0, 50.0, 0.1]))
    total = (y[:, None] - y[None]).square().sum()
    torch.testing.assert_close(total, torch.tensor(2 * 7**2 * 2.0**2).double())
    assert PairNorm()(torch.ones(3, 2)).isfinite().all()


def test_edge_softmax_of_large_scores_is_finite():
    weights = edge_softmax(torch.tensor([1e4, 1e4 - 1, -1e4]), torch.tensor([0, 0, 1]), 3)
    torch.testing.assert_close(weights, torch.tensor([0.7311, 0.2689, 1.0]), rtol=0, atol=1e-4)


@pytest.mark.parametrize("pooling", ["sum", "mean", "max", "min"])
def test_padding_changes_no_set(pooling):
    x = features(4)[None]
    padded = torch.cat([x, torch.full((1, 3, 3), 99.0).double()], 1)
    is_real = torch.tensor([[True] * 4 + [False] * 3])
    torch.testing.assert_close(pool_sets(padded, is_real, pooling=pooling), pool_sets(x, pooling=pooling))  # fmt: skip
    empty = pool_sets(padded, torch.zeros(1, 7, dtype=torch.bool), pooling=pooling)
    assert bool((empty == 0).all())


def test_mistakes_are_refused():
    edges = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(InvalidValue, match=r"edge_attr must have shape \(2, 4\), got None"):
        GATLayer(3, 2, edge_dim=4)(features(2).float(), edges)
    with pytest.raises(InvalidValue, match="aggregate must be one of"):
        SAGELayer(3, 2, aggregate="median")
    with pytest.raises(InvalidValue, match="x must be dense or in compressed sparse rows"):
        GCNLayer(3, 2)(features(2).float().to_sparse_coo(), edges)
    with pytest.raises(InvalidValue, match="dropout must be from 0 to below 1, got 1"):
        drop_edge(edges, 1.0)
