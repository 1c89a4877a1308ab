"""Images and a small convolutional network, as experiments on robustness share them."""

import torch
from torch import Tensor, nn

from gradatim.data import load
from gradatim.experiments._digits import split_digits
from gradatim.randomness import seeded
from gradatim.robust import Adversarial, Attack
from gradatim.training import Trainer

Pair = tuple[Tensor, Tensor]
BOUNDS = (0.0, 1.0)


def load_images(name: str, train_rows: int, test_rows: int, seed: int) -> tuple[Pair, Pair]:
    """Grey images ``(N, 1, H, W)`` in [0, 1]: the first rows of MNIST, or of the small digits, shuffled."""
    if name == "digits":
        train, test = split_digits(seed)
    else:
        data = load(name)
        (X, y), (X_test, y_test) = data.train, data.test
        train = torch.as_tensor(X), torch.as_tensor(y)
        test = torch.as_tensor(X_test), torch.as_tensor(y_test)
    return _first(train, train_rows), _first(test, test_rows)


def _first(pair: Pair, rows: int) -> Pair:
    return pair[0][:rows], pair[1][:rows].long()


def build_network(side: int, seed: int) -> nn.Sequential:
    """Two convolutions of stride two and two dense layers.

    Reference:
        Wong and Kolter, Provable Defenses against Adversarial Examples, 2018, for MNIST.
    """
    with seeded(seed):
        return nn.Sequential(
            nn.Conv2d(1, 16, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * (side // 4) ** 2, 100),
            nn.ReLU(),
            nn.Linear(100, 10),
        )


def train_network(
    train: Pair, *, epochs: int, seed: int, lr: float = 2e-3, attack: Attack | None = None
) -> nn.Sequential:
    """Train the network on images as they are, or as ``attack`` leaves them."""
    network = build_network(train[0].shape[-1], seed)
    trainer = Trainer(
        network,
        lr=lr,
        schedule="cosine",
        epochs=epochs,
        batch_size=128,
        objective=None if attack is None else Adversarial(attack),
        seed=seed,
        progress=False,
    )
    trainer.fit(train)
    return network


@torch.inference_mode()
def predict(network: nn.Module, images: Tensor) -> Tensor:
    """The class of every image."""
    return torch.cat([network(part).argmax(1) for part in images.split(1000)])


def one_of_each(network: nn.Module, images: Tensor, labels: Tensor) -> Tensor:
    """Rows of the first image of every digit that the network reads right."""
    right = (predict(network, images) == labels).nonzero().flatten()
    return torch.stack([right[(labels[right] == digit).nonzero()[0, 0]] for digit in range(10)])


def accuracy(network: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Right answers in per cent."""
    return 100 * (predict(network, images) == labels).float().mean().item()
