import pytest
import torch

from gradatim.models import HighwayMLP, build, describe, rebuild


def test_is_the_chain_of_its_stages():
    model = HighwayMLP((6, 5, 5, 3))
    x = h = torch.randn(4, 2, 3)
    for _, stage in model.stages():
        h = stage(h)
    torch.testing.assert_close(model(x), h)


def test_closed_gates_carry_the_input_to_the_readout():
    model = HighwayMLP((4, *[4] * 30, 2), gate_bias=-100.0)
    x = torch.randn(6, 4)
    torch.testing.assert_close(model(x), model[-1](x), rtol=0, atol=1e-5)


def test_every_gate_starts_at_its_bias():
    model = HighwayMLP((4, 6, 6, 6, 2), gate_bias=-1.5, init="lecun")
    gates = [stage.gate.bias for _, stage in model.stages() if hasattr(stage, "gate")]
    assert len(gates) == 2
    assert all(bias.eq(-1.5).all() for bias in gates)


def test_gradient_reaches_every_parameter():
    model = HighwayMLP((4, 8, 8, 3), activation="tanh")
    model(torch.randn(5, 4)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_describe_rebuilds_it():
    model = build("highway_mlp", (4, 8, 8, 2), gate_bias=-3.0)
    again = rebuild(describe(model))
    assert describe(again)["arguments"]["gate_bias"] == -3.0
    again.load_state_dict(model.state_dict())
    x = torch.randn(3, 4)
    assert torch.equal(again(x), model(x))


def test_refuses_bad_sizes():
    with pytest.raises(ValueError, match="HighwayMLP: sizes must be two or more positive widths"):
        HighwayMLP((3, 0, 1))
