"""The language model that a budget allows, and its training."""

from dataclasses import replace
from typing import Any

import numpy as np

from gradatim.data import TokenWindows
from gradatim.fitting.learning import train_network
from gradatim.fitting.rounds import Plan, Size, largest_plan
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.optim.schedules import warm_up
from gradatim.randomness import seeded

ROUNDS = 12
VALIDATION_TOKENS = 8_192  # of a round; a forward pass costs about a third of a step
MOST_PASSES = 40  # over the text, after which there is nothing more to learn
TOKENS_PER_PARAMETER = (
    5.0  # that the largest affordable network reads at least; larger ones learn less in the time
)
SIZES = (Size(64, 2, 2), Size(96, 3, 3), Size(128, 4, 4), Size(192, 4, 6), Size(256, 6, 8), Size(384, 6, 12))  # fmt: skip


def choose_context(budget: float) -> int:
    """Tokens that a network of such a budget looks at."""
    return 64 if budget < 180 else 128 if budget < 1800 else 256


def make_plan(
    vocab_size: int, train: np.ndarray, *, context: int, seconds: float, seed: int
) -> Plan:
    """Choose the largest network that still reads enough in the time there is.

    Args:
        vocab_size: Number of tokens.
        train: Tokens to learn from.
        context: Tokens the network looks at.
        seconds: Time for training.
        seed: Fixes all randomness.
    """
    plans = (Plan(size, context, 2048 // context, seed=seed) for size in SIZES)

    def count(plan: Plan) -> int:
        looks = ROUNDS * VALIDATION_TOKENS / (3 * plan.batch_size * context)
        return max(int(seconds / _seconds_per_step(plan, vocab_size, train) - looks), ROUNDS)

    def reads_enough(plan: Plan) -> bool:
        with seeded(seed):
            network = build_network(plan, vocab_size)
        parameters = sum(p.numel() for p in network.parameters())
        return plan.tokens >= TOKENS_PER_PARAMETER * parameters

    plan = largest_plan(plans, count, reads_enough)
    most = max(MOST_PASSES * len(train) // (plan.batch_size * context), ROUNDS)
    plan = replace(plan, steps=min(plan.steps, most))
    passes = plan.tokens / len(train)
    dropout = 0.0 if passes < 4 else 0.1 if passes < 12 else 0.2
    return replace(plan, steps=plan.steps // ROUNDS, rounds=ROUNDS, dropout=dropout)


def _seconds_per_step(plan: Plan, vocab_size: int, train: np.ndarray) -> float:
    windows = TokenWindows(train, plan.context, batch_size=plan.batch_size, num_batches=3)
    _, history = train_network(
        lambda: build_network(plan, vocab_size), windows, seed=plan.seed, device="auto", epochs=2,
        clip_norm=1.0, **learning(plan),
    )  # fmt: skip
    return history["seconds"][-1] / len(windows)  # the first round warms up


def build_network(plan: Plan, vocab_size: int) -> GPT:
    """A fresh network."""
    return GPT(vocab_size, plan.context, *plan.size, dropout=plan.dropout, positions="rotary")


def largest_rate(plan: Plan) -> float:
    """Largest learning rate: narrow networks stand larger steps."""
    return 4e-3 * (128 / plan.size.dim) ** 0.5


def learning(plan: Plan) -> dict[str, Any]:
    """How the network learns: arguments of the Trainer."""
    return {
        "loss": token_cross_entropy,
        "lr": largest_rate(plan),
        "weight_decay": 0.1,
        "schedule": warm_up(epochs=0.5),
    }


def batches(
    plan: Plan, train: np.ndarray, validation: np.ndarray
) -> tuple[TokenWindows, TokenWindows]:
    """Windows of a round, drawn anew for each, and those that it is judged by.

    Args:
        plan: How many there are.
        train: Tokens to learn from.
        validation: Tokens to choose the best round by.
    """
    windows = TokenWindows(
        train, plan.context, batch_size=plan.batch_size, num_batches=plan.steps, seed=plan.seed
    )
    judged = max(VALIDATION_TOKENS // (32 * plan.context), 1)
    return windows, TokenWindows(validation, plan.context, batch_size=32, num_batches=judged, seed=None)  # fmt: skip
