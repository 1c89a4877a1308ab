import torch

from gradatim.models import LRUStack, build, describe, rebuild


def test_a_cut_sequence_continues_from_its_state():
    model = LRUStack(2, 6, 3, num_layers=2, r_min=0.5, r_max=0.99).double()
    x = torch.randn(2, 30, 2, dtype=torch.float64)
    whole, end = model(x)
    first, state = model(x[:, :11])
    second, last = model(x[:, 11:], state=state)
    torch.testing.assert_close(torch.cat([first, second], 1), whole)
    torch.testing.assert_close(last, end)


def test_padding_changes_nothing():
    model = LRUStack(2, 6, 3, num_layers=3).double()
    x = torch.randn(2, 30, 2, dtype=torch.float64)
    y, (h,) = model(x, [30, 12])
    alone, (last,) = model(x[1:, :12])
    torch.testing.assert_close(y[1, :12], alone[0])
    torch.testing.assert_close(h[:, 1:], last)


def test_gradient_reaches_every_parameter():
    model = LRUStack(2, 6, 3, num_layers=2, state_dim=8)
    model(torch.randn(2, 30, 2))[0].square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in model.parameters())


def test_description_rebuilds_it():
    model = build("lru", 2, 6, 3, num_layers=2, max_phase=0.3)
    twin = rebuild(describe(model))
    twin.load_state_dict(model.state_dict())
    x = torch.randn(1, 9, 2)
    torch.testing.assert_close(twin(x)[0], model(x)[0])
