import pytest
import torch
from torch import nn

from gradatim.bayes import posterior_predictive
from gradatim.bayes.networks.predicting import METHODS
from gradatim.models import MLP

X, Y = torch.randn(20, 3, generator=torch.Generator().manual_seed(0)), torch.arange(20) % 2
SMALL = {"num_samples": 8, "steps": 20, "warmup": 5, "chains": 2, "batch_size": 10}


def predict(method, y=Y, outputs=2, **options):
    torch.manual_seed(0)
    model = MLP((3, 16, outputs), dropout=0.5)
    small = {key: SMALL[key] for key in METHODS[method][1] if key in SMALL}
    before = [p.clone() for p in model.parameters()]
    found = posterior_predictive(model, (X, y), X[:4], method=method, **{**small, **options})
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), before, strict=True))
    assert model.training
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("y", "outputs"), [(Y, 2), (X[:, 0], 1), (X[:, :2], 2)])
def test_every_method_predicts_classes_and_numbers(method, y, outputs):
    found = predict(method, y, outputs)
    assert found.mean.shape == found.std.shape == (4, outputs)
    assert found.draws.shape == (8, 4, outputs)
    assert (found.std > 0).all()
    if not y.is_floating_point():
        torch.testing.assert_close(found.draws.sum(2), torch.ones(8, 4))
    assert bool(found.verdict) == (method in ("sgld", "sghmc", "hmc"))


@pytest.mark.parametrize("method", METHODS)
def test_equal_seeds_give_equal_draws(method):
    first, again, other = (predict(method, seed=seed).draws for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "hcm"}, "posterior_predictive: method must be one of hmc, .*Try 'hmc'"),
        ({"chains": 3}, "chains must be left out with method='laplace', got 3. It takes num_samples, covariance"),
        ({"method": "hmc", "covariance": "diagonal"}, "covariance must be left out with method='hmc'"),
        ({"num_samples": 1}, "num_samples must be at least 2, to have a spread, got 1"),
        ({"num_samples": 0}, "num_samples must be a whole number from 1, got 0"),
        ({"method": "sgld", "lr": 0.0}, "lr must be more than 0, got 0.0"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"precision": -1.0}, "posterior_predictive: precision must be positive"),
        ({"noise": 0.0}, "posterior_predictive: noise must be a variance"),
        ({"likelihood": "poisson"}, "likelihood must be one of"),
    ],
)  # fmt: skip
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        posterior_predictive(nn.Linear(3, 2), (X, Y), X, **options)


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match="posterior_predictive: x must fit, got float32 of shape"):
        posterior_predictive(nn.Linear(3, 2), (X, Y), torch.zeros(2, 5))
    with pytest.raises(ValueError, match=r"x must have a row, got shape \(0, 3\)"):
        posterior_predictive(nn.Linear(3, 2), (X, Y), X[:0])
