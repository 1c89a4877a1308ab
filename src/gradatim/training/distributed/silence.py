"""One process speaks for all."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


@contextmanager
def silenced(is_silent: bool) -> Iterator[None]:
    """While inside, print nothing and warn of nothing, if ``is_silent``; errors are still told.

    Example:
        >>> with silenced(True):
        ...     print("nobody hears it")
    """
    if not is_silent:
        yield
        return
    with redirect_stdout(_Nowhere()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)
