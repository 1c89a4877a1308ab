import sys

import pytest

from gradatim.evaluation.racing import Result
from gradatim.fitting import comparison, planning
from gradatim.fitting.comparison import compare
from gradatim.fitting.planning import LEAST_ROWS, affordable_rows
from gradatim.fitting.player import NETWORK
from gradatim.fitting.told import Told
from gradatim.fitting.work import Work


@pytest.mark.parametrize(
    ("seconds", "power", "expected"),
    [
        (100.0, 1, 10_000),  # all
        (2.0, 1, 2000),
        (100.0, 2, 10_000),
        (1.0, 2, 1000),
        (0.1, 1, 0),  # a hundred rows are too few
    ],
)
def test_as_many_rows_as_fit(seconds, power, expected):
    probed = []

    def probe(rows):
        probed.append(rows)
        return (rows / 1000) ** power

    found = affordable_rows(10_000, seconds, probe, lambda rows: rows**power, first=100)
    assert abs(found - expected) <= 1
    assert sum((rows / 1000) ** power for rows in probed) <= max(2 * seconds, 0.2)


def test_fixed_costs_do_not_make_a_large_table_look_dear():
    found = affordable_rows(64_000, 10.0, lambda rows: 0.1 + rows / 10_000, float, first=100)
    assert found == 64_000


def test_a_probe_that_really_takes_a_part_of_its_time_is_repeated_on_more_rows():
    probed = []

    def probe(rows):
        probed.append(rows)
        return 1.0 + rows / 10_000  # a large part does not grow with the rows

    assert affordable_rows(64_000, 8.0, probe, float, first=1000, share=0.05) == 64_000
    assert len(probed) > 1


