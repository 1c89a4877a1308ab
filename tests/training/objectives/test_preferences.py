"""Preference tuning: log-probabilities by hand, a rule learned three ways, distance to the reference."""

import itertools
import re
from copy import deepcopy

import pytest
import torch

from gradatim.decoding import generate
from gradatim.models import GPT, RewardModel
from gradatim.randomness import seeded
from gradatim.training import (
    DPO,
    Callback,
    Checkpoint,
    PolicyGradient,
    RewardComparison,
    Rollouts,
    Trainer,
    answer_log_probs,
    policy_divergence,
)

PROMPTS = torch.zeros(128, 1, dtype=torch.long)


def build(seed=0, vocab_size=4):
    with seeded(seed):
        return GPT(vocab_size, 8, 16, 1, 2)


def rule(tokens):
    """The judge counts threes."""
    return (tokens == 3).sum(1).double()


def share_of_threes(model):
    return (generate(model, PROMPTS, 6, seed=9)[:, 1:] == 3).double().mean().item()


def train(model, data, step, **arguments):
    trainer = Trainer(model, objective=step, lr=3e-3, batch_size=32, progress=False, **arguments)
    return trainer.fit(data)


def pairs(model, seed=1):
    """Two answers to each prompt, the one with more threes first."""
    first, second = (generate(model, PROMPTS, 6, seed=s) for s in (seed, seed + 1))
    differ = rule(first) != rule(second)
    first, second = first[differ], second[differ]
    is_better = (rule(first) > rule(second))[:, None]
    return torch.where(is_better, first, second), torch.where(is_better, second, first)


def test_log_probabilities_token_by_token():
    model, tokens = build().double(), torch.randint(4, (3, 6))
    log_probs = answer_log_probs(model, tokens, 2)
    for b in range(3):
        for t in range(2, 6):
            odds = model(tokens[b : b + 1, :t])[0, -1].softmax(0)
            torch.testing.assert_close(log_probs[b, t - 2], odds[tokens[b, t]].log())


def test_divergence_is_that_of_all_answers_together():
    model, reference = build(vocab_size=2).double(), build(1, vocab_size=2).double()
    for seed, each in enumerate((model, reference)):
        for parameter in each.parameters():
            generator = torch.Generator().manual_seed(seed)
            torch.nn.init.normal_(parameter, std=0.6, generator=generator)
    prompt = torch.zeros(1, 1, dtype=torch.long)
    exact = 0.0
    for answer in itertools.product((0, 1), repeat=3):
        tokens = torch.cat((prompt, torch.tensor([answer])), dim=1)
        p, q = (answer_log_probs(m, tokens, 1).sum().item() for m in (model, reference))
        exact += torch.tensor(p).exp().item() * (p - q)
    measured = policy_divergence(model, reference, prompt.expand(4000, 1), 3)
    assert measured == pytest.approx(exact, rel=0.08)
    assert policy_divergence(model, model, prompt, 3) == 0.0


def test_a_reward_model_learns_to_rank_as_the_judge():
    model = build()
    judge = RewardModel(deepcopy(model))
    train(judge, pairs(model), RewardComparison(), epochs=25)
    good, bad = pairs(model, seed=7)
    with torch.inference_mode():
        assert (judge.eval()(good) > judge(bad)).double().mean().item() > 0.9


def test_dpo_follows_the_judge():
    model = build()
    reference = deepcopy(model)
    step = DPO(reference, prompt_length=1, beta=0.2)
    history = train(model, pairs(model), step, epochs=20)
    assert history["train_accuracy"][-1] > 0.9
    assert share_of_threes(model) > share_of_threes(reference) + 0.1
    assert policy_divergence(model, reference, PROMPTS, 6) > 0.1
    assert share_of_threes(reference) == share_of_threes(build())


@pytest.mark.parametrize(("clip", "passes"), [(None, 1), (0.2, 3)], ids=["REINFORCE", "PPO"])
def test_policy_gradients_raise_the_reward_at_a_price(clip, passes):
    model = build()
    reference = deepcopy(model)
    rollouts = Rollouts(model, reference, rule, PROMPTS, 6, beta=0.05, batch_size=64, passes=passes)
    history = train(model, rollouts, PolicyGradient(clip=clip), epochs=20)
    assert history["train_reward"][-1] > history["train_reward"][0] + 1.0
    assert history["train_kl"][0] == pytest.approx(0.0, abs=1e-5)
    assert history["train_kl"][-1] > 0.3
    assert share_of_threes(model) > share_of_threes(reference) + 0.2


