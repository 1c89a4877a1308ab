"""Lightning in its barebones mode, which switches off everything that costs time."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "Lightning"
REQUIRES = ("lightning", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    import lightning
    import torch
    import torch.nn.functional as F
    from torch.utils.data import DataLoader, TensorDataset

    from benchmarks.contestants.mlp.torch_network import dense_network, training_accuracy

    class Classifier(lightning.LightningModule):
        tick: Tick

        def __init__(self) -> None:
            super().__init__()
            self.net = dense_network(task)

        def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
            X, y = batch
            return F.cross_entropy(self.net(X), y)

        def on_train_epoch_end(self) -> None:
            self.tick()

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.Adam(self.parameters(), lr=task.lr)

    data = TensorDataset(torch.from_numpy(task.X), torch.from_numpy(task.y))
    loader = DataLoader(data, batch_size=task.batch_size, shuffle=True)
    classifier = Classifier()

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        classifier.tick = tick
        trainer = lightning.Trainer(accelerator="cpu", max_epochs=epochs, barebones=True)
        trainer.fit(classifier, loader)

    return Contestant(train, lambda: training_accuracy(task, classifier.net))
