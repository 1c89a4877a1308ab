"""Lottery tickets: exact sparsities, weights that go back, masks that only grow."""

from itertools import pairwise

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.models import MLP
from gradatim.nn import apply_masks, bake_weights
from gradatim.training import Trainer, find_tickets

X, Y = torch.randn(60, 4, generator=torch.Generator().manual_seed(0)), torch.arange(60) % 3


def weights(model):
    return [layer.weight.detach().clone() for layer in model if isinstance(layer, nn.Linear)]


def test_rounds():
    torch.manual_seed(0)
    model = MLP((4, 10, 3))  # 70 weights
    first = weights(model)
    seen = []

    def train(network):
        seen.append(weights(network))
        Trainer(network, lr=0.05, epochs=3, batch_size=20).fit((X, Y))
        return float(len(seen))

    tickets = find_tickets(model, train, rounds=3, rate=0.3)
    assert [t.score for t in tickets] == [1, 2, 3, 4]
    assert [t.sparsity for t in tickets] == [round((1 - 0.7**r) * 70) / 70 for r in range(4)]
    for ticket, start in zip(tickets, seen, strict=True):
        for value, origin, mask in zip(start, first, ticket.masks.values(), strict=True):
            assert torch.equal(value, origin * mask)  # back to the first weights
    for before, after in pairwise(tickets):
        assert all((after.masks[name] <= before.masks[name]).all() for name in after.masks)
    fresh = MLP((4, 10, 3))
    fresh.load_state_dict(tickets[-1].start)
    apply_masks(fresh, tickets[-1].masks)
    assert all(torch.equal(a, b) for a, b in zip(weights(fresh), seen[-1], strict=True))
    bake_weights(model)
    assert set(model.state_dict()) == set(tickets[0].start)


def test_warm_up_moves_the_point_to_rewind_to():
    def warm_up(network):
        with torch.no_grad():
            network.weight += 5

    seen = []
    find_tickets(
        nn.Linear(4, 4),
        lambda m: seen.append(m.weight.detach().clone()) or 0.0,
        rounds=1,
        warm_up=warm_up,
    )
    assert seen[0].min() > 4
    kept = seen[1] != 0
    assert torch.equal(seen[1][kept], seen[0][kept])


def test_errors():
    with pytest.raises(GradatimError, match=r"rate must be in \(0, 1\), got 1"):
        find_tickets(nn.Linear(2, 2), lambda m: 0.0, rate=1)
    with pytest.raises(GradatimError, match="rounds must be at least 0, got -1"):
        find_tickets(nn.Linear(2, 2), lambda m: 0.0, rounds=-1)
