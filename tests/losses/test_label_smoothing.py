"""Label smoothing against PyTorch, against a loop, and at its optimum."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import GradatimError
from gradatim.losses import build_loss, smooth_labels, smoothed_cross_entropy, uniform_confusion

CONFUSION = torch.tensor([[0.8, 0.2, 0.0], [0.1, 0.6, 0.3], [0.0, 0.0, 1.0]], dtype=torch.float64)


@given(smoothing=st.floats(0, 1), classes=st.integers(2, 6), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_uniform_confusion_is_the_smoothing_of_pytorch(smoothing, classes, seed):
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(5, classes, generator=generator)
    y = torch.randint(classes, (5,), generator=generator)
    expected = F.cross_entropy(z, y, label_smoothing=smoothing)
    torch.testing.assert_close(smoothed_cross_entropy(smoothing)(z, y), expected)
    general = smoothed_cross_entropy(confusion=uniform_confusion(classes, smoothing))
    torch.testing.assert_close(general(z, y), expected)


def test_a_general_matrix_in_a_slow_loop():
    z = torch.tensor([[1.0, -1.0, 0.5], [0.2, 0.0, 3.0]], dtype=torch.float64)
    y = torch.tensor([1, 0])
    log_p = torch.log_softmax(z, 1)
    slow = -sum(CONFUSION[y[i], k] * log_p[i, k] for i in range(2) for k in range(3)) / 2
    torch.testing.assert_close(smoothed_cross_entropy(confusion=CONFUSION)(z, y), slow)


def test_the_optimum_is_the_row_of_the_matrix():
    z = torch.zeros(1, 3, dtype=torch.float64, requires_grad=True)
    loss = smoothed_cross_entropy(confusion=CONFUSION)
    z.data = CONFUSION[1].log()[None]
    (gradient,) = torch.autograd.grad(loss(z, torch.tensor([1])), z)
    torch.testing.assert_close(gradient, torch.zeros_like(gradient))


def test_one_hot_probabilities_and_labels_agree_and_mixtures_mix():
    labels = torch.tensor([0, 2, 1])
    one_hot = F.one_hot(labels, 3).double()
    torch.testing.assert_close(smooth_labels(labels, CONFUSION), smooth_labels(one_hot, CONFUSION))
    half = torch.tensor([[0.5, 0.5, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(smooth_labels(half, CONFUSION)[0], (CONFUSION[0] + CONFUSION[1]) / 2)


def test_by_name_it_is_a_tenth():
    z, y = torch.randn(4, 3), torch.tensor([0.0, 1.0, 2.0, 2.0])
    expected = F.cross_entropy(z, y.long(), label_smoothing=0.1)
    torch.testing.assert_close(build_loss("smoothed_cross_entropy")(z, y), expected)


def test_errors():
    with pytest.raises(GradatimError, match=r"smoothing must be in \[0, 1\], got 1.5"):
        smoothed_cross_entropy(1.5)
    with pytest.raises(GradatimError, match=r"square matrix, got shape \(2, 3\)"):
        smoothed_cross_entropy(confusion=torch.ones(2, 3))
    with pytest.raises(GradatimError, match=r"sum to 1, got row sums \[1.0, 0.9\]"):
        smooth_labels(torch.tensor([0]), torch.tensor([[1.0, 0.0], [0.4, 0.5]]))


def test_smoothing_beside_a_confusion_matrix_is_refused():
    with pytest.raises(GradatimError, match="smoothing must be left out beside confusion, got"):
        smoothed_cross_entropy(0.3, confusion=uniform_confusion(3, 0.2))
