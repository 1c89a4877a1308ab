"""The fused rules are PyTorch's; vectors begin where kernels are fast."""

import pytest
import torch
from torch.optim import SGD, Adam, AdamW, RMSprop

from gradatim.training.engines.fused import ALIGNMENT, aligned_starts, fused_rule, moments_of


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Adam, {}),
        (Adam, {"betas": (0.5, 0.9), "eps": 1e-3}),
        (AdamW, {"weight_decay": 0.3}),
        (SGD, {"weight_decay": 0.1}),
        (SGD, {"momentum": 0.9}),
        (SGD, {"momentum": 0.9, "nesterov": True}),
        (SGD, {"momentum": 0.9, "dampening": 0.5}),
    ],
)
def test_equals_the_optimizer_step_by_step(kind, options):
    parameter = torch.nn.Parameter(torch.randn(20, dtype=torch.float64))
    theirs = kind([parameter], lr=0.1, **options)
    settings = theirs.param_groups[0]
    values = parameter.detach().clone()
    moments = [torch.zeros_like(values) for _ in moments_of(kind, settings)]
    for step in range(4):
        parameter.grad = torch.randn(20, dtype=torch.float64)
        theirs.step()
        fused_rule(kind)(
            [[values], [parameter.grad], *([m] for m in moments)],
            [torch.tensor(step + 1.0)],
            settings,
            lr=0.1,
            weight_decay=settings["weight_decay"],
            is_first=step == 0,
        )
        torch.testing.assert_close(values, parameter.detach())


def test_moments_are_those_of_the_settings():
    assert moments_of(Adam, {}) == ("exp_avg", "exp_avg_sq")
    assert moments_of(SGD, {"momentum": 0.9}) == ("momentum_buffer",)
    assert moments_of(SGD, {"momentum": 0}) == ()
    assert moments_of(RMSprop, {}) == ()


def test_starts_are_aligned_and_do_not_overlap():
    sizes = [1, 16, 17, 0, 5]
    starts, total = aligned_starts(sizes)
    assert all(start % ALIGNMENT == 0 for start in starts)
    ends = [start + size for start, size in zip(starts, sizes, strict=True)]
    assert all(end <= start for end, start in zip(ends, [*starts[1:], total], strict=True))
    assert aligned_starts([]) == ([], 0)
