"""Scores of pairs, against loops, and what directions mean."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import GCN, GraphSAGE, LinkPredictor
from gradatim.randomness import seeded

EDGES = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]])
PAIRS = torch.tensor([[0, 2, 3, 5, 1], [2, 0, 1, 5, 4]])


def build(**how):
    with seeded(0):
        model = LinkPredictor(GCN(3, 8, 4, dropout=0.0), 4, **how).double().eval()
        return model, 9 * torch.randn(6, 3, dtype=torch.float64)


def test_a_product_is_the_sum_over_features():
    model, x = build()
    z = model.encoder(x, EDGES).detach()
    expected = [sum(float(z[a, k] * z[b, k]) for k in range(4)) for a, b in PAIRS.T.tolist()]
    torch.testing.assert_close(model(x, EDGES, PAIRS), torch.tensor(expected, dtype=torch.float64))


def test_an_mlp_reads_the_product_of_the_two_nodes():
    model, x = build(decoder="mlp", is_directed=True)
    z = model.encoder(x, EDGES)
    first, _, last = model.readout
    for (a, b), found in zip(PAIRS.T.tolist(), model(x, EDGES, PAIRS), strict=True):
        product = (model.source.weight @ z[a]) * (model.target.weight @ z[b])
        expected = last.weight @ torch.relu(first.weight @ product + first.bias) + last.bias
        torch.testing.assert_close(found, expected[0])


@pytest.mark.parametrize("decoder", ["product", "mlp"])
def test_without_directions_both_orders_are_one_pair(decoder):
    model, x = build(decoder=decoder)
    assert model(x, EDGES, PAIRS).equal(model(x, EDGES, PAIRS.flip(0)))
    model, x = build(decoder=decoder, is_directed=True)
    there, back = model(x, EDGES, PAIRS), model(x, EDGES, PAIRS.flip(0))
    assert not torch.allclose(there[PAIRS[0] != PAIRS[1]], back[PAIRS[0] != PAIRS[1]])


def test_numbers_of_nodes_play_no_part():
    model, x = build(decoder="mlp")
    order = torch.tensor([3, 5, 0, 1, 4, 2])
    place = torch.argsort(order)
    torch.testing.assert_close(model(x[order], place[EDGES], place[PAIRS]), model(x, EDGES, PAIRS))


def test_gradients_are_those_of_differences():
    model, x = build(decoder="mlp", is_directed=True)
    assert torch.autograd.gradcheck(lambda x: model(x, EDGES, PAIRS), x.requires_grad_())


def test_weights_of_edges_reach_the_encoder():
    model, x = build()
    weight = torch.linspace(0.5, 2.0, 6, dtype=torch.float64)
    z = model.encoder(x, EDGES, weight)
    torch.testing.assert_close(model(x, EDGES, PAIRS, weight), (z[PAIRS[0]] * z[PAIRS[1]]).sum(1))


def test_refusals():
    encoder = GraphSAGE(3, 4, 4)
    with pytest.raises(InvalidValue, match="LinkPredictor: decoder must be one of"):
        LinkPredictor(encoder, 4, decoder="dot")
    with pytest.raises(InvalidValue, match="LinkPredictor: hidden_dim must be a whole number from 1"):  # fmt: skip
        LinkPredictor(encoder, 0)
    with pytest.raises(InvalidValue, match="LinkPredictor: edge_index must name nodes from 0 to 5, got 0 to 6"):  # fmt: skip
        build()[0](torch.randn(6, 3).double(), EDGES, torch.tensor([[0], [6]]))
