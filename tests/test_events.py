"""A token ends a job once it is cancelled, and not before; nothing catches that by accident."""

import pytest

from gradatim.events import Cancelled, CancelToken, Stage, tell_nobody


def test_a_token_stays_quiet_until_it_is_cancelled():
    token = CancelToken()
    token.check()
    token.cancel()
    with pytest.raises(Cancelled):
        token.check()


def test_a_cancelled_job_is_no_ordinary_error():
    """``except Exception`` around a candidate's training must not take it for a failure."""
    assert not issubclass(Cancelled, Exception)
    assert issubclass(Cancelled, KeyboardInterrupt)


def test_nobody_listens():
    tell_nobody(Stage("reading", 0.5))
