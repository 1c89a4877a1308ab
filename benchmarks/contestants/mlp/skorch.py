"""skorch without validation and without its log."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "skorch"
REQUIRES = ("skorch", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    import torch
    from skorch import NeuralNetClassifier
    from skorch.callbacks import Callback

    from benchmarks.contestants.mlp.torch_network import dense_network

    ticks: list[Tick] = []

    class EpochEnd(Callback):
        def on_epoch_end(self, net: NeuralNetClassifier, **kwargs: object) -> None:
            ticks[-1]()

    net = NeuralNetClassifier(
        dense_network(task),
        criterion=torch.nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=task.lr,
        batch_size=task.batch_size,
        iterator_train__shuffle=True,
        train_split=None,
        callbacks=[EpochEnd()],
        callbacks__print_log=None,
    )

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        ticks.append(tick)
        net.partial_fit(task.X, task.y, epochs=epochs)

    return Contestant(train, lambda: task.accuracy(net.predict_proba(task.X)))
