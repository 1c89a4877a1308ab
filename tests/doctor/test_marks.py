"""What training and validation rows share: a leak, the training rows themselves, or chance."""

import pytest
import torch
from torch import nn

from gradatim.doctor.facts import Place
from gradatim.doctor.marks import Group, Trained, fingerprints
from gradatim.doctor.rows import Rows


def group(rows):
    found = Group()
    found.add(rows)
    return found


def trained(*batches):
    known = Trained()
    for batch in batches:
        known.add(set(fingerprints(batch)))
    return known


def test_a_leak_is_measured_as_if_all_training_rows_had_been_looked_at():
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(1000, 4, generator=generator)
    draw = [rows[torch.randint(0, 800, (40,), generator=generator)] for _ in range(28)]
    known = trained(*draw)
    held_out, partly = group(rows[800:]), group(rows[750:])
    assert known.judge(held_out, 0) == 0
    seen = len(known.marks) / 800  # 1 − exp(−28 · 40 / 800) = 0.75
    assert abs(seen - 0.75) < 0.05
    assert abs(known.judge(partly, 0) - 50 / 250) < 0.07  # 50 of 250 rows were learned from
    assert known.judge(group(rows[:800]), 0) > 0.85


def test_rows_of_few_values_are_equal_by_chance():
    generator = torch.Generator().manual_seed(1)
    bits = (torch.rand(3000, 12, generator=generator) < 0.5).float()  # 4,096 possible rows
    known = trained(*bits[:2000].split(50))
    judged = group(bits[2000:])
    known.judge(judged, 0)
    assert judged.shared > 0.3
    assert judged.is_by_chance


def test_repeated_rows_of_many_values_are_no_chance():
    rows = torch.randn(400, 6, generator=torch.Generator().manual_seed(2))
    doubled = torch.cat([rows, rows[:200]])[torch.randperm(600, generator=torch.Generator().manual_seed(3))]  # fmt: skip
    known = trained(*doubled[:450].split(45))
    judged = group(doubled[450:])
    known.judge(judged, 450)
    assert judged.shared > 0.1
    assert not judged.is_by_chance


@pytest.mark.parametrize("is_moving", [False, True])
def test_targets_that_a_network_makes_move_and_say_nothing_of_the_order(is_moving):
    generator, rows, model = torch.Generator().manual_seed(4), Rows(), nn.Linear(3, 1)
    X = torch.randn(200, 3, generator=generator)
    order = X[:, 0].argsort()
    for step in range(30):
        batch = order[(step * 20) % 200 :][:20] if not is_moving else torch.randint(0, 200, (20,), generator=generator)  # fmt: skip
        target = X[batch, :1] + (3.0 * step if is_moving else 0.0)
        rows.train(X[batch], target, Place(), step, model)
    found = rows.describe()
    assert found.moving is is_moving
    assert (found.p_sorted < 1e-6) is not is_moving


def test_few_rows_in_other_batches_are_not_the_same_batch():
    rows, same, model = Rows(), Rows(), nn.Linear(2, 1)
    X = torch.arange(24.0).reshape(12, 2)
    for step in range(12):
        rows.train(X.roll(step, 0)[:8], None, Place(), step, model)
        same.train(X[:8], None, Place(), step, model)
    assert rows.describe().same < 0.3
    assert same.describe().same == 1.0
