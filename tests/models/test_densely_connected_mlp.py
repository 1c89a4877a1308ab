import numpy as np
import pytest
import torch

from gradatim.models import DenselyConnectedMLP, build, describe, rebuild


def test_every_layer_reads_all_before_it():
    model = DenselyConnectedMLP((3, 4, 5, 2), activation="tanh").double()
    x = torch.randn(6, 3, dtype=torch.float64)
    state = {k: v.numpy() for k, v in model.state_dict().items()}
    x1 = np.tanh(x.numpy() @ state["0.layer.0.weight"].T + state["0.layer.0.bias"])
    seen = np.concatenate([x.numpy(), x1], axis=1)
    x2 = np.tanh(seen @ state["1.layer.0.weight"].T + state["1.layer.0.bias"])
    seen = np.concatenate([seen, x2], axis=1)
    expected = seen @ state["2.weight"].T + state["2.bias"]
    np.testing.assert_allclose(model(x).detach().numpy(), expected, atol=1e-12)


def test_is_the_chain_of_its_stages():
    model = DenselyConnectedMLP((6, 5, 5, 3))
    x = h = torch.randn(4, 2, 3)
    for _, stage in model.stages():
        h = stage(h)
    torch.testing.assert_close(model(x), h)


def test_parameter_count():
    # 3x4+4 into the first layer, (3+4)x5+5 into the second, (3+4+5)x2+2 into the read-out
    assert sum(p.numel() for p in DenselyConnectedMLP((3, 4, 5, 2)).parameters()) == 16 + 40 + 26


def test_gradient_reaches_every_parameter():
    model = DenselyConnectedMLP((4, 8, 8, 3), activation="tanh")
    model(torch.randn(5, 4)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_describe_rebuilds_it():
    model = build("densely_connected_mlp", (4, 8, 2))
    again = rebuild(describe(model))
    assert describe(again) == describe(model)


def test_refuses_bad_sizes():
    with pytest.raises(ValueError, match="DenselyConnectedMLP: sizes must be two or more"):
        DenselyConnectedMLP(())
