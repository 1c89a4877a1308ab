"""Networks on sets and point clouds."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import (
    DeepSets,
    EquivariantDeepSets,
    PointNet,
    PointNetSegmenter,
    orthogonality_penalty,
)
from gradatim.models.pointnet import TNet
from gradatim.randomness import seeded

POOLINGS = ("sum", "mean", "max", "min", "attention")


def build(make):
    with seeded(0):
        return make().double().eval()


def clouds(points=7, width=3):
    return torch.randn(2, points, width, dtype=torch.float64, generator=torch.Generator().manual_seed(0))  # fmt: skip


ORDER = torch.tensor([3, 0, 6, 1, 5, 2, 4])


@pytest.mark.parametrize("pooling", POOLINGS)
def test_the_order_of_a_set_plays_no_part(pooling):
    model, x = build(lambda: DeepSets(3, 8, 2, pooling=pooling)), clouds()
    torch.testing.assert_close(model(x[:, ORDER]), model(x))
    padded = torch.cat([x, torch.full((2, 2, 3), 9.0).double()], 1)
    is_real = torch.arange(9) < torch.tensor([[7], [7]])
    torch.testing.assert_close(model(padded, is_real), model(x))


@pytest.mark.parametrize("pooling", POOLINGS)
def test_elements_are_answered_in_their_order(pooling):
    model, x = build(lambda: EquivariantDeepSets(3, 8, 2, pooling=pooling)), clouds()
    torch.testing.assert_close(model(x[:, ORDER]), model(x)[:, ORDER])


def test_sums_count_where_means_and_maxima_do_not():
    x = clouds()[:, :1]
    twice = x.expand(-1, 2, -1)
    for pooling in ("mean", "max", "min", "attention"):
        model = build(lambda pooling=pooling: DeepSets(3, 8, 2, pooling=pooling))
        torch.testing.assert_close(model(twice), model(x))
    model = build(lambda: DeepSets(3, 8, 2))
    assert not torch.allclose(model(twice), model(x))


def test_a_deep_set_is_its_formula():
    model, x = build(lambda: DeepSets(3, 8, 2)), clouds()
    by_hand = torch.stack([model.readout(sum(model.element(point) for point in cloud)) for cloud in x])  # fmt: skip
    torch.testing.assert_close(model(x), by_hand)


def test_the_pooled_row_may_be_narrower_than_the_layers():
    model, x = build(lambda: DeepSets(3, 8, 2, latent_dim=1)), clouds()
    assert model.element(x).sum(1).shape == (2, 1)
    assert sum(p.numel() for p in model.parameters()) == (3 * 8 + 8) + (8 + 1) + (8 + 8) + (8 * 2 + 2)  # fmt: skip
    torch.testing.assert_close(model(x), model.readout(model.element(x).sum(1)))
    with pytest.raises(InvalidValue, match="DeepSets: latent_dim must be"):
        DeepSets(3, 8, 2, latent_dim=0)


def test_point_networks_are_invariant_and_equivariant():
    x = clouds()
    classifier = build(lambda: PointNet(4, dims=(8, 16)))
    torch.testing.assert_close(classifier(x[:, ORDER]), classifier(x))
    segmenter = build(lambda: PointNetSegmenter(4, dims=(8, 16)))
    torch.testing.assert_close(segmenter(x[:, ORDER]), segmenter(x)[:, ORDER])


def test_a_t_net_starts_as_the_identity_and_its_penalty_at_zero():
    net, x = build(lambda: TNet(3, (8, 16))), clouds()
    torch.testing.assert_close(net(x), torch.eye(3).double().expand(2, 3, 3))
    logits, penalty = build(lambda: PointNet(4, dims=(8, 16)))(x, with_penalty=True)
    assert logits.shape == (2, 4)
    torch.testing.assert_close(penalty, torch.zeros(()).double())


def test_the_penalty_is_zero_for_rotations_and_reflections_only():
    turn = torch.linalg.qr(clouds(3)[0])[0]
    torch.testing.assert_close(orthogonality_penalty(turn[None]), torch.zeros(()).double())
    twice = orthogonality_penalty(2 * turn[None])  # ‖I − 4I‖² = 27
    torch.testing.assert_close(twice, torch.tensor(27.0).double())


def test_mistakes_are_refused():
    with pytest.raises(InvalidValue, match="pooling must be one of"):
        DeepSets(3, 8, 2, pooling="median")
    with pytest.raises(
        InvalidValue, match="PointNet: dims must be at least two widths of 2 or more"
    ):
        PointNet(3, dims=(8,))
