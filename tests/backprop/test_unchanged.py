"""A model that is run and left as it was."""

import pytest
import torch
from torch import nn

from gradatim.backprop.unchanged import unchanged


def test_buffers_and_random_numbers_come_back():
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))
    x, buffers, state = torch.randn(8, 2), dict(model.named_buffers()), torch.get_rng_state()
    with unchanged(model):
        first = model(x)
        assert model[0].num_batches_tracked == 1
    assert model[0].num_batches_tracked == 0
    assert all(buffer is buffers[name] for name, buffer in model.named_buffers())
    assert torch.equal(torch.get_rng_state(), state)
    torch.testing.assert_close(model(x), first)  # the same mask again


def test_buffers_come_back_after_an_error():
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(3, 1))
    with pytest.raises(RuntimeError, match="mat1"), unchanged(model):
        model(torch.randn(8, 2))
    assert model[0].num_batches_tracked == 0


def test_shared_buffer_stays_shared_inside():
    model = nn.Sequential(nn.BatchNorm1d(2), nn.BatchNorm1d(2))
    model[1].running_mean = model[0].running_mean
    with unchanged(model):
        assert model[1].running_mean is model[0].running_mean