def test_a_high_price_keeps_the_model_where_it_was():
    model = build()
    reference = deepcopy(model)
    rollouts = Rollouts(
        model, reference, lambda tokens: torch.zeros(len(tokens)), PROMPTS, 6, beta=5.0
    )
    with pytest.warns(
        UserWarning, match="no gradient has reached the model"
    ):  # all answers are worth the same
        train(model, rollouts, PolicyGradient(), epochs=10)
    assert policy_divergence(model, reference, PROMPTS, 6) < 0.1


def test_advantages_are_standardized_and_rounds_are_repeatable():
    model = build()
    rollouts = Rollouts(model, deepcopy(model), rule, PROMPTS, 6, batch_size=50, passes=2)
    tokens, old, reward, gone, advantages = rollouts.draw()
    assert len(rollouts) == len(list(rollouts)) == 6
    assert torch.equal(reward.double(), rule(tokens))
    assert gone.abs().max() < 1e-5
    assert advantages.mean().item() == pytest.approx(0.0, abs=1e-5)
    assert advantages.std().item() == pytest.approx(1.0, abs=1e-3)
    assert torch.equal(rollouts.draw()[0], tokens)
    rollouts.set_epoch(1)
    assert not torch.equal(rollouts.draw()[0], tokens)
    assert old.shape == (128, 6)


def test_refuses_by_message():
    model, tokens = build(), torch.zeros(2, 4, dtype=torch.long)
    with pytest.raises(ValueError, match="prompt_length must be from 1 to 3, got 4"):
        answer_log_probs(model, tokens, 4)
    with pytest.raises(ValueError, match=re.escape("clip must be in (0, 1), got 1.0. Try 0.2.")):
        PolicyGradient(clip=1.0)
    with pytest.raises(ValueError, match=r"beta at least 0, got 3, 32, 0 and 0\.05"):
        Rollouts(model, model, rule, PROMPTS, 3, passes=0)


class StopAt(Callback):
    def __init__(self, steps=None):
        self.steps = steps

    def on_batch_end(self, trainer, loss):
        if trainer.steps == self.steps:
            raise ConnectionError


@pytest.mark.parametrize("steps", [2, 4, 5, 6, 9])
def test_a_killed_round_goes_on_with_the_answers_that_were_drawn(tmp_path, steps):
    """Four batches a round: the weights within it would draw other answers."""

    def train(name, stop=None, *, resume=False):
        model = build()
        rollouts = Rollouts(model, build(), rule, PROMPTS, 6, batch_size=64, passes=2)
        callbacks = [StopAt(stop), Checkpoint(tmp_path / name, every_steps=1)]
        trainer = Trainer(model, objective=PolicyGradient(clip=0.2), lr=0.05, epochs=3, callbacks=callbacks, progress=False)  # fmt: skip
        if resume:
            trainer.resume(tmp_path / name)
        if stop is None:
            trainer.fit(rollouts)
        else:
            with pytest.raises(ConnectionError):
                trainer.fit(rollouts)
        return trainer

    whole = train("whole")
    train("run", steps)
    rest = train("run", resume=True)
    for p, q in zip(rest.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(p, q)
    for column in ("train_loss", "train_reward", "train_kl"):
        assert rest.history[column] == whole.history[column]


def test_rollouts_draw_anew_unless_they_were_set_back_to_this_round():
    model = build()
    rollouts = Rollouts(model, deepcopy(model), rule, PROMPTS, 6, batch_size=50)
    first = list(rollouts)
    iterator = iter(rollouts)
    next(iterator)
    state = rollouts.state_dict()
    assert len(list(rollouts)) == 3  # an iteration that was left begins anew
    rollouts.load_state_dict(state)
    rollouts.set_epoch(0)
    rest = list(rollouts)
    assert len(rest) == 2
    assert all(torch.equal(a, b) for a, b in zip(rest[0], first[1], strict=True))
    assert len(list(rollouts)) == 3
    rollouts.load_state_dict(state)
    rollouts.set_epoch(1)
    assert len(list(rollouts)) == 3
    fresh = Rollouts(model, deepcopy(model), rule, PROMPTS, 6, batch_size=50)
    fresh.load_state_dict(fresh.state_dict())
    assert len(list(fresh)) == 3
