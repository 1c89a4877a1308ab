"""Classes of whole graphs by nested cross-validation: counts, the Weisfeiler-Lehman kernel, and a network epoch by epoch.

What a model chooses, it chooses by folds inside the graphs it learns from; graphs that repeat each other stay in one fold.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from sklearn.svm import SVC
from torch.nn.functional import cross_entropy

from gradatim.data import GraphSet, GraphStream
from gradatim.evaluation.splits import Split, make_folds
from gradatim.fitting.graphs.candidates import LINEAR_CLASSES, fit_simple
from gradatim.fitting.graphs.encoding import Graphs, learn_encoder
from gradatim.fitting.graphs.memory import read_memory
from gradatim.fitting.graphs.networks import GraphSettings, answer, build_network, to_set
from gradatim.fitting.graphs.raw import RawGraphs
from gradatim.fitting.graphs.twins import find_twins
from gradatim.fitting.learning import train_network
from gradatim.nn.training_modes import evaluation_mode
from gradatim.theory import wl_kernel
from gradatim.training import Callback, Trainer
from gradatim.training.history import Record

ROUNDS, PENALTIES = (1, 2, 3, 4), (1.0, 10.0, 100.0, 1e3, 1e4)  # of the kernel and its machine
NETWORKS = tuple(GraphSettings(pooling=own, hidden_dim=16, lr=0.01) for own in ("sum", "mean"))
BATCH = 32
TIE = 1e-3  # of an answer: so much counts the log loss, which decides between equals


class Task(NamedTuple):
    """Graphs with a class each: their nodes and edges, which repeat each other, and kernels by rounds and scale."""

    raw: RawGraphs
    y: np.ndarray
    twins: np.ndarray
    num_repeats: int
    kernels: dict[tuple[int, str], np.ndarray]

    def folds(self, rows: np.ndarray, count: int, rng: np.random.Generator) -> list[Split]:
        """Folds of some graphs, by their places among these."""
        return make_folds(self.y[rows], count, rng, twins=self.twins[rows])


class Course(NamedTuple):
    """A network on judged graphs: whether it is right after every epoch, ``(epochs, graphs)``, and the epoch chosen inside."""

    right: np.ndarray
    epoch: int


def make_task(graphs: GraphSet) -> Task:
    """Graphs with classes; features of edges are not read."""
    whole = GraphSet.from_batch(graphs[:]._replace(edge_attr=None))
    assert whole.y is not None
    raw = read_memory(whole)
    repeats = find_twins(learn_encoder(raw).encode(raw))
    twins = np.arange(len(raw)) if repeats is None else repeats.codes
    return Task(raw, whole.y.numpy(), twins, 0 if repeats is None else repeats.same, make_kernels(whole))  # fmt: skip


def make_kernels(graphs: GraphSet) -> dict[tuple[int, str], np.ndarray]:
    """Kernels of colours, scaled to 1 on the diagonal, by rounds: all rounds together, or each of them before they are added."""
    parts = [(graph.edge_index, graph.num_nodes, graph.x) for graph in graphs]
    upto = [wl_kernel(parts, rounds=rounds).double().numpy() for rounds in range(max(ROUNDS) + 1)]
    alone = [scaled(kernel) for kernel in (upto[0], *np.diff(upto, axis=0))]
    return {
        **{(rounds, "together"): scaled(upto[rounds]) for rounds in ROUNDS},
        **{(rounds, "each"): scaled(np.sum(alone[: rounds + 1], 0)) for rounds in ROUNDS},
    }


def scaled(kernel: np.ndarray) -> np.ndarray:
    """The kernel of vectors of length 1.

    Example:
        >>> scaled(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
        [[1.0, 0.5], [0.5, 1.0]]
    """
    length = np.sqrt(kernel.diagonal())
    return kernel / np.outer(length, length)


def encode(task: Task, train: np.ndarray) -> Graphs:
    """All graphs as numbers, with scales of the training graphs: labels and degree of every node."""
    return learn_encoder(task.raw.take(train)).encode(task.raw)


def counts_say(task: Task, train: np.ndarray, judged: np.ndarray, seed: int) -> np.ndarray:
    """Classes by logistic regression on counts of nodes, edges, degrees and labels."""
    graphs = encode(task, train)
    return fit_simple(LINEAR_CLASSES, graphs.take(train), task.y[train], 2, seed).outputs(graphs.take(judged)).argmax(1)  # fmt: skip


def kernel_says(task: Task, train: np.ndarray, judged: np.ndarray, folds: Sequence[Split]) -> np.ndarray:  # fmt: skip
    """Classes by a support vector machine; its kernel and penalty are most often right on the inner folds."""

    def predict(name: tuple[int, str], penalty: float, own: np.ndarray, other: np.ndarray) -> np.ndarray:  # fmt: skip
        kernel = task.kernels[name]
        machine = SVC(C=penalty, kernel="precomputed").fit(kernel[np.ix_(own, own)], task.y[own])
        return machine.predict(kernel[np.ix_(other, own)])

    def right(choice: tuple[tuple[int, str], float]) -> int:
        return sum(int((predict(*choice, train[a], train[b]) == task.y[train[b]]).sum()) for a, b in folds)  # fmt: skip

    best = max(((name, penalty) for name in task.kernels for penalty in PENALTIES), key=right)
    return predict(*best, train, judged)


class Watch(Callback):
    """Keeps what a network says of some graphs after every epoch."""

    def __init__(self, graphs: Graphs) -> None:
        self.batch = to_set(graphs)[:]
        self.logits: list[torch.Tensor] = []

    def on_epoch_end(self, trainer: Trainer, record: Record) -> None:
        with evaluation_mode(trainer.model), torch.inference_mode():
            self.logits.append(answer(trainer.model, self.batch))


def follow(
    graphs: Graphs,
    y: np.ndarray,
    settings: GraphSettings,
    split: Split,
    epochs: int,
    seed: int,
) -> np.ndarray:
    """Probabilities of the judged graphs after every epoch of a training, shape ``(epochs, graphs, 2)``."""
    train, judged = split
    watch = Watch(graphs.take(judged))
    train_network(
        lambda: build_network(settings, graphs.x.shape[1], 2),
        GraphStream(to_set(graphs.take(train), y[train]), BATCH, seed=seed),
        objective=lambda model, batch: cross_entropy(answer(model, batch), batch.y),
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=epochs,
        clip_norm=1.0,
        callbacks=[watch],
        seed=seed,
    )
    return torch.stack(watch.logits).double().softmax(-1).numpy()


def network_course(
    task: Task,
    train: np.ndarray,
    judged: np.ndarray,
    folds: Sequence[Split],
    *,
    choices: Sequence[GraphSettings] = NETWORKS,
    epochs: int,
    seed: int,
) -> Course:
    """Choose settings and epoch by right answers on inner folds, then log loss, and follow the training on all of ``train``."""
    graphs, y = encode(task, train), task.y
    merit = np.zeros((len(choices), epochs))
    for k, settings in enumerate(choices):
        for a, b in folds:
            said = follow(graphs, y, settings, (train[a], train[b]), epochs, seed)
            truth = said[:, np.arange(len(b)), y[train[b]]]  # (epochs, graphs)
            loss = -np.log(np.maximum(truth, 1e-12)).mean(1)
            merit[k] += (truth > 0.5).sum(1) - TIE * loss
    best, epoch = np.unravel_index(merit.argmax(), merit.shape)
    said = follow(graphs, y, choices[int(best)], (train, judged), epochs, seed)
    return Course(said.argmax(-1) == y[judged], int(epoch))
