"""The network that a budget allows."""

import numpy as np
import pytest

from gradatim.fitting.language import networks
from gradatim.fitting.language.networks import (
    ROUNDS,
    SIZES,
    batches,
    build_network,
    choose_context,
    learning,
    make_plan,
)
from gradatim.fitting.learning import train_network
from gradatim.fitting.rounds import Plan, Size
from gradatim.training import Callback

TOKENS = np.tile(np.arange(6), 3000)


def train(plan, checkpoint, *observers):
    return train_network(
        lambda: build_network(plan, 6), *batches(plan, TOKENS, TOKENS[:600]), seed=plan.seed, clip_norm=1.0,
        epochs=plan.rounds, checkpoint=checkpoint, callbacks=observers, **learning(plan),
    )  # fmt: skip


def test_more_time_means_a_larger_network_that_reads_more(monkeypatch):
    monkeypatch.setattr(networks, "_seconds_per_step", lambda plan, *rest: plan.size.dim / 6400)  # fmt: skip
    plans = [make_plan(6, np.broadcast_to(0, 10**8), context=64, seconds=s, seed=0) for s in (1, 30, 600, 10**5)]  # fmt: skip
    widths = [plan.size.dim for plan in plans]
    assert widths == sorted(widths)
    assert (widths[0], widths[-1]) == (64, SIZES[-1].dim)
    reads = [plan.tokens for plan in plans]
    assert reads == sorted(reads)
    assert plans[1].steps * ROUNDS * plans[1].size.dim / 6400 <= 30


def test_a_short_text_is_not_read_for_ever(monkeypatch):
    monkeypatch.setattr(networks, "_seconds_per_step", lambda *rest: 1e-4)
    plan = make_plan(6, TOKENS, context=64, seconds=600, seed=0)
    assert plan.tokens <= networks.MOST_PASSES * len(TOKENS)
    assert plan.dropout > 0  # what is read often is learned by heart


def test_no_time_still_means_a_step_a_round():
    assert make_plan(6, TOKENS, context=16, seconds=-5.0, seed=0).steps == 1


def test_contexts_grow_with_the_budget():
    assert [choose_context(s) for s in (10, 600, 7200)] == [64, 128, 256]


def test_a_killed_training_goes_on_to_the_same_weights(tmp_path):
    plan = Plan(Size(16, 1, 2), context=16, batch_size=8, steps=4, rounds=3, dropout=0.1)

    class Kill(Callback):
        def on_epoch_end(self, trainer, record):
            if record["epoch"] == 2:
                raise RuntimeError

    whole, _ = train(plan, tmp_path / "a", Callback())
    with pytest.raises(RuntimeError):
        train(plan, tmp_path / "b", Kill())
    again, history = train(plan, tmp_path / "b", Callback())
    assert len(history.records) == 3
    for a, b in zip(whole.parameters(), again.parameters(), strict=True):
        assert a.equal(b)


def test_a_pattern_is_learned(tmp_path):
    plan = Plan(Size(32, 1, 2), context=16, batch_size=16, steps=30, rounds=2)
    _, history = train(plan, tmp_path / "c")
    assert history["validation_loss"][-1] < 0.1  # from log 6
