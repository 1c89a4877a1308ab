"""The digits learned three ways: from labels, from no labels, and from praise alone."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gradatim.clustering import find_clusters
from gradatim.data import load
from gradatim.models import MLP
from gradatim.plots import CurvePanel, comparison_bars, curve_panels, image_grid
from gradatim.reinforcement import PPO, Box, Discrete, Environment, Learned, Move, learn
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("A7",)
KEYWORDS = "machine learning paradigms, supervised, unsupervised, reinforcement learning, task experience performance"
TEST = 450


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    epochs: int = 40
    guesses: int = 160_000
    points: int = 20


QUICK = Settings(guesses=50_000, points=10)


class Guessing(Environment):
    """A digit is shown, a guess is made, and it pays 1 if it is right; what would have been right is never told."""

    def __init__(self, x: Tensor, y: Tensor) -> None:
        self.x, self.y = x, y
        width = x.shape[1]
        self.observation_space, self.action_space = (
            Box((0.0,) * width, (1.0,) * width),
            Discrete(10),
        )

    def start(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """Any digit."""
        return torch.randint(len(self.x), which.shape, generator=generator)

    def move(self, state: Tensor, action: Tensor, generator: torch.Generator) -> Move:
        """Praise or nothing, and the episode is over."""
        over = torch.ones(len(state), dtype=torch.bool)
        return Move(state, (action == self.y[state]).float(), over, ~over)

    def observe(self, state: Tensor) -> Tensor:
        """The picture."""
        return self.x[state]


def run(settings: Settings) -> Report:
    report = Report(
        title="Three paradigms",
        summary="The same pictures, three kinds of experience: the right answer to each, none at all, or only whether a guess was "
        "right. The less is told, the less, or the later, is learned.",
    )
    data = load("digits")
    assert data.y is not None
    order = torch.randperm(len(data.y), generator=torch.Generator().manual_seed(settings.seed))
    x = torch.as_tensor(data.X, dtype=torch.float32).flatten(1)[order]
    x, y = x / x.max(), torch.as_tensor(data.y)[order].long()
    train, test = (x[TEST:], y[TEST:]), (x[:TEST], y[:TEST])
    labels = _from_labels(settings, train, test)
    centers, clusters = _from_clusters(settings, train, test)
    learned, reward = _from_reward(settings, train, test)
    found = {"labels": labels, "reward only": reward[-1][1], "clusters, named afterwards": clusters}
    _claims(report, settings, found, reward[0], len(train[1]))
    report.figure("accuracy", comparison_bars(found, label="accuracy on 450 digits that none has seen"), caption="Clusters are named by what most of their digits are; that is the only use of labels there.")  # fmt: skip
    panel = CurvePanel("Learning by guessing", "guesses", "accuracy on test digits", {"reward only": ([g for g, _ in reward], [a for _, a in reward])}, {"from labels": ([reward[0][0], reward[-1][0]], [labels, labels])})  # fmt: skip
    report.figure("guesses", curve_panels([panel], width=6.4, height=3.7), caption="Each guess tells only whether it was right.")  # fmt: skip
    report.figure("clusters", image_grid(centers.view(-1, 8, 8), columns=10), caption="What k-means found: the means of its clusters.")  # fmt: skip
    _show(report, learned, test)
    return report


Pair = tuple[Tensor, Tensor]


def _from_labels(settings: Settings, train: Pair, test: Pair) -> float:
    torch.manual_seed(settings.seed)
    model = MLP((64, 64, 10))
    Trainer(model, epochs=settings.epochs, lr=3e-3, batch_size=64, seed=settings.seed, progress=False).fit(train)  # fmt: skip
    with torch.inference_mode():
        return float((model.eval()(test[0]).argmax(1) == test[1]).double().mean())


def _from_clusters(settings: Settings, train: Pair, test: Pair) -> tuple[Tensor, float]:
    found = find_clusters(train[0], 10, seed=settings.seed)
    names = torch.stack([train[1][found.labels == k].bincount(minlength=10).argmax() for k in range(10)])  # fmt: skip
    nearest = torch.cdist(test[0], found.centers).argmin(1)
    return found.centers, float((names[nearest] == test[1]).double().mean())


def _from_reward(settings: Settings, train: Pair, test: Pair) -> tuple[Learned, list[tuple[int, float]]]:  # fmt: skip
    """Accuracy on test digits after so many guesses on the others."""
    agent, reached = PPO(gamma=0.0, lam=0.0, rollout=8, epochs=6, batch_size=128, hidden=(64,), lr=3e-3), list[tuple[int, float]]()  # fmt: skip

    def watch(state: object, info: object) -> None:
        steps = state.steps  # type: ignore[attr-defined]
        if not reached or steps * settings.points >= settings.guesses * len(reached):
            with torch.no_grad():
                right = agent.policy(state)(test[0]) == test[1]  # type: ignore[arg-type]
            reached.append((steps, float(right.double().mean())))

    learned = learn(agent, Guessing(*train), steps=settings.guesses, episodes=1, seed=settings.seed, watch=watch)  # fmt: skip
    return learned, reached


def _claims(
    report: Report,
    settings: Settings,
    found: dict[str, float],
    early: tuple[int, float],
    count: int,
) -> None:
    labels, reward, clusters = found.values()
    report.claim(f"{count:,} labels teach the digits", labels, "test accuracy", at_least=0.93)
    report.claim(f"praise teaches them more slowly: {early[0]:,} guesses", early[1], "test accuracy, well below that of labels", below=labels - 0.05)  # fmt: skip
    report.claim(f"{settings.guesses:,} guesses teach nearly as much", reward, "test accuracy", at_least=labels - 0.1)  # fmt: skip
    report.claim("clusters alone find most digits", clusters, "test accuracy, clusters named by their majority", at_least=0.65)  # fmt: skip
    report.claim("but mix some up that praise tells apart", reward - clusters, "test accuracy more by praise", above=0.05)  # fmt: skip


@torch.no_grad()
def _show(report: Report, learned: Learned, test: Pair) -> None:
    guesses = learned.policy(test[0][:16])
    titles = [f"{int(g)}" if g == y else f"{int(g)}, is {int(y)}" for g, y in zip(guesses, test[1], strict=False)]  # fmt: skip
    report.figure("shown", image_grid(np.asarray(test[0][:16].view(-1, 8, 8)), titles, columns=8), caption="Guesses of the agent after its training.")  # fmt: skip
