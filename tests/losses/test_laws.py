"""Laws of every public loss of an output and a target: it sees the model, and stretches nothing."""

from functools import partial

import pytest
import torch

from gradatim import losses
from gradatim.errors import GradatimError
from gradatim.training.loss_sight import RefuseBroadcast

ROWS = 6
NUMBERS, CLASSES = torch.linspace(0.1, 0.9, ROWS), torch.arange(ROWS) % 3
ODDS = torch.linspace(-1, 2, 3 * ROWS).view(ROWS, 3)
LOSSES = {
    **{name: (losses.LOSSES[name], (ROWS, 1), NUMBERS) for name in ("mse", "sse", "mae", "huber")},
    "bce": (losses.bce, (ROWS, 1), NUMBERS.round()),
    "perceptron": (losses.perceptron, (ROWS, 3), CLASSES),
    "cross_entropy": (losses.cross_entropy, (ROWS, 3), CLASSES),
    "pinball_loss": (losses.pinball_loss, (ROWS, 1), NUMBERS),
    "focal": (losses.focal, (ROWS, 3), CLASSES),
    "smoothed_cross_entropy": (losses.smoothed_cross_entropy(), (ROWS, 3), CLASSES),
    "token_cross_entropy": (losses.token_cross_entropy, (ROWS, 4, 3), CLASSES[:, None].expand(-1, 4)),
    "quantile_loss": (losses.quantile_loss((0.1, 0.9)), (ROWS, 2), NUMBERS),
    "gaussian_likelihood": (
        lambda output, target: losses.gaussian_likelihood(output.exp(), target), (ROWS, 2), NUMBERS
    ),
    "tempered_cross_entropy": (losses.tempered_cross_entropy, (ROWS, 3), ODDS),
    "negative_sampling": (losses.negative_sampling, (ROWS, 3), torch.eye(3)[CLASSES]),
    "dice_loss": (losses.dice_loss, (ROWS, 3), CLASSES),
    "dice_cross_entropy": (losses.dice_cross_entropy(), (ROWS, 3), CLASSES),
    "distillation_loss": (
        partial(losses.distillation_loss, teacher=ODDS), (ROWS, 3), CLASSES
    ),
}  # fmt: skip
OTHERS = {
    "LOSSES", "Loss", "align", "build_loss", "over_members",  # no losses
    "absolute_weight", "penalized", "weight_energy",  # of weights
    "smooth_labels", "uniform_confusion",  # of labels
    "ctc_loss", "span_cross_entropy", "comparison_loss", "dpo_loss", "policy_loss",  # of more than two tensors
}  # fmt: skip


def apply(loss, output, target):
    if isinstance(loss, partial) and loss.func is losses.distillation_loss:
        return loss(output, target=target)
    return loss(output, target)


def test_every_loss_is_here():
    assert set(losses.__all__) == set(LOSSES) | OTHERS


@pytest.mark.parametrize("name", LOSSES)
def test_it_sees_the_model_and_stretches_nothing(name):
    loss, shape, target = LOSSES[name]
    output = torch.randn(shape, generator=torch.Generator().manual_seed(0), requires_grad=True)
    with RefuseBroadcast(output, target):
        value = apply(loss, output, target)
    (gradient,) = torch.autograd.grad(value, output)
    assert gradient.any()
    assert value.shape == ()


@pytest.mark.parametrize("name", LOSSES)
def test_one_output_is_seen_or_refused(name):
    loss, shape, target = LOSSES[name]
    output = torch.randn((*shape[:-1], 1), generator=torch.Generator().manual_seed(1))
    output.requires_grad_()
    target = target[..., :1] if name == "tempered_cross_entropy" else target
    try:
        value = apply(loss, output, target)
    except (GradatimError, RuntimeError, ValueError):
        return
    (gradient,) = torch.autograd.grad(value, output)
    assert gradient.any()
