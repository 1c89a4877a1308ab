"""What reports say of intervals and sets: shares that are counted by hand, parts of the rows, and what is promised."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from gradatim.evaluation import share_interval
from gradatim.evaluation.racing import Result
from gradatim.fitting.calibrating import calibrate_models
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.coverage import Held, describe_intervals, try_intervals
from gradatim.fitting.player import Candidate
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import read_player
from gradatim.reports import Report
from gradatim.reports.values import format_value

RIDGE, LOGISTIC = "ridge regression", "logistic regression"


def frame(rows=150):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=rows), "w": rng.integers(1, 4, rows), "g": rng.integers(0, 12, rows), "t": np.arange(rows)})  # fmt: skip
    table["y"] = table["x"] + rng.normal(size=rows)
    table["c"] = np.where(table["y"] > 0, "up", "down")
    return table


def describe(target, other, name, **options):
    """A report on the intervals of one model, and what it was made from."""
    player = read_player(frame(), TableOptions(target=target, drop=(other,), **options))
    folds = range(len(player.folds))
    results = {name: [Result(player.judge(Candidate(name), k), 0.1) for k in folds]}
    comparison = Comparison(player.folds, results, [])
    found = calibrate_models(player, [name], name, comparison, None, None)
    output = player.outputs(player.fit(Candidate(name), None), None)
    findings = SimpleNamespace(calibrations=found, verdict=SimpleNamespace(recommended=name), output=output, decision=None)  # fmt: skip
    report = Report(title="a")
    describe_intervals(report, player, findings)
    return report, player, found.tested[name], output


def test_a_row_counts_what_is_held():
    held = Held(np.array([True, True, False, True]), np.array([1.0, 2.0, 3.0, 6.0]), None)
    name, rows, share, ends, size = held.row("all", np.arange(4))
    low, high = share_interval(3, 4)[1:]
    assert (name, rows, share, size) == ("all", 4, "75.0 %", 3.0)
    assert ends == f"{100 * low:.1f} to {100 * high:.1f} %"
    weighed = Held(held.is_held, held.size, np.array([1.0, 1.0, 2.0, 0.0]))
    assert weighed.row("all", np.arange(4))[2] == "50.0 %"
    assert weighed.row("all", np.arange(4))[4] == 2.25
    low, high = share_interval(3, 4, 1 - 0.05 / 7)[1:]
    assert held.row("chosen of seven", np.arange(4), 7)[3] == f"{100 * low:.1f} to {100 * high:.1f} %"  # fmt: skip


def test_values_are_told_by_thirds_of_the_prediction():
    report, player, own, output = describe("y", "c", RIDGE)
    table, text = report.sections
    low, high = own.bounds(output, 0.9, player.difficulty(player.problem.test))
    y = player.problem.y[player.problem.test]
    assert table.title == "Intervals that shall hold 90 %, on the test rows"
    assert table.rows[0][:3] == ["all test rows", len(y), f"{100 * np.mean((low <= y) & (y <= high)):.1f} %"]  # fmt: skip
    assert table.rows[0][4] == pytest.approx((high - low).mean())
    assert [row[1] for row in table.rows[1:4]] == [10, 10, 10]
    assert "promised on the average over new rows" in text.text
    held = try_intervals(player, own, output, 0.5)
    assert held.is_held.mean() < 0.8


def test_classes_are_told_one_by_one():
    report, player, own, output = describe("c", "y", LOGISTIC)
    rows = report.sections[0].rows
    y, sets = player.problem.y[player.problem.test], own.sets(output, 0.9)
    assert [row[0] for row in rows[:3]] == ["all test rows", "down", "up"]
    for code in range(2):
        is_held = sets[y == code, code]
        assert rows[1 + code][1:3] == [len(is_held), f"{100 * is_held.mean():.1f} %"]
    assert rows[0][4] == pytest.approx(sets.sum(1).mean())


def test_slices_of_columns_are_told_least_and_most():
    report, player, own, output = describe("y", "c", RIDGE)
    p, rows = player.problem, report.sections[0].rows[4:]
    held, shares = try_intervals(player, own, output, 0.9), {}
    for name in ("x", "w", "g", "t"):
        values = p.table[name][p.test]
        middle = sorted(values)[(len(values) - 1) // 2]
        for sign, is_in in (("≤", values <= middle), (">", values > middle)):
            if is_in.sum() >= 5:
                shares[f"{name} {sign} {format_value(float(middle))}"] = held.is_held[is_in].mean()  # fmt: skip
    assert len(rows) == 2
    for (name, count, share, ends, _), extreme in zip(rows, (min, max), strict=True):
        words = name.partition(": the slice that is held ")[0]
        assert shares[words] == extreme(shares.values())
        assert share == f"{100 * shares[words]:.1f} %"
        hits = round(shares[words] * count)
        low, high = share_interval(hits, count, 1 - 0.05 / len(shares))[1:]
        assert ends == f"{100 * low:.1f} to {100 * high:.1f} %"


@pytest.mark.parametrize(
    ("options", "part", "words"),
    [
        ({"group": "g"}, "the group that is held least", "rows of new groups"),
        ({"time_column": "t"}, "later half of the test", "Nothing is promised of rows that come later"),
        ({"weight": "w"}, "all test rows", "The rows count as they weigh."),
    ],
)  # fmt: skip
def test_groups_times_and_weights_are_told(options, part, words):
    report, *_ = describe("y", "c", RIDGE, **options)
    table, text = report.sections
    assert any(row[0].startswith(part) for row in table.rows)
    assert words in text.text
    assert ("is promised on the average" in text.text) == ("time_column" not in options)


def test_nothing_is_said_where_nothing_is_known():
    report = Report(title="a")
    findings = SimpleNamespace(calibrations=SimpleNamespace(tested={}), verdict=SimpleNamespace(recommended="a"))  # fmt: skip
    describe_intervals(report, None, findings)
    assert not report.sections
