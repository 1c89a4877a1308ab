"""The blocked run of a linear system is the step-by-step run."""

import pytest
import torch

from gradatim.timeseries.linear_response import BLOCK, respond


def seeded(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).double()


@pytest.mark.parametrize("steps", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 100])
def test_against_a_loop(steps):
    F, G, H, D = 0.4 * seeded(3, 3), seeded(3, 2), seeded(4, 3), seeded(4, 2)
    v, x = seeded(5, steps, 2), seeded(5, 3)
    found = respond(F, G, H, D, v, x)
    for t in range(steps):
        torch.testing.assert_close(found[:, t], x @ H.T + v[:, t] @ D.T)
        x = x @ F.T + v[:, t] @ G.T


def test_gradient():
    parts = [
        0.3 * seeded(2, 2),
        seeded(2, 1),
        seeded(1, 2),
        seeded(1, 1),
        seeded(2, 20, 1),
        seeded(2, 2),
    ]
    torch.autograd.gradcheck(respond, [part.requires_grad_() for part in parts])
