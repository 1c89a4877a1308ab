"""The language model that a budget allows, and its training."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from gradatim.data import TokenWindows
from gradatim.fitting.rounds import Size, train_in_rounds
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.optim.schedules import warm_up
from gradatim.training import Callback, Checkpoint, EarlyStopping, History, Trainer

ROUNDS, PATIENCE = 12, 4
VALIDATION_TOKENS = 8_192  # of a round; a forward pass costs about a third of a step
MOST_PASSES = 40  # over the text, after which there is nothing more to learn
TOKENS_PER_PARAMETER = (
    5.0  # that the largest affordable network reads at least; larger ones learn less in the time
)
SIZES = (Size(64, 2, 2), Size(96, 3, 3), Size(128, 4, 4), Size(192, 4, 6), Size(256, 6, 8), Size(384, 6, 12))  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """How the network is built and trained.

    Args:
        size: Width, depth and heads.
        context: Tokens it looks at.
        batch_size: Windows of a step.
        steps: Steps of a round.
        rounds: Rounds, each with a look at the validation part.
        dropout: Probability to drop an entry.
        seed: Fixes all randomness.
    """

    size: Size
    context: int
    batch_size: int = 16
    steps: int = 1
    rounds: int = ROUNDS
    dropout: float = 0.0
    seed: int = 0

    @property
    def tokens(self) -> int:
        """Tokens that training reads."""
        return self.rounds * self.steps * self.batch_size * self.context

    @property
    def lr(self) -> float:
        """Largest learning rate: narrow networks stand larger steps."""
        return 4e-3 * (128 / self.size.dim) ** 0.5


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
    best = None
    for size in SIZES:
        plan = Plan(size=size, context=context, batch_size=2048 // context, seed=seed)
        model = build_network(plan, vocab_size)
        looks = ROUNDS * VALIDATION_TOKENS / (3 * plan.batch_size * context)
        steps = max(int(seconds / _seconds_per_step(model, plan, train) - looks), ROUNDS)
        read = steps * plan.batch_size * context
        parameters = sum(p.numel() for p in model.parameters())
        if best is not None and read < TOKENS_PER_PARAMETER * parameters:
            break
        best = plan, steps
    assert best is not None
    plan, steps = best
    most = max(MOST_PASSES * len(train) // (plan.batch_size * context), ROUNDS)
    steps = min(steps, most)
    passes = steps * plan.batch_size * context / len(train)
    dropout = 0.0 if passes < 4 else 0.1 if passes < 12 else 0.2
    return Plan(plan.size, context, plan.batch_size, steps // ROUNDS, ROUNDS, dropout, seed)


def _seconds_per_step(model: GPT, plan: Plan, train: np.ndarray) -> float:
    windows = TokenWindows(train, plan.context, batch_size=plan.batch_size, num_batches=3)
    trainer = Trainer(model, token_cross_entropy, "adamw", clip_norm=1.0, epochs=2, progress=False)
    return trainer.fit(windows)["seconds"][-1] / 3  # the first round warms up


def build_network(plan: Plan, vocab_size: int) -> GPT:
    """A fresh network."""
    with torch.random.fork_rng():
        torch.manual_seed(plan.seed)
        return GPT(
            vocab_size, plan.context, *plan.size, dropout=plan.dropout, positions="rotary"
        )  # fmt: skip


def train_network(
    model: GPT,
    plan: Plan,
    train: np.ndarray,
    validation: np.ndarray,
    *,
    checkpoint: Path,
    observers: Sequence[Callback] = (),
) -> History:
    """Train, keep the weights of the best round, and save every round so that a killed run goes on.

    Args:
        model: From :func:`build_network`.
        plan: Its plan.
        train: Tokens to learn from.
        validation: Tokens to choose the best round by.
        checkpoint: File that is written after every round; if it is there, training goes on from it.
        observers: Further callbacks.
    """
    windows = TokenWindows(
        train, plan.context, batch_size=plan.batch_size, num_batches=plan.steps, seed=plan.seed
    )
    judged = max(VALIDATION_TOKENS // (32 * plan.context), 1)
    held_out = TokenWindows(validation, plan.context, batch_size=32, num_batches=judged, seed=None)
    trainer = Trainer(
        model, token_cross_entropy, "adamw", lr=plan.lr, weight_decay=0.1,
        schedule=warm_up(epochs=0.5), epochs=plan.rounds, clip_norm=1.0, seed=plan.seed,
        callbacks=[EarlyStopping(patience=PATIENCE), *observers, Checkpoint(checkpoint)],
        progress=False,
    )  # fmt: skip
    return train_in_rounds(trainer, windows, held_out, checkpoint=checkpoint)
