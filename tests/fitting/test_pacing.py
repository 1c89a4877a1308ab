"""How often a network may see its rows: what is measured once, and what follows from it."""

import math

from gradatim.fitting.pacing import Pace, measure_pace
from gradatim.fitting.work import Work


def test_the_share_of_the_budget_is_spent_whatever_a_pass_costs(tmp_path):
    work, told, calls = Work(tmp_path / "work", {}, resume=False), [], []

    def measure():
        calls.append(1)
        return 200.0  # rows a second

    pace = measure_pace(work, 60.0, told.append, measure, share=0.1, rows=100)
    assert pace.passes * 100 / pace.speed == 6.0  # seconds
    assert pace.epochs(3.0, (1, 100), 7) * 3 == 12
    assert measure_pace(work, 60.0, told.append, measure, share=0.1, rows=100) == pace
    assert len(calls) == 1
    assert told[0].what == "measuring how fast the network trains"


def test_without_a_budget_nothing_is_measured(tmp_path):
    def measure():
        raise AssertionError

    pace = measure_pace(Work(tmp_path / "work", {}, resume=False), None, print, measure, share=0.1)
    assert pace == Pace(math.inf, None)
    assert pace.epochs(5.0, (1, 3), 7) == 7