def test_a_small_table_is_never_too_small():
    found = affordable_rows(LEAST_ROWS // 2, 10.0, lambda rows: rows / 20, float, first=50)
    assert found == LEAST_ROWS // 2
    assert affordable_rows(LEAST_ROWS // 2, 1.0, lambda rows: rows / 20, float, first=50) == 0


class Slow:
    """A player whose models take known seconds of a clock that stands otherwise."""

    folds, things = [([0] * 8, [0] * 2)] * 5, "rows"
    favourite, has_network = "", True

    def __init__(self, clock, **costs):
        self.clock, self.costs = clock, costs
        self.simple = tuple(name for name in costs if name != NETWORK)
        self.most_rows, self.known = {}, {}
        self.judged, self.told = [], Told()

    def draw(self, trial):
        return None

    def affordable_rows(self, candidate, seconds):
        cost = self.known.get(candidate.name)
        if cost is None or cost <= seconds:
            return None
        rows = int(1000 * seconds / cost)
        return rows if rows >= LEAST_ROWS else 0

    def judge(self, candidate, k):
        share = self.most_rows.get(candidate.name, 1000) / 1000
        self.clock.now += share * self.costs[candidate.name]
        self.judged.append((candidate.name, k))
        return {"error": 1.0}


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(comparison, "time", clock)
    monkeypatch.setattr("gradatim.fitting.work.time", clock)
    return clock


def run(player, tmp_path, budget, resume=False):
    work = Work(tmp_path / "work", {}, resume=resume, started=0.0)
    return compare(player, work, budget, lambda event: None), work


def test_all_folds_are_used_where_there_is_time(clock, tmp_path):
    found, work = run(Slow(clock, mean=0.1, line=1.0, network=2.0), tmp_path, 60.0)
    assert (len(found.folds), found.notes, len(found.network)) == (5, [], 5)
    assert work.elapsed < 30.0


def test_fewer_folds_are_used_where_time_is_short(clock, tmp_path):
    found, _ = run(Slow(clock, mean=0.1, line=3.0, network=4.0), tmp_path, 60.0)
    assert len(found.folds) == 4
    (note,) = found.notes
    assert note.startswith("Only 4 of 5 folds were used: all models on one take ")
    assert note.endswith(" A longer --budget uses more.")
    clock.now = 0.0
    (tmp_path / "other").mkdir()
    found, _ = run(Slow(clock, mean=0.1, line=8.0, network=7.0), tmp_path / "other", 60.0)
    assert len(found.folds) == 2  # nothing waits for a third
    assert all(len(own) == 2 for own in [*found.simple.values(), found.network])


def test_what_is_known_to_take_too_long_learns_from_fewer_rows_or_is_left_out(clock, tmp_path):
    player = Slow(clock, mean=0.1, line=20.0, trees=900.0, network=1.0)
    player.known = {"line": 20.0, "trees": 900.0}
    found, work = run(player, tmp_path, 60.0)
    rows = player.most_rows["line"]
    assert LEAST_ROWS <= rows < 1000
    assert found.notes[:2] == [
        f"The model 'line' learns from {rows:,} rows in each fold and at the end, to keep within the budget.",
        "The model 'trees' is left out, to keep within the budget: it could not learn from enough rows in time.",
    ]
    assert "trees" not in [name for name, _ in player.judged]
    assert list(found.simple) == ["mean", "line"]
    assert work.elapsed < 40.0


def test_what_turns_out_to_be_slow_is_left_out_after_one_fold(clock, tmp_path):
    player = Slow(clock, mean=0.1, line=0.5, trees=40.0, network=1.0)
    found, work = run(player, tmp_path, 60.0)
    assert [k for name, k in player.judged if name == "trees"] == [0]
    assert found.notes[0] == (
        "The model 'trees' is left out, to keep within the budget: another fold would take 40 s."
    )
    assert list(found.simple) == ["mean", "line"]
    assert len(found.folds) == 2
    assert work.elapsed < 45.0


def test_a_network_that_is_too_slow_is_left_out(clock, tmp_path):
    player = Slow(clock, mean=0.1, line=0.5, network=500.0)
    player.known = {NETWORK: 500.0}
    found, _ = run(player, tmp_path, 60.0)
    assert found.network == []
    assert "The model 'network' is left out" in found.notes[0]


def test_without_a_budget_nothing_is_left_out(clock, tmp_path):
    player = Slow(clock, mean=0.1, line=100.0, network=500.0)
    player.known = {"line": 100.0, NETWORK: 500.0}
    found, _ = run(player, tmp_path, None)
    assert (len(found.folds), found.notes, player.most_rows) == (5, [], {})


def test_a_resumed_run_decides_the_same(clock, tmp_path):
    costs = {"mean": 0.1, "line": 20.0, "trees": 40.0, "network": 1.0}
    player = Slow(clock, **costs)
    player.known = {"line": 20.0}
    first, _ = run(player, tmp_path, 60.0)
    clock.now = 0.0
    again = Slow(clock, **costs)  # knows no costs: all is read
    second, _ = run(again, tmp_path, 60.0, resume=True)
    assert again.judged == []
    assert (second.notes, again.most_rows) == (first.notes, player.most_rows)
    assert second.simple == {k: [Result(*r) for r in v] for k, v in first.simple.items()}


def test_time_is_taken_from_those_that_a_faster_model_beats(clock, tmp_path):
    player = Slow(clock, mean=0.1, line=0.5, near=20.0, trees=22.0, network=1.0)
    errors = {"mean": 9.0, "line": 5.0, "near": 6.0, "trees": 1.0, NETWORK: 2.0}
    judge = player.judge
    player.judge = lambda candidate, k: judge(candidate, k) | {"error": errors[candidate.name]}
    found, _ = run(player, tmp_path, 100.0)
    assert list(found.simple) == ["mean", "line", "trees"]  # the slowest of all, but the best


def test_the_most_promising_model_is_judged_first_and_has_half_of_the_time(clock, tmp_path):
    player = Slow(clock, mean=0.0, line=0.5, near=8.0, trees=7.0, network=1.0)
    player.favourite = "trees"
    player.known = {"near": 8.0, "trees": 7.0}
    found, _ = run(player, tmp_path, 60.0)
    assert [name for name, k in player.judged if k == 0] == ["mean", "trees", "line", "near", NETWORK]  # fmt: skip
    assert "trees" not in player.most_rows  # 7 of 15 seconds
    assert player.most_rows["near"] < 1000
    assert list(found.simple) == ["mean", "line", "near", "trees"]


def test_a_network_for_which_there_is_no_time_is_left_out(clock, tmp_path):
    player = Slow(clock, mean=0.1, network=0.1)
    player.has_network = False
    found, _ = run(player, tmp_path, 60.0)
    assert found.network == []
    assert found.notes[0].endswith("PyTorch alone would take too long to start training.")


@pytest.mark.parametrize(
    ("elapsed", "processor", "is_made", "begins"),
    [
        (4.0, 4.0, False, True),  # 1.2 of 6 seconds
        (6.0, 6.0, False, False),  # of 4
        (4.0, 2.0, False, False),  # a busy machine: 2.4 of 6
        (6.0, 6.0, True, True),
    ],
)
def test_the_first_optimizer_must_have_time(elapsed, processor, is_made, begins, clock, tmp_path, monkeypatch):  # fmt: skip
    monkeypatch.setattr(planning, "make_first_optimizer", lambda: None)
    monkeypatch.setattr(planning.time, "process_time", lambda: processor)
    monkeypatch.delitem(sys.modules, "torch._dynamo", raising=False)
    if is_made:
        monkeypatch.setitem(sys.modules, "torch._dynamo", planning)
    work, clock.now = Work(tmp_path / "work", {}, resume=False, started=0.0), elapsed
    assert planning.begin_network(work, 10.0) is begins
