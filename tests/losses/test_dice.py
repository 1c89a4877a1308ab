import numpy as np
import pytest
import torch
import torch.nn.functional as F

from gradatim.errors import InvalidValue
from gradatim.losses import dice_cross_entropy, dice_loss

RNG = np.random.default_rng(0)
LOGITS, TRUTH = RNG.normal(size=(2, 3, 4, 5)), RNG.integers(0, 3, (2, 4, 5))


def by_definition(logits, truth, smooth):
    """Loops over classes and pixels in double precision."""
    batch, classes, *shape = logits.shape
    total = 0.0
    for k in range(classes):
        both = said = true = 0.0
        for b in range(batch):
            for at in np.ndindex(*shape):
                odds = np.exp(logits[(b, slice(None), *at)])
                p, t = odds[k] / odds.sum(), float(truth[(b, *at)] == k)
                both, said, true = both + p * t, said + p, true + t
        total += (2 * both + smooth) / (said + true + smooth)
    return 1 - total / classes


@pytest.mark.parametrize("smooth", [1e-6, 1.0, 10.0])
def test_the_definition(smooth):
    found = dice_loss(torch.tensor(LOGITS), torch.tensor(TRUTH), smooth=smooth)
    assert found.item() == pytest.approx(by_definition(LOGITS, TRUTH, smooth), rel=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_mixture(share):
    z, t = torch.tensor(LOGITS), torch.tensor(TRUTH)
    expected = share * by_definition(LOGITS, TRUTH, 1.0) + (1 - share) * F.cross_entropy(z, t)
    assert dice_cross_entropy(share)(z, t).item() == pytest.approx(expected.item(), rel=1e-12)


def test_a_sure_truth_is_free_and_a_sure_lie_costs_all():
    t = torch.tensor(TRUTH)
    sure = 50.0 * F.one_hot(t, 3).movedim(-1, 1).double()
    assert dice_loss(sure, t).item() == pytest.approx(0.0, abs=1e-12)
    assert dice_loss(sure, (t + 1) % 3, smooth=1e-9).item() == pytest.approx(1.0, abs=1e-9)


def test_a_class_that_never_shows_nor_is_said_costs_nothing():
    t = torch.zeros(1, 6, dtype=torch.long)
    sure = torch.tensor([50.0, -50.0, -50.0]).view(1, 3, 1).expand(1, 3, 6)
    assert dice_loss(sure, t).item() == pytest.approx(0.0, abs=1e-6)


def test_the_order_of_pixels_and_names_of_classes_play_no_part():
    z, t = torch.tensor(LOGITS), torch.tensor(TRUTH)
    order = torch.tensor([2, 0, 1])
    renamed = order.argsort()[t]
    for loss in (dice_loss, dice_cross_entropy(0.5)):
        whole = loss(z, t)
        torch.testing.assert_close(loss(z.flip(2), t.flip(1)), whole)
        torch.testing.assert_close(loss(z[:, order], renamed), whole)


def test_gradients():
    z, t = torch.tensor(LOGITS, requires_grad=True), torch.tensor(TRUTH)
    assert torch.autograd.gradcheck(lambda x: dice_loss(x, t), z)
    assert torch.autograd.gradcheck(lambda x: dice_cross_entropy(0.4)(x, t), z)


def test_many_pixels_in_half_precision():
    z = torch.zeros(1, 2, 400, 400, dtype=torch.float16)
    z[:, 0] = 20.0
    t = torch.zeros(1, 400, 400, dtype=torch.long)
    assert dice_loss(z, t).item() == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dice_loss(torch.zeros(1, 2, 3), torch.zeros(1, 4).long()), r"dice_loss: target must have a class number for every pixel of the output \(B, K, \.\.\.\), got \(1, 4\) for \(1, 2, 3\)\."),
        (lambda: dice_loss(torch.zeros(1, 2, 3), torch.zeros(1, 3).long(), smooth=0.0), "smooth must be more than 0, got 0.0"),
        (lambda: dice_loss(torch.zeros(1, 1, 3), torch.zeros(1, 3).long()), "logits of at least 2 classes, got 1"),
        (lambda: dice_cross_entropy(1.5), r"dice_cross_entropy: share must be from 0 to 1, got 1\.5\. Try 0\.5\."),
        (lambda: dice_cross_entropy()(torch.zeros(3), torch.zeros(3).long()), "dice_cross_entropy: target must have"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
