from contextlib import suppress

import pytest
import torch
from threadpoolctl import threadpool_info

from gradatim import threads
from gradatim.threads import gainful_threads, in_one_thread, limit_threads, safe_threads


def test_restores_the_number_of_threads_even_after_an_error():
    before = torch.get_num_threads()
    with suppress(KeyError), limit_threads(1):
        assert torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == before


def test_never_raises_the_number_of_threads():
    before = torch.get_num_threads()
    with limit_threads(before + 1):
        assert torch.get_num_threads() == before


def test_limits_every_pool_of_threads_and_gives_each_its_own_number_back():
    before = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
    with limit_threads(1):
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
        assert torch.get_num_threads() == 1
    assert {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()} == before


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({1: [1.0], 2: [0.55]}, 2),
        ({1: [1.0], 2: [0.52, 9.0]}, 1),  # one of the two waited
        ({1: [1.0, 40.0], 2: [0.9, 0.9]}, 1),  # one thread waited: its best time counts
        ({1: [1.0], 8: [0.5], 4: [0.3]}, 4),
        ({1: [1.0]}, 1),
    ],
)
def test_threads_count_only_where_they_gain(times, expected):
    assert gainful_threads(max(times), times.__getitem__) == expected


def test_a_measurement_counts_for_a_while_and_never_exceeds_what_the_process_may_have(monkeypatch):
    measured = []
    monkeypatch.setattr(threads, "_measured", {})
    monkeypatch.setattr(threads, "gainful_threads", lambda most, _: measured.append(most) or most)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    monkeypatch.setattr("joblib.cpu_count", lambda: 3)
    assert [safe_threads(), safe_threads()] == [3, 3]
    assert measured == [3]
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    assert safe_threads() == 1
    assert measured == [3]  # one thread needs no measurement


def test_few_numbers_take_one_thread_and_many_take_all():
    before = torch.get_num_threads()
    with in_one_thread(threads.SMALL):
        assert torch.get_num_threads() == 1
    with in_one_thread(threads.SMALL + 1):
        assert torch.get_num_threads() == before
