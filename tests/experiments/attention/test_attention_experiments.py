"""Every claim about attention holds, with figures to show it; the pieces of the experiments do what they say."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from gradatim import experiments
from gradatim.experiments.attention import (
    attention_from_scratch,
    attention_versus_recurrence,
    decoding_strategies,
    induction,
    kv_cache,
    permutation_without_positions,
    positional_encoding,
    scaling_by_sqrt_dk,
)
from gradatim.experiments.attention._recall import draw_pairs

HOLDING = {
    "attention-from-scratch": (["matrices"], {}),
    "scaling-by-sqrt-dk": (["scaling"], {"num_queries": "200"}),
    "hopfield-is-attention": (["digits"], {"patterns": "400", "probes": "50"}),
    "kv-cache": (["work"], {"lengths": "16,32,64"}),
    "attention-versus-recurrence": (["cost", "recall"], {}),
}
# too short for their claims, which tests/slow checks; here everything is called and drawn
SHORT = {
    "positional-encoding": (["pattern", "echo"], {"rows": "500", "epochs": "1"}),
    "permutation-without-positions": (["order"], {"rows": "300", "epochs": "2"}),
    "decoding-strategies": (["strategies"], {"characters": "4000", "steps": "4", "samples": "4", "num_tokens": "20"}),
    "induction": (["heads", "learning"], {"steps": "8"}),
    "shakespeare-gpt": (["bits", "learning-curve", "heads"], {"characters": "9000", "rounds": "1", "steps": "3", "lstm_epochs": "1", "sample": "9"}),
    "translate-dates": (["cross-attention", "learning-curves"], {"train_dates": "400", "epochs": "1"}),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLDING)
def test_every_claim_holds(name):
    figures, changes = HOLDING[name]
    report = experiments.run(name, quick=True, overrides=changes)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == figures


@pytest.mark.parametrize("name", SHORT)
def test_short_runs_measure_and_draw_everything(name):
    figures, changes = SHORT[name]
    report = experiments.run(name, quick=True, overrides=changes)
    assert len(report.claims) >= 3
    assert [picture.name for picture in report.pictures] == figures


def test_the_worked_example_by_hand():
    steps = attention_from_scratch.worked_matrices()
    third = np.exp(np.array([2.0, 2.0, 3.0]) / math.sqrt(2))  # scores of the third query
    np.testing.assert_allclose(steps["A = softmax"][2].numpy(), third / third.sum(), rtol=1e-12)


def test_saturation_at_its_ends():
    flat = scaling_by_sqrt_dk.saturation(torch.zeros(3, 8))
    assert flat["entropy"] == pytest.approx(1)
    assert flat["gradient"] == pytest.approx(7 / 8)  # sum of a (1 - a) over eight equal weights
    sharp = scaling_by_sqrt_dk.saturation(1e4 * torch.eye(8)[:3])
    assert (sharp["entropy"], sharp["largest weight"], sharp["gradient"]) == (0, 1, 0)


def test_echoes_repeat_what_was_said():
    settings = positional_encoding.Settings(rows=20, lag=2)
    tokens, target = positional_encoding.draw_echoes(settings, 9, seed=1)
    assert target[:, 2:].equal(tokens[:, :-2])
    assert (target[:, :2] == -100).all()


def test_orders_are_told_by_the_labels():
    settings = permutation_without_positions.Settings(rows=50)
    for row, label in zip(*permutation_without_positions.draw_orders(settings, 0), strict=True):
        row = row.tolist()
        assert (row.count(0), row.count(1)) == (1, 1)
        assert (row.index(0) < row.index(1)) == bool(label)


def test_chains_follow_their_own_rule_except_at_jumps():
    settings = induction.Settings(num_tokens=6, length=40, jump=0.0)
    chains = induction.draw_chains(settings, 10, seed=0)
    for row, known in zip(chains.tokens.tolist(), chains.is_known.tolist(), strict=True):
        rule = {}
        for t, (now, after) in enumerate(pairwise(row)):
            assert known[t] == (now in rule)  # known once it was seen
            assert rule.setdefault(now, after) == after


def test_pairs_are_asked_for_by_their_keys():
    settings = attention_versus_recurrence.Settings(pairs=5, values=3)
    x, y, back = draw_pairs(settings, 20, torch.Generator().manual_seed(0))
    for row, value, lag in zip(x, y.tolist(), back.tolist(), strict=True):
        assert row[:5, :5].sum(0).tolist() == [1] * 5  # every key once
        there = row[5 - lag]
        assert torch.equal(there[:5], row[5, :5])
        assert there[5:].argmax() == value


def test_the_shortest_way_counts_operations():
    x = torch.ones(1, requires_grad=True)
    assert attention_versus_recurrence.operations_between(x.exp().sin().sum() + 1, x) == 4
    assert attention_versus_recurrence.operations_between((x.exp().sin() + x).sum(), x) == 2


def test_growth_of_a_power():
    assert kv_cache.growth((16, 32, 64), [1.0, 8.0, 64.0]) == pytest.approx(3)


def test_diversity_counts_different_words():
    assert decoding_strategies.diversity(["a b", "a a"]) == 50
    assert decoding_strategies.whole_lines("cut\nwhole\nalso\ncu") == ["whole", "also"]
