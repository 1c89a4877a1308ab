"""The race of a network's settings: time, resuming, and what it reports, with a player that only counts."""

import numpy as np
import pytest

from gradatim.evaluation.racing import Result
from gradatim.fitting import tuning
from gradatim.fitting.comparison import Stacking, judge_all
from gradatim.fitting.player import NETWORK, Candidate
from gradatim.fitting.told import Told
from gradatim.fitting.tuning import NetworkFamily, tune
from gradatim.fitting.work import Work

FOLDS = 5
PACE = 0.25  # seconds of a training side by side


class Counting:
    """Settings are the trial's number; the error of a setting on a fold follows from both."""

    last = 2.0

    def __init__(self):
        self.judged, self.told = [], Told()

    def draw(self, trial):
        return trial

    def cost(self, trial):
        return 4.0 if trial % 10 == 9 else 1.0

    def judge(self, candidate, k):
        self.judged.append((candidate.settings, k))
        self.told.put(candidate, k, np.array([candidate.settings, k]))
        if candidate.settings == 13:
            raise ValueError
        rng = np.random.default_rng(candidate.settings)
        return {"RMSE": 1.0 + 0.3 * rng.normal() + 0.02 * k, "MAE": 1.0}


class Beside(Counting):
    width = 4

    def judge_together(self, jobs):
        found = []
        for candidate, k in jobs:
            try:
                found.append(self.judge(candidate, k))
            except ValueError:
                found.append({})
        return found


@pytest.fixture(params=[Counting, Beside])
def player(request):
    return request.param()


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only while networks are judged."""
    now = [0.0]

    def slow(player, jobs):
        results = judge_all(player, jobs)
        seconds = [PACE * player.cost(candidate.settings) for candidate, _ in jobs]
        now[0] += sum(seconds)
        return [r._replace(seconds=s) for r, s in zip(results, seconds, strict=True)]

    monkeypatch.setattr(tuning, "judge_all", slow)
    monkeypatch.setattr(Work, "elapsed", property(lambda self: now[0]))
    return now


def run(player, folder, *, deadline=None, trials=None, resume=False):
    work = Work(folder, {"job": 1}, resume=resume, started=0.0)
    default = [Result(player.judge(Candidate(NETWORK, 0), k), PACE) for k in range(FOLDS)]
    player.judged.clear()
    quiet = lambda *told: None  # noqa: E731
    return tune(NetworkFamily(player), default, work, deadline=deadline, trials=trials, tell=quiet)


def test_all_trials_are_tried_and_the_best_is_found(player, clock, tmp_path):
    found = run(player, tmp_path / "work", trials=30)
    assert found.trials == 30
    assert {trial for trial, _ in player.judged} == set(range(1, 30))
    assert 13 not in [trial for trial, _ in found.table]
    means = {t: 1.0 + 0.3 * np.random.default_rng(t).normal() + 0.04 for t in range(30) if t != 13}
    assert found.settings == min(means, key=means.get) == found.table[0][0]
    assert found.table[0][1] == pytest.approx(min(means.values()))
    assert [mean for _, mean in found.table] == sorted(mean for _, mean in found.table)
    assert len(found.results) == FOLDS
    assert found.finished == len(found.table)


@pytest.mark.parametrize("deadline", [0.5, 2.0, 5.0, 20.0])
def test_the_last_training_ends_in_time(player, clock, tmp_path, deadline):
    found = run(player, tmp_path / "work", deadline=deadline)
    last = player.last * player.cost(found.settings) * PACE
    assert clock[0] + last <= max(deadline, last)
    assert len({trial for trial, _ in player.judged}) + 1 == found.trials
    if deadline == 0.5:  # less than a trial takes
        assert found.trials == 1
    if deadline == 20.0:
        assert clock[0] > 15.0


def test_settings_side_by_side_are_judged_at_once(clock, tmp_path, monkeypatch):
    sizes, judge = [], tuning.judge_all
    monkeypatch.setattr(tuning, "judge_all", lambda p, jobs: sizes.append(len(jobs)) or judge(p, jobs))  # fmt: skip
    player = Beside()
    assert isinstance(player, Stacking)
    assert not isinstance(Counting(), Stacking)
    run(player, tmp_path / "work", trials=9)
    assert sizes[0] == 4
    assert max(sizes) <= 8


def test_a_resumed_race_reads_what_was_measured(player, clock, tmp_path):
    first = run(player, tmp_path / "work", deadline=10.0)
    again = run(player, tmp_path / "work", deadline=100.0, resume=True)
    assert again == first
    assert player.judged == []


def test_a_resumed_race_knows_what_was_said(player, clock, tmp_path):
    run(player, tmp_path / "work", trials=6)
    again = type(player)()
    run(again, tmp_path / "work", trials=6, resume=True)
    assert again.judged == []
    for trial, k in [(1, 0), (5, 0)]:
        assert again.told.get(Candidate(NETWORK, trial), k).tolist() == [trial, k]


def test_a_race_that_was_cut_off_goes_on_to_the_same_end(player, clock, tmp_path, monkeypatch):
    whole = run(player, tmp_path / "whole", trials=12)
    count, judge = [0], tuning.judge_all

    def cut(*arguments):
        count[0] += 1
        if count[0] > 3:
            raise KeyboardInterrupt
        return judge(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(tuning, "judge_all", cut)
        with pytest.raises(KeyboardInterrupt):
            run(player, tmp_path / "work", trials=12)
    assert run(player, tmp_path / "work", trials=12, resume=True) == whole


def test_without_a_network_that_trains_there_is_nothing(clock, tmp_path):
    player = Counting()
    player.draw = lambda trial: 13
    work = Work(tmp_path / "work", {}, resume=False, started=0.0)
    default = [Result({}, PACE)] * FOLDS
    assert (
        tune(NetworkFamily(player), default, work, deadline=None, trials=3, tell=lambda *told: None)
        is None
    )
