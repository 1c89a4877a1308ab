"""Gradatim's model and trainer as they come."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.epoch_end import EpochEnd
from benchmarks.contestants.gpt.task import Task
from benchmarks.contestants.threads import ALL_THREADS, set_torch_threads
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.training import Trainer

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("as it comes",)


def build(task: Task, variant: str, *, is_compiled: bool = False) -> Contestant:
    model = GPT(task.vocab_size, task.context, task.dim, task.num_layers, task.num_heads)
    if is_compiled:
        model.compile()
    losses: list[float] = []

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(ALL_THREADS)
        trainer = Trainer(
            model, token_cross_entropy, "adamw", lr=task.lr, weight_decay=0.1, epochs=epochs,
            batch_size=task.batch_size, callbacks=[EpochEnd(tick)], device="cpu",
        )  # fmt: skip
        history = trainer.fit((task.tokens[:, :-1], task.tokens[:, 1:]))
        losses.append(history["train_loss"][-1])

    return Contestant(train, lambda: losses[-1])
