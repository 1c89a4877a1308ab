"""Frequencies of hidden, replaced and kept tokens."""

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import mask_tokens
from gradatim.errors import InvalidValue


def draw(seed=0, share=0.15):
    tokens = torch.arange(400_000).view(400, 1000) % 95 + 5
    tokens[:, 0], tokens[:, -1] = 2, 3
    generator = torch.Generator().manual_seed(seed)
    hidden = mask_tokens(
        tokens, vocab_size=100, mask=4, specials=(0, 2, 3), share=share, generator=generator
    )
    return tokens, hidden.inputs, hidden.targets


def test_frequencies():
    """15 % are chosen; of these 80 % are hidden, 10 % replaced by any of 100 tokens, 10 % stay. Five deviations each."""
    tokens, inputs, targets = draw()
    chosen = targets != -100
    n = tokens[:, 1:-1].numel()
    assert chosen.sum().item() == pytest.approx(0.15 * n, abs=5 * (n * 0.15 * 0.85) ** 0.5)
    m = chosen.sum().item()
    is_hidden = (inputs == 4)[chosen].sum().item()
    is_kept = (inputs == tokens)[chosen].sum().item()
    slack = 5 * (m * 0.2) ** 0.5 * 0.9
    assert is_hidden == pytest.approx(
        m * (0.8 + 0.1 / 100), abs=slack
    )  # a random token may be [MASK]
    assert is_kept == pytest.approx(m * (0.1 + 0.1 / 100), abs=slack)
    replaced = inputs[chosen & (inputs != tokens) & (inputs != 4)]
    counts = torch.bincount(replaced, minlength=100).double()
    counts = counts[torch.arange(100) != 4]
    assert counts.min() > 0  # every other token, special ones too
    expected = counts.mean().item()
    assert (counts - expected).abs().max() < 5 * expected**0.5


def test_nothing_else_changes():
    tokens, inputs, targets = draw(seed=1)
    chosen = targets != -100
    assert torch.equal(inputs[~chosen], tokens[~chosen])
    assert torch.equal(targets[chosen], tokens[chosen])
    assert not chosen[:, 0].any()
    assert not chosen[:, -1].any()
    assert all(torch.equal(a, b) for a, b in zip(draw(seed=1), draw(seed=1), strict=True))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.floats(0.01, 1.0))
def test_targets_tell_the_truth(values, share):
    tokens = torch.tensor([values])
    inputs, targets = mask_tokens(tokens, vocab_size=10, mask=4, specials=(0, 4), share=share)
    assert torch.equal(torch.where(targets == -100, inputs, targets), tokens)
    assert ((targets == -100) | ((tokens != 0) & (tokens != 4))).all()
    if share == 1.0:
        assert ((targets != -100) == ((tokens != 0) & (tokens != 4))).all()


def test_refuses_by_message():
    tokens = torch.zeros(1, 1, dtype=torch.long)
    with pytest.raises(ValueError, match=re.escape("share must be in (0, 1], got 0.0. Try 0.15.")):
        mask_tokens(tokens, vocab_size=5, mask=4, share=0.0)
    with pytest.raises(ValueError, match="mask must be from 0 to 4, got 5"):
        mask_tokens(tokens, vocab_size=5, mask=5)


def test_other_shares():
    tokens = torch.arange(5, 95).repeat(200, 20)
    asked = {
        "vocab_size": 100,
        "mask": 4,
        "share": 1.0,
        "generator": torch.Generator().manual_seed(0),
    }
    assert (mask_tokens(tokens, hidden=1.0, replaced=0.0, **asked).inputs == 4).all()
    assert torch.equal(mask_tokens(tokens, hidden=0.0, replaced=0.0, **asked).inputs, tokens)
    inputs = mask_tokens(tokens, hidden=0.3, replaced=0.5, **asked).inputs
    n = tokens.numel()
    assert (inputs == 4).sum().item() == pytest.approx(
        n * (0.3 + 0.5 / 100), abs=5 * (n / 4) ** 0.5
    )
    assert (inputs == tokens).sum().item() == pytest.approx(
        n * (0.2 + 0.5 / 100), abs=5 * (n / 4) ** 0.5
    )


@pytest.mark.parametrize(("hidden", "replaced"), [(0.8, 0.3), (-0.1, 0.1), (0.5, -0.1)])
def test_shares_that_are_none(hidden, replaced):
    with pytest.raises(
        InvalidValue,
        match=r"^mask_tokens: hidden and replaced must be shares whose sum is at most 1",
    ):
        mask_tokens(torch.ones(1, 2).long(), vocab_size=9, mask=4, hidden=hidden, replaced=replaced)
