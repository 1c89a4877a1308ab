"""The network on a window: equation, parallelism, causality, and the linear special case."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.timeseries import AR, TDNN, windows


@pytest.fixture
def x():
    return torch.randn(3, 12, 2, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def model():
    torch.manual_seed(0)
    return TDNN(4, input_dim=2, output_dim=3, hidden=(5, 6), activation="tanh")


def test_equation_against_a_loop(model, x):
    (W1, b1), (W2, b2), (W3, b3) = [
        (layer.weight.double(), layer.bias.double())
        for layer in model.network
        if hasattr(layer, "weight")
    ]
    found = model(x)
    assert found.shape == (3, 9, 3)
    for b in range(3):
        for t in range(9):
            v = x[b, t : t + 4].double().flatten()
            v = torch.tanh(W1 @ v + b1)
            v = torch.tanh(W2 @ v + b2)
            torch.testing.assert_close(found[b, t].double(), W3 @ v + b3, atol=1e-6, rtol=1e-5)


def test_all_windows_at_once_equal_one_window_after_the_other(model, x):
    for b in range(3):
        past, _ = windows(x[b], 4, horizon=0)
        torch.testing.assert_close(model(past)[:, 0], model(x)[b])


def test_outputs_ignore_what_is_outside_their_window(model, x):
    before = model(x)
    x[:, 6] += 1.0
    changed = (model(x) != before).any(-1).any(0)
    assert changed.tolist() == [False] * 3 + [True] * 4 + [False] * 2


def test_without_hidden_layers_it_is_an_autoregression():
    ar = AR([0.5, -0.3, 0.2], [0.7])
    model = TDNN(3, hidden=())
    with torch.no_grad():
        model.network[0].weight.copy_(ar.coefficients.flip(0)[:, 0].T)
        model.network[0].bias.copy_(ar.intercept)
    series = torch.randn(20)
    torch.testing.assert_close(model(series[None, :, None])[0, :, 0], ar.predict(series).float())


@pytest.mark.parametrize("shape", [(3, 3, 2), (3, 12, 1), (12, 2)])
def test_wrong_input(model, shape):
    with pytest.raises(InvalidValue, match=r"TDNN: x must have shape \(B, T, 2\) with at least 4"):
        model(torch.zeros(shape))


def test_wrong_order():
    with pytest.raises(InvalidValue, match="at least 1, got 0 and 1"):
        TDNN(0)
