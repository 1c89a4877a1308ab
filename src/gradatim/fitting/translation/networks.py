"""The translator that a budget allows, and its training."""

from dataclasses import replace
from functools import partial
from typing import Any

from gradatim.data.tokenizers import Tokenizer
from gradatim.data.vocabulary import PAD
from gradatim.fitting.learning import train_network
from gradatim.fitting.rounds import Plan, Size, largest_plan
from gradatim.fitting.translation.batches import FIRST, PairBatches
from gradatim.losses import token_cross_entropy
from gradatim.models import Transformer
from gradatim.optim.schedules import warm_up

ROUNDS = 10
CONTEXT = 64  # tokens of a sentence
LEAST_STEPS = 2_000  # that the largest affordable network takes: with fewer, one of half the width learns more
LOOK = 6  # steps that a look at the validation pairs costs
SIZES = (Size(64, 2, 2), Size(128, 2, 4), Size(192, 3, 6), Size(256, 3, 8))


def make_plan(train: PairBatches, tokenizer: Tokenizer, *, seconds: float, seed: int) -> Plan:
    """Choose the largest network that still takes enough steps in the time there is.

    Args:
        train: Batches to learn from, to measure with; how many an epoch has is changed.
        tokenizer: Cuts the sentences.
        seconds: Time for training.
        seed: Fixes all randomness.
    """
    plans = (Plan(size, CONTEXT, dropout=0.1, seed=seed) for size in SIZES)

    def count(plan: Plan) -> int:
        per_step = _seconds_per_step(plan, train, tokenizer)
        return max(int(seconds / per_step - ROUNDS * LOOK), ROUNDS)

    plan = largest_plan(plans, count, lambda plan: plan.steps >= LEAST_STEPS)
    return replace(plan, steps=plan.steps // ROUNDS, rounds=ROUNDS)


def _seconds_per_step(plan: Plan, train: PairBatches, tokenizer: Tokenizer) -> float:
    train.batch_size, train.num_batches = plan.batch_size, 6
    _, history = train_network(
        lambda: build_network(plan, tokenizer), train, seed=plan.seed, device="auto", epochs=2,
        clip_norm=1.0, **learning(plan),
    )  # fmt: skip
    return history["seconds"][-1] / len(train)  # the first round warms up


def build_network(plan: Plan, tokenizer: Tokenizer) -> Transformer:
    """A fresh network."""
    size = tokenizer.vocab_size + FIRST
    return Transformer(
        size, size, CONTEXT, dim=plan.size.dim, num_layers=plan.size.num_layers,
        num_heads=plan.size.num_heads, dropout=plan.dropout, pad=PAD,
    )  # fmt: skip


def learning(plan: Plan) -> dict[str, Any]:
    """How the network learns: arguments of the Trainer; narrow networks stand larger steps."""
    return {
        "loss": partial(token_cross_entropy, padding=PAD),
        "optimizer": "adam",
        "lr": 3e-3 * (64 / plan.size.dim) ** 0.5,
        "schedule": warm_up(epochs=1.0),
    }
