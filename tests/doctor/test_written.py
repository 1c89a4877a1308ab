"""Softmax and likelihoods written out by hand are read from the graph like PyTorch's own."""

import pytest
import torch
from torch import nn

from gradatim.doctor import watch


def run(loss_of, out=3):
    torch.manual_seed(0)
    X = torch.randn(128, 4)
    y = (X[:, 0] > 0).long() + (X[:, 1] > 0).long()
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, out))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with watch() as seen:
        for _ in range(40):
            optimizer.zero_grad()
            loss_of(model(X), y).backward()
            optimizer.step()
    return [f.code for f in seen.diagnosis.findings if f.severity != "note"]


def picked(log_p, y):
    return -log_p[range(len(y)), y].mean()


@pytest.mark.parametrize(
    ("log_softmax", "wrong"),
    [
        (lambda z: z - z.exp().sum(0).log(), True),
        (lambda z: z - z.logsumexp(0), True),
        (lambda z: (z.exp() / z.exp().sum(0)).log(), True),
        (lambda z: z - z.exp().sum(1, keepdim=True).log(), False),
        (lambda z: z - z.logsumexp(1, keepdim=True), False),
        (lambda z: (z.exp() / z.exp().sum(1, keepdim=True)).log(), False),
    ],
)
def test_the_axis_of_a_softmax_by_hand(log_softmax, wrong):
    found = run(lambda z, y: picked(log_softmax(z), y))
    assert found[:1] == (["loss.softmax-axis"] if wrong else [])


@pytest.mark.parametrize(("sign", "found"), [(1, ["loss.sign"]), (-1, [])])
def test_a_likelihood_that_is_made_small(sign, found):
    def loss(z, y):
        law = torch.distributions.Normal(z[:, 0], z[:, 1].clamp(-3, 3).exp())
        return sign * law.log_prob(y.float()).mean()

    assert run(loss, out=2)[:1] == found
