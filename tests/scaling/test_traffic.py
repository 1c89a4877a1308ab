"""Traffic: a ring that is played share by share, and the time its messages take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.scaling import bytes_sent, communication_seconds


def play_ring(processes, rounds, seconds):
    """Numbers that the busiest process sends, and the time, if ``rounds`` times every share goes round once."""
    sent, clock = [0] * processes, 0.0
    for _ in range(rounds):
        for _ in range(processes - 1):
            for rank in range(processes):
                sent[rank] += 1
            clock += seconds(1)
    return max(sent), clock


@pytest.mark.parametrize("processes", [1, 2, 3, 8, 64])
@pytest.mark.parametrize(("parallel", "rounds"), [("ddp", 2), ("fsdp", 3)])
def test_a_ring_played_share_by_share(parallel, rounds, processes):
    share = 25  # parameters
    parameters = share * processes
    shares, clock = play_ring(processes, rounds, lambda count: 0.001 + count * share * 4 / 2e3)
    found = bytes_sent(parameters, processes, parallel=parallel)
    assert found == pytest.approx(shares * share * 4)
    time = communication_seconds(found, processes, parallel=parallel, bandwidth=2e3, latency=0.001)
    assert time == pytest.approx(clock)


@given(st.integers(1, 10**12), st.integers(2, 10**4))
def test_sharding_sends_half_as_much_again(parameters, processes):
    whole = bytes_sent(parameters, processes)
    assert bytes_sent(parameters, processes, parallel="fsdp") == pytest.approx(1.5 * whole)
    assert whole < 8 * parameters


def test_one_process_sends_nothing():
    assert bytes_sent(10, 1, parallel="none") == bytes_sent(10, 1) == 0
    assert communication_seconds(0, 1, parallel="none", bandwidth=1, latency=5) == 0


def test_short_weights_travel_in_half_the_bytes():
    assert bytes_sent(100, 2, parallel="fsdp", precision="bf16") == 50 * (2 + 2 + 4)
    assert bytes_sent(100, 2, precision="bf16") == bytes_sent(100, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bytes_sent(5, 0.5), "processes must be a whole number from 1"),
        (lambda: bytes_sent(5, 2, precision="half"), "precision must be one of"),
        (lambda: communication_seconds(5, 2, bandwidth=0), "bandwidth must be finite and above 0, got 0"),
        (lambda: communication_seconds(5, 2, bandwidth=1, latency=-1), "latency must be finite and at least 0"),
    ],
)  # fmt: skip
def test_messages(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
