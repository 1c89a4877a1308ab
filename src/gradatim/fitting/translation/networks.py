"""The translator that a budget allows, and its training."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from gradatim.data.tokenizers import Tokenizer
from gradatim.data.vocabulary import PAD
from gradatim.fitting.rounds import Size, train_in_rounds
from gradatim.fitting.translation.batches import FIRST, PairBatches
from gradatim.losses import token_cross_entropy
from gradatim.models import Transformer
from gradatim.optim.schedules import warm_up
from gradatim.training import Callback, Checkpoint, EarlyStopping, History, Trainer

ROUNDS, PATIENCE = 10, 4
CONTEXT = 64  # tokens of a sentence
LEAST_STEPS = 2_000  # that the largest affordable network takes: with fewer, one of half the width learns more
LOOK = 6  # steps that a look at the validation pairs costs
SIZES = (Size(64, 2, 2), Size(128, 2, 4), Size(192, 3, 6), Size(256, 3, 8))


@dataclass(frozen=True)
class Plan:
    """How the network is built and trained.

    Args:
        size: Width, depth and heads.
        steps: Steps of a round.
        rounds: Rounds, each with a look at the validation pairs.
        batch_size: Pairs of a step.
        dropout: Probability to drop an entry.
        seed: Fixes all randomness.
    """

    size: Size
    steps: int = 1
    rounds: int = ROUNDS
    batch_size: int = 64
    dropout: float = 0.1
    seed: int = 0

    @property
    def lr(self) -> float:
        """Largest learning rate: narrow networks stand larger steps."""
        return 3e-3 * (64 / self.size.dim) ** 0.5


def make_plan(train: PairBatches, tokenizer: Tokenizer, *, seconds: float, seed: int) -> Plan:
    """Choose the largest network that still takes enough steps in the time there is.

    Args:
        train: Batches to learn from, to measure with; how many an epoch has is changed.
        tokenizer: Cuts the sentences.
        seconds: Time for training.
        seed: Fixes all randomness.
    """
    best = None
    for size in SIZES:
        plan = Plan(size, seed=seed)
        looks = ROUNDS * LOOK
        steps = max(int(seconds / _seconds_per_step(plan, train, tokenizer) - looks), ROUNDS)
        if best is not None and steps < LEAST_STEPS:
            break
        best = Plan(size, steps // ROUNDS, seed=seed)
    assert best is not None
    return best


def _seconds_per_step(plan: Plan, train: PairBatches, tokenizer: Tokenizer) -> float:
    train.batch_size, train.num_batches = plan.batch_size, 6
    trainer = Trainer(build_network(plan, tokenizer), _loss(), clip_norm=1.0, epochs=2, progress=False)  # fmt: skip
    return trainer.fit(train)["seconds"][-1] / 6  # the first round warms up


def _loss() -> partial[Tensor]:
    return partial(token_cross_entropy, padding=PAD)


def build_network(plan: Plan, tokenizer: Tokenizer) -> Transformer:
    """A fresh network."""
    size = tokenizer.vocab_size + FIRST
    with torch.random.fork_rng():
        torch.manual_seed(plan.seed)
        return Transformer(
            size, size, CONTEXT, dim=plan.size.dim, num_layers=plan.size.num_layers,
            num_heads=plan.size.num_heads, dropout=plan.dropout, pad=PAD,
        )  # fmt: skip


def train_network(
    model: Transformer,
    plan: Plan,
    train: PairBatches,
    validation: PairBatches,
    *,
    checkpoint: Path,
    observers: Sequence[Callback] = (),
) -> History:
    """Train, keep the weights of the best round, and save every round so that a killed run goes on.

    Args:
        model: From :func:`build_network`.
        plan: Its plan.
        train: Batches to learn from.
        validation: Batches to choose the best round by.
        checkpoint: File that is written after every round; if it is there, training goes on from it.
        observers: Further callbacks.
    """
    trainer = Trainer(
        model, _loss(), lr=plan.lr, schedule=warm_up(epochs=1.0), epochs=plan.rounds, clip_norm=1.0,
        seed=plan.seed, progress=False,
        callbacks=[EarlyStopping(patience=PATIENCE), *observers, Checkpoint(checkpoint)],
    )  # fmt: skip
    return train_in_rounds(trainer, train, validation, checkpoint=checkpoint)
