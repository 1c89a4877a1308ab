"""Lightning in its barebones mode, by DDP in a pair of processes."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.scaling.pair import in_pair
from benchmarks.contestants.scaling.task import Task

TITLE = "Lightning, 2 processes"
REQUIRES = ("lightning", "torch")
VARIANTS = ("1 thread each",)


def work(task: Task) -> Contestant:
    """Train by the processes of the environment, which look like those of torchrun."""
    import lightning
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    class Learner(lightning.LightningModule):
        tick: Tick

        def __init__(self) -> None:
            super().__init__()
            self.net = task.model()
            self.last = torch.tensor(torch.nan)

        def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
            loss = task.loss(self.net(batch[0]), batch[1])
            self.last = loss.detach()
            return loss

        def on_train_epoch_end(self) -> None:
            self.tick()

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), lr=task.lr, fused=True)

    learner = Learner()
    loader = DataLoader(
        TensorDataset(task.X, task.y), batch_size=task.batch_size // 2, shuffle=True
    )

    def train(epochs: int, tick: Tick) -> None:
        torch.set_num_threads(1)
        learner.tick = tick
        trainer = lightning.Trainer(
            accelerator="cpu", devices=2, strategy="ddp", max_epochs=epochs, barebones=True
        )
        trainer.fit(learner, loader)

    return Contestant(train, lambda: float(learner.last))


def build(task: Task, variant: str) -> Contestant:
    return in_pair("lightning", task, work)
