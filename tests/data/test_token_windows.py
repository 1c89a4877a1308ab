"""Windows: every token once in order, anywhere by seed, straight from a file."""

import numpy as np
import pytest
import torch

from gradatim.data import TokenWindows


def test_in_order_every_target_comes_once():
    windows = TokenWindows(torch.arange(30), 4, batch_size=3, seed=None)
    batches = list(windows)
    assert [len(x) for x, _ in batches] == [3, 3, 1]
    assert torch.cat([y.flatten() for _, y in batches]).tolist() == list(range(1, 29))
    assert all(torch.equal(x + 1, y) for x, y in batches)
    assert len(list(TokenWindows(torch.arange(30), 4, batch_size=3, num_batches=9, seed=None))) == 3


def test_by_seed_and_epoch_windows_lie_anywhere():
    windows = TokenWindows(np.arange(30, dtype=np.uint16), 4, batch_size=500, num_batches=2, seed=3)

    def epoch(number):
        windows.set_epoch(number)
        return torch.stack([x for x, _ in windows])

    assert len(windows) == 2
    assert set(epoch(0)[..., 0].flatten().tolist()) == set(range(26))
    assert torch.equal(epoch(0), epoch(0))
    assert not torch.equal(epoch(0), epoch(1))
    x, y = next(iter(windows))
    assert x.dtype == torch.int64
    assert torch.equal(x[:, 1:], y[:, :-1])


def test_a_file_is_read_where_the_windows_lie(tmp_path):
    np.arange(1000, dtype=np.uint16).tofile(tmp_path / "tokens.bin")
    tokens = np.memmap(tmp_path / "tokens.bin", dtype=np.uint16, mode="r")
    x, y = next(iter(TokenWindows(tokens, 8, batch_size=4)))
    assert torch.equal(x + 1, y)


def test_refuses_a_text_shorter_than_the_context():
    with pytest.raises(
        ValueError, match=r"tokens must be more than context=5, got 5\. Take a longer text"
    ):
        TokenWindows(torch.arange(5), 5, batch_size=1)
    with pytest.raises(
        ValueError, match="batch_size and num_batches must be at least 1, got 2, 0 and None"
    ):
        TokenWindows(torch.arange(5), 2, batch_size=0)
