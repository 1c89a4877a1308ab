"""What a detector costs decides whether it takes part, and from how many rows it learns."""

import numpy as np
import pytest

from gradatim.fitting.anomalies import costs
from gradatim.fitting.anomalies.candidates import COMPONENTS, ISOLATION
from gradatim.fitting.anomalies.networks import AutoencoderSettings
from gradatim.fitting.anomalies.readers import WindowReader
from gradatim.fitting.anomalies.steps import Layout
from gradatim.fitting.player import NETWORK, Candidate

READER = WindowReader(Layout("t", ("x",), None), 60, [0.0], [1.0])
X = np.random.default_rng(0).normal(size=(5000, 60))


def in_time(name, seconds, monkeypatch, pace=1.0, settings=None, rows=5000):
    """Rows in time on a clock that goes on by a second with every look."""
    clock = iter(np.arange(0.0, 1e6, pace))
    monkeypatch.setattr(costs.time, "perf_counter", lambda: next(clock))
    return costs.rows_in_time(Candidate(name, settings), READER, X[:rows], X[:rows], 0, seconds)


def test_a_small_table_costs_nothing(monkeypatch):
    assert in_time(ISOLATION, 1e-9, monkeypatch, rows=500) is None


@pytest.mark.parametrize(("seconds", "expected"), [(11.0, None), (10.9, 0)])
def test_a_sample_is_learned_whatever_the_rows_and_all_are_scored(monkeypatch, seconds, expected):
    assert in_time(ISOLATION, seconds, monkeypatch) == expected  # 1 s, and ten times 1 s


@pytest.mark.parametrize(("seconds", "expected"), [(20.0, None), (12.0, 1000), (10.2, 0), (1.0, 0)])
def test_components_learn_from_fewer_rows(monkeypatch, seconds, expected):
    assert in_time(COMPONENTS, seconds, monkeypatch) == expected


def test_a_network_that_takes_too_long_is_left_out(monkeypatch):
    assert in_time(NETWORK, 1e9, monkeypatch, settings=AutoencoderSettings(hidden_dim=4)) is None
    assert in_time(NETWORK, 1.0, monkeypatch, settings=AutoencoderSettings(hidden_dim=4)) == 0
