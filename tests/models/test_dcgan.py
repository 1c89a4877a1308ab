import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.models import DCGANDiscriminator, DCGANGenerator
from gradatim.randomness import seeded


@pytest.mark.parametrize("size", [8, 12, 28, 32, 40, 64])
def test_players_fit_each_other(size):
    made = DCGANGenerator(3, size, channels=3, width=2)(torch.randn(2, 3)).detach()
    assert made.shape == (2, 3, size, size)
    assert 0 <= float(made.min()) <= float(made.max()) <= 1
    assert DCGANDiscriminator(size, channels=3, width=2)(made).shape == (2,)


def test_spectral_weights_have_no_singular_value_above_one():
    with seeded(0):
        judge, x = DCGANDiscriminator(16, width=4, norm="spectral"), torch.rand(4, 1, 16, 16)
        for _ in range(30):  # power iterations
            judge(x)
    judge.eval()
    for layer in (*judge.downs, judge.readout):
        assert float(
            torch.linalg.matrix_norm(layer.weight.detach().flatten(1), 2)
        ) == pytest.approx(1, abs=1e-2)


def test_the_class_enters_by_a_projection():
    with seeded(0):
        judge = DCGANDiscriminator(8, width=2, norm="none", num_classes=3)
        x = torch.rand(2, 1, 8, 8)
    with torch.no_grad():
        judge.classes.weight.zero_()
    plain = judge(x, torch.tensor([0, 1]))
    assert torch.equal(judge(x, torch.tensor([2, 2])), plain)
    with torch.no_grad():
        judge.classes.weight[1] = judge.readout.weight[0]
    torch.testing.assert_close(judge(x, torch.tensor([1, 1])), 2 * plain - judge.readout.bias)


def test_errors():
    with pytest.raises(
        GradatimError,
        match=r"image_size must be 4, 5, 6 or 7 times a power of two from 2 to 32, got 30. Try one of 20, 24, 28, 32",
    ):
        DCGANGenerator(3, 30)
    with pytest.raises(GradatimError, match="label must be given, got none"):
        DCGANGenerator(3, 8, num_classes=2)(torch.randn(2, 3))
    with pytest.raises(GradatimError, match="label must be left out, for there are no classes"):
        DCGANDiscriminator(8)(torch.rand(2, 1, 8, 8), torch.tensor([0, 1]))
    with pytest.raises(GradatimError, match="norm must be one of"):
        DCGANDiscriminator(8, norm="layer")
