"""How many threads a computation uses: small tensors are fastest on one."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Compute with at most ``threads`` threads, then with as many as before.

    >>> with limit_threads(1):
    ...     torch.get_num_threads()
    1
    """
    before = torch.get_num_threads()
    if threads >= before:
        yield
        return
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
