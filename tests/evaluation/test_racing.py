"""Races on worked numbers: who leaves when, and who is judged by whom."""

import numpy as np
import pytest

from gradatim.evaluation.racing import (
    Result,
    by_other_folds,
    doubling_rungs,
    hold_race,
    is_behind,
    scores,
)


def told(*values):
    return [Result({"RMSE": value}, 0.0) for value in values]


def test_a_fold_is_judged_by_the_setting_of_the_others():
    # setting 7 is best on folds 0 and 1, setting 9 shines on fold 2 only
    finished = {7: told(1.0, 1.0, 5.0), 9: told(2.0, 2.0, 0.0)}
    found = by_other_folds(np.stack([scores(results) for results in finished.values()]))
    results = list(finished.values())
    # fold 0: others 1+5 against 2+0, so 9; fold 1 likewise; fold 2: 1+1 against 2+2, so 7
    assert [results[best][k].figures["RMSE"] for k, best in enumerate(found)] == [2.0, 2.0, 5.0]


def test_the_estimate_by_other_folds_is_not_flattered():
    """Among settings that differ by noise only, the best mean lies below the truth, the estimate does not."""
    matrix = np.random.default_rng(0).normal(size=(200, 30, 10))  # races, settings, folds
    best = [own.mean(1).min() for own in matrix]
    honest = [own[by_other_folds(own), np.arange(10)].mean() for own in matrix]
    assert np.mean(best) < -0.5
    assert abs(np.mean(honest)) < 0.1


def test_who_is_behind():
    assert is_behind(scores(told(1.2)), scores(told(1.0)))
    assert not is_behind(scores(told(1.05)), scores(told(1.0)))
    assert is_behind(scores(told(1.1, 1.1, 1.2)), scores(told(1.0, 1.0, 1.0)))
    assert not is_behind(scores(told(1.1, 0.9, 1.1)), scores(told(1.0, 1.0, 1.0)))


@pytest.mark.parametrize("folds", [1, 2, 3, 5, 10])
def test_rungs_cover_the_folds_in_order(folds):
    assert [k for rung in doubling_rungs(folds) for k in rung] == list(range(folds))


# rows: candidates 0 to 5; 1 is far behind at once, 2 on the second fold, 3 fails there, 5 is best
ERRORS = [
    [1.0, 1.0, 1.0, 1.0],
    [1.5, 1.0, 1.0, 1.0],
    [1.05, 1.5, 1.0, 1.0],
    [0.95, None, 1.0, 1.0],
    [1.0, 1.0, 1.0, 1.01],
    [0.9, 0.95, 0.9, 0.9],
]


def judge_with(asked, *, out_of_time=()):
    def judge(tasks):
        asked.append(tasks)
        found = []
        for c, k in tasks:
            value = ERRORS[c][k]
            result = Result({} if value is None else {"RMSE": value}, 0.0)
            found.append(None if (c, k) in out_of_time else result)
        return found

    return judge


def test_a_race_of_one_at_a_time():
    asked = []
    race = hold_race(judge_with(asked), range(6), [[0], [1], [2], [3]], finished={})
    assert race.tried == 6
    assert sorted(race.finished) == [0, 4, 5]
    assert all(len(tasks) == 1 for tasks in asked)
    folds = [[k for tasks in asked for c, k in tasks if c == one] for one in range(6)]
    assert folds == [[0, 1, 2, 3], [0], [0, 1], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3]]


def test_a_race_side_by_side_drops_those_behind_their_leader():
    asked = []
    race = hold_race(judge_with(asked), range(6), doubling_rungs(4), width=6, finished={})
    # candidate 5 leads from the start: 1 and others more than 10 % behind it leave after fold 0
    assert asked[0] == [(c, 0) for c in range(6)]
    assert asked[1] == [(3, 1), (5, 1)]
    assert asked[2] == [(5, 2), (5, 3)]
    assert race.tried == 6
    assert list(race.finished) == [5]
    assert scores(race.finished[5]).tolist() == ERRORS[5]


def test_half_of_those_side_by_side_leave_at_every_rung():
    asked, errors = [], 1.0 + 0.01 * np.random.default_rng(0).normal(size=(12, 8))

    def judge(tasks):
        asked.append(len(tasks))
        return [Result({"RMSE": errors[task]}, 0.0) for task in tasks]

    race = hold_race(judge, range(12), doubling_rungs(8), width=12, finished={})
    assert asked[:2] == [12, 6]  # nobody is 10 % behind on the first fold
    assert asked[2] <= 3 * 2
    assert asked[3] <= 2 * 4
    assert 1 <= len(race.finished) <= 2


def test_those_without_time_are_not_counted_and_leave():
    asked = []
    judge = judge_with(asked, out_of_time={(0, 0), (4, 1)})
    race = hold_race(judge, [0, 4], [[0], [1], [2], [3]], finished={7: told(1.0, 1.0, 1.0, 1.0)})
    assert race.tried == 1
    assert list(race.finished) == [7]
