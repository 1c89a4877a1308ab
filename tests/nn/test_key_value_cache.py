"""The cache keeps what it was given, in buffers that do not move."""

import pytest
import torch

from gradatim.nn import KeyValueCache


def test_holds_what_was_appended_without_allocating_again():
    cache = KeyValueCache(2, 3, 8, 4, like=torch.zeros((), dtype=torch.float64))
    place, key, value = cache.key.data_ptr(), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 4)
    for part in (slice(0, 2), slice(2, 3), slice(3, 6)):
        held = cache.extend(key[:, :, part], value[:, :, part])
    torch.testing.assert_close(held.key, key.double())
    torch.testing.assert_close(held.value, value.double())
    assert cache.length == 6
    assert held.key.data_ptr() == cache.key.data_ptr() == place
    cache.clear()
    assert cache.extend(key[:, :, :1], value[:, :, :1]).key.shape == (2, 3, 1, 4)


@pytest.mark.parametrize("rows", [[1, 0], [1, 1], [0, 0, 1, 1], [1]])
def test_rows_can_be_rearranged_and_multiplied(rows):
    cache = KeyValueCache(2, 1, 4, 2, like=torch.zeros(()))
    key, value = torch.randn(2, 1, 3, 2), torch.randn(2, 1, 3, 2)
    cache.extend(key, value)
    cache.select(torch.tensor(rows))
    more = torch.ones(len(rows), 1, 1, 2)
    held = cache.extend(more, more)
    assert torch.equal(held.key, torch.cat((key[rows], more), dim=2))
    assert torch.equal(held.value, torch.cat((value[rows], more), dim=2))


def test_refuses_more_than_it_can_hold():
    cache = KeyValueCache(1, 1, 2, 1, like=torch.zeros(()))
    with pytest.raises(ValueError, match="positions must fit its capacity of 2, got 3"):
        cache.extend(torch.ones(1, 1, 3, 1), torch.ones(1, 1, 3, 1))
    assert cache.length == 0
    cache.extend(torch.ones(1, 1, 2, 1), torch.ones(1, 1, 2, 1))
    with pytest.raises(ValueError, match="got 3"):
        cache.extend(torch.ones(1, 1, 1, 1), torch.ones(1, 1, 1, 1))
    assert cache.length == 2
