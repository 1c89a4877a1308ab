"""Networks on graphs: their formulas, what they may not depend on, and what they learn."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import APPNP, GAT, GCN, GIN, SGC, ChebNet, GATv2, GraphClassifier, GraphSAGE
from gradatim.nn import coupling_matrix
from gradatim.randomness import seeded
from gradatim.training import Trainer

STACKS = {"GCN": GCN, "GraphSAGE": GraphSAGE, "GIN": GIN, "ChebNet": ChebNet}
MODELS = {
    **{name: lambda model=model: model(4, 8, 3) for name, model in STACKS.items()},
    "GAT": lambda: GAT(4, 8, 3, num_heads=2),
    "GATv2": lambda: GATv2(4, 8, 3, num_heads=4, last_heads=2),
    "SGC": lambda: SGC(4, 3),
    "APPNP": lambda: APPNP(4, 8, 3),
    "deep": lambda: GCN(4, 8, 3, num_layers=4, residual=True, jumping="concatenate"),
    "max": lambda: GraphSAGE(4, 8, 3, num_layers=3, jumping="max", aggregate="max"),
}
EDGES = torch.tensor([[0, 1, 1, 2, 3, 4, 4, 2], [1, 0, 2, 1, 4, 3, 2, 4]])


def build(name):
    with seeded(0):
        return MODELS[name]().double().eval()


def features(n=6):
    return torch.randn(n, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(n))


@pytest.mark.parametrize("name", MODELS)
def test_renaming_nodes_renames_outputs(name):
    model, x = build(name), features()
    order = torch.tensor([4, 2, 0, 5, 1, 3])
    place = order.argsort()
    torch.testing.assert_close(model(x[order], place[EDGES]), model(x, EDGES)[order])


@pytest.mark.parametrize("name", MODELS)
def test_sparse_features_give_the_same_in_training_and_after(name):
    model, x = build(name), features() * (features() > 0)
    torch.testing.assert_close(model(x.to_sparse_csr(), EDGES), model(x, EDGES))
    model.train()
    with seeded(3):
        out = model(x.to_sparse_csr(), EDGES)
    out.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_two_layers_are_the_formula():
    model, x = build("GCN"), features()
    A = coupling_matrix(EDGES, 6).to_dense().double()
    first, second = model.layers
    h = torch.relu(A @ x @ first.linear.weight.T + first.bias)
    torch.testing.assert_close(model(x, EDGES), A @ h @ second.linear.weight.T + second.bias, rtol=1e-6, atol=1e-6)  # fmt: skip


def test_simple_graph_convolution_is_a_power_of_the_coupling():
    model, x = build("SGC"), features()
    A = coupling_matrix(EDGES, 6).to_dense().double()
    torch.testing.assert_close(model(x, EDGES), A @ A @ x @ model.linear.weight.T + model.bias, rtol=1e-6, atol=1e-6)  # fmt: skip


def test_many_steps_of_propagation_are_personalized_pagerank():
    with seeded(0):
        model = APPNP(4, 8, 3, steps=400, alpha=0.2).double().eval()
    x = features()
    A = coupling_matrix(EDGES, 6).to_dense().double()
    first, second = model.layers
    h = second(torch.relu(first(x)))
    exact = 0.2 * torch.linalg.solve(torch.eye(6).double() - 0.8 * A, h)
    torch.testing.assert_close(model(x, EDGES), exact, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_outputs_depend_on_near_nodes_only(name):
    """Node 5 stands alone, so nothing is heard of it."""
    model, x = build(name), features()
    other = x.clone()
    other[5] += 1.0
    torch.testing.assert_close(model(other, EDGES)[:5], model(x, EDGES)[:5], rtol=0, atol=0)


def test_whole_graphs_do_not_depend_on_the_order_of_nodes():
    with seeded(0):
        model = GraphClassifier(GIN(4, 8, 8), 8, 2).double().eval()
    x, batch = features(), torch.tensor([0, 0, 0, 0, 0, 1])
    order = torch.tensor([4, 2, 0, 3, 1, 5])
    expected = model(x, EDGES, batch)
    torch.testing.assert_close(model(x[order], order.argsort()[EDGES], batch), expected)
    torch.testing.assert_close(model(x[5:], torch.zeros(2, 0, dtype=torch.long)), expected[1:])


def test_a_network_learns_two_blocks_from_two_labels():
    """Features say nothing; neighbours say all."""
    A = torch.block_diag(torch.ones(10, 10), torch.ones(10, 10)) - torch.eye(20)
    A[0, 10] = A[10, 0] = 1.0
    edges, y = A.nonzero().T, torch.arange(20) // 10
    with seeded(0):
        model = GCN(20, 8, 2, dropout=0.0)
    labelled = torch.tensor([3, 13])

    class OnLabels(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, places):
            return self.model(torch.eye(20), edges)[places]

    Trainer(OnLabels(), lr=0.05, epochs=60, seed=0).fit((labelled, y[labelled]))
    assert bool((model.eval()(torch.eye(20), edges).argmax(1) == y).all())


def test_mistakes_are_refused():
    with pytest.raises(
        InvalidValue, match="GAT: hidden_dim must be divisible by num_heads, got 9 and 2"
    ):
        GAT(4, 9, 3, num_heads=2)
    with pytest.raises(InvalidValue, match="GCN: jumping must be one of"):
        GCN(4, 8, 3, jumping="first")
    with pytest.raises(InvalidValue, match="GIN: dropout must be from 0 to below 1, got 1"):
        GIN(4, 8, 3, dropout=1.0)
    with pytest.raises(InvalidValue, match="APPNP: alpha must be from 0 to 1, got 2"):
        APPNP(4, 8, 3, alpha=2.0)
