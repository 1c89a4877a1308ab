"""Gradatim's model and trainer as they come."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.epoch_end import EpochEnd
from benchmarks.contestants.nodes.task import GAT as ATTENTION
from benchmarks.contestants.nodes.task import HEADS, Task, training_loss
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.fitting.nodes.networks import OnGraph
from gradatim.models import GAT, GCN
from gradatim.training import Trainer

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build_model(task: Task) -> GCN | GAT:
    """The network of the task."""
    sizes = (task.x.shape[1], task.hidden_dim, task.num_classes)
    if task.layer == ATTENTION:
        return GAT(*sizes, num_heads=HEADS, dropout=task.dropout)
    return GCN(*sizes, dropout=task.dropout)


def build(task: Task, variant: str) -> Contestant:
    losses: list[float] = []

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        model = build_model(task)
        trainer = Trainer(
            OnGraph(model, (task.x, task.edge_index)), lr=task.lr, epochs=epochs, batch_size=len(task.rows),
            callbacks=[EpochEnd(tick)], device="cpu",
        )  # fmt: skip
        trainer.fit((task.rows, task.y[task.rows]))
        losses.append(training_loss(model, task, task.x, task.edge_index))

    return Contestant(train, lambda: losses[-1])
