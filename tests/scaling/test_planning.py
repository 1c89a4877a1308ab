"""A plan: the formulas together, and what is not known stays unknown."""

import pytest

from gradatim.errors import InvalidValue
from gradatim.scaling import plan

LLAMA = {"num_layers": 32, "dim": 4096, "context": 8192, "peak_flops": 312e12}


def test_a_step_is_arithmetic_and_messages():
    found = plan(1e6, 4, batch_tokens=4000, tokens_per_second=500, bandwidth=3e6, latency=0.1)
    assert found.bytes_per_step == pytest.approx(2 * 3 / 4 * 4e6)
    assert found.step_seconds == pytest.approx(1000 / 500 + 6e6 / 3e6 + 2 * 3 * 0.1)
    assert found.efficiency == pytest.approx(2 / 4.6)
    assert found.mfu is None


def test_speed_is_measured_or_the_peak():
    assert plan(8.03e9, 64, **LLAMA, tokens_per_second=2904).mfu == pytest.approx(0.568, abs=5e-4)
    found = plan(8.03e9, 64, **LLAMA, batch_tokens=64 * 8192)
    assert found.mfu == 1.0
    assert found.step_seconds == pytest.approx(8192 * found.flops_per_token / 312e12)


def test_activations_are_of_the_own_tokens():
    whole = plan(8.03e9, 1, **LLAMA, batch_tokens=8192).memory_per_process
    half = plan(8.03e9, 2, **LLAMA, batch_tokens=8192).memory_per_process
    assert whole.activations == 2 * half.activations > 0
    assert plan(8.03e9, 2, **LLAMA).memory_per_process.activations == 0
    assert plan(8.03e9, 2, batch_tokens=8192).memory_per_process.activations == 0


def test_what_nothing_was_said_about_is_unknown():
    found = plan(1e6, 2)
    assert (found.step_seconds, found.efficiency, found.mfu) == (None, None, None)
    found = plan(1e6, 2, batch_tokens=10, tokens_per_second=10)
    assert (found.step_seconds, found.efficiency) == (0.5, None)
    found = plan(1e6, parallel="none", batch_tokens=10, tokens_per_second=10)
    assert (found.step_seconds, found.efficiency, found.bytes_per_step) == (1.0, 1.0, 0.0)


def test_more_processes_are_never_less_efficient_than_the_bandwidth_allows():
    """As many as one likes send at most twice the parameters: the time of messages has a limit."""
    job = {"batch_tokens": 1e6, "tokens_per_second": 1e3, "bandwidth": 1e9}
    times = [plan(1e8, n, **job).communication_seconds for n in (1, 2, 4, 8, 1024)]
    assert times == sorted(times)
    assert times[-1] < 2 * 4e8 / 1e9


def test_plain_numbers():
    found = plan(7.5e9, 64, parallel="fsdp").to_json()
    assert found["memory_per_process"] == {
        "weights": 7.5e9 * 4 / 64, "gradients": 7.5e9 * 4 / 64, "optimizer": 7.5e9 * 8 / 64, "activations": 0.0, "total": 1.875e9,
    }  # fmt: skip
    assert found["bytes_per_step"] == pytest.approx(3 * 63 / 64 * 30e9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 3}, "num_layers and dim must be given together, and with context, got no num_layers"),
        ({"context": 3}, "got no num_layers and no dim"),
        ({"batch_tokens": 0}, "batch_tokens must be finite and above 0"),
        ({"peak_flops": float("inf")}, "peak_flops must be finite and above 0, got inf"),
        ({"latency": float("nan")}, "latency must be finite and at least 0, got nan"),
        ({"precision": "bf15"}, "precision must be one of bf16, .* Try 'bf16'"),
    ],
)  # fmt: skip
def test_messages(options, message):
    with pytest.raises(InvalidValue, match=message):
        plan(100, **options)
