from itertools import groupby, product

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.losses import ctc_loss


def by_enumeration(log_probs, labels):
    T, K = log_probs.shape
    total = 0.0
    for path in product(range(K), repeat=T):
        if tuple(label for label, _ in groupby(path) if label) == labels:
            total += log_probs[range(T), path].sum().exp().item()
    return total


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 9999), data=st.data())
def test_the_loss_is_the_sum_over_paths(seed, data):
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(2, 5, 3, generator=generator, dtype=torch.float64).log_softmax(-1)
    labels = [data.draw(st.lists(st.integers(1, 2), min_size=1, max_size=2)) for _ in range(2)]
    lengths = torch.tensor([5, 4])
    target = torch.tensor([[*row, 2, 2][:2] for row in labels])  # padded with a label
    sizes = torch.tensor([len(row) for row in labels])
    expected = sum(
        -torch.log(torch.tensor(by_enumeration(log_probs[b, : lengths[b]], tuple(labels[b]))))
        for b in range(2)
    )
    assert ctc_loss(log_probs, lengths, target, sizes).item() == pytest.approx(
        expected.item() / 2, rel=1e-6
    )


def test_the_gradient():
    logits = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    target, sizes = torch.tensor([[1, 2], [2, 0]]), torch.tensor([2, 1])

    def loss(x):
        return ctc_loss(x.log_softmax(-1), torch.tensor([4, 3]), target, sizes)

    # PyTorch's kernel returns the gradient for normalized log-probabilities, hence the softmax
    assert torch.autograd.gradcheck(loss, (logits,), atol=1e-6)


@pytest.mark.parametrize(
    ("target", "size", "frames", "need"), [([1, 2, 1], 3, 2, 3), ([1, 1, 2], 3, 3, 4), ([2, 2, 2], 2, 2, 3)]
)  # fmt: skip
def test_a_target_that_does_not_fit_is_refused(target, size, frames, need):
    with pytest.raises(InvalidValue, match=f"got {frames} frames for {need} in row 1"):
        ctc_loss(
            torch.zeros(2, 4, 3),
            torch.tensor([4, frames]),
            torch.tensor([[1, 2, 0], target]),
            torch.tensor([1, size]),
        )


def test_what_just_fits_is_finite():
    log_probs = torch.zeros(1, 3, 3).log_softmax(-1)
    assert ctc_loss(log_probs, None, torch.tensor([[1, 1]]), torch.tensor([2])).isfinite()
    assert ctc_loss(log_probs, None, torch.tensor([[2]]), torch.tensor([1])).isfinite()


def sample_batch(K=5):
    generator = torch.Generator().manual_seed(0)
    log_probs = torch.randn(3, 9, K, generator=generator).double().log_softmax(-1)
    lengths, sizes = torch.tensor([9, 7, 8]), torch.tensor([3, 1, 2])
    return log_probs, lengths, sizes


@pytest.mark.parametrize("blank", [0, 2, 4])
@pytest.mark.parametrize(("ours", "theirs"), [("label", "mean"), ("sum", "sum"), ("none", "none")])
def test_reductions_and_blanks_are_pytorchs(blank, ours, theirs):
    log_probs, lengths, sizes = sample_batch()
    labels = [k for k in range(5) if k != blank]
    target = torch.tensor(
        [[labels[0], labels[1], labels[1]], [labels[3]] * 3, [labels[2], labels[0], 0]]
    )
    found = ctc_loss(log_probs, lengths, target, sizes, blank=blank, reduction=ours)
    expected = F.ctc_loss(
        log_probs.transpose(0, 1), target, lengths, sizes, blank=blank, reduction=theirs
    )
    torch.testing.assert_close(found, expected)


def test_a_bad_blank_or_reduction_is_refused():
    log_probs, lengths, sizes = sample_batch()
    target = torch.ones(3, 3, dtype=torch.long)
    with pytest.raises(InvalidValue, match="blank must be a place from 0 to 4, got 5"):
        ctc_loss(log_probs, lengths, target, sizes, blank=5)
    with pytest.raises(InvalidValue, match=r"reduction must be one of .*, got 'mean'"):
        ctc_loss(log_probs, lengths, target, sizes, reduction="mean")
