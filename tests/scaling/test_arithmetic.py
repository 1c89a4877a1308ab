"""Arithmetic of a token: published utilizations, and PyTorch's own count of a GPT here."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from gradatim.errors import InvalidValue
from gradatim.models import GPT
from gradatim.scaling import flops_per_token, peak_share


@pytest.mark.parametrize(
    ("parameters", "num_layers", "dim", "speed", "percent"),
    [(8.03e9, 32, 4096, 2904, 56.8), (70.55e9, 80, 8192, 331, 51.7)],
)
def test_utilizations_of_torchtitan(parameters, num_layers, dim, speed, percent):
    """Llama 3 on 64 A100, 8,192 positions."""
    flops = flops_per_token(parameters, num_layers, dim, 8192)
    assert round(100 * peak_share(speed, flops, 312e12), 1) == percent


def test_what_pytorch_counts():
    """Products with weights, and attention without its mask, as the formula counts it."""
    vocab, context, dim, layers = 40, 32, 48, 3
    model = GPT(vocab, context=context, dim=dim, num_heads=4, num_layers=layers)
    tokens = torch.randint(vocab, (2, context))
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        model(tokens).float().sum().backward()
    matrices = sum(p.numel() for n, p in model.named_parameters() if p.ndim == 2 and "place" not in n)  # fmt: skip
    expected = flops_per_token(matrices, layers, dim, context) * tokens.numel()
    assert counter.get_total_flops() == pytest.approx(expected, rel=1e-12)


def test_without_attention_six_for_every_parameter():
    assert flops_per_token(10) == flops_per_token(10, 2, 3) == 60


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flops_per_token(10, 0, 1, 1), "num_layers must be a whole number from 1"),
        (lambda: peak_share(0, 1, 1), "tokens_per_second must be finite and above 0"),
        (lambda: peak_share(3, 1, 2), "tokens_per_second must be what the peak allows, got 3, where 2 would be all of it"),
    ],
)  # fmt: skip
def test_messages(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
