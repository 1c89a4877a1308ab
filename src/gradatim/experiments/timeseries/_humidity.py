"""Rise tomorrow if it rose for two days and humidity falls: a rule of two series that a window can learn."""

from typing import NamedTuple

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from gradatim.plots import comparison_bars
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.timeseries import TDNN
from gradatim.training import Trainer

LIKELY, ELSE = 0.95, 0.35  # chances of a rise where the rule holds, and elsewhere


class Weather(NamedTuple):
    """Changes of temperature and humidity of two days, whether it rose on the third, and its true chance."""

    past: Tensor  # (N, 2, 2): day, series
    rose: Tensor  # (N,)
    chance: Tensor  # (N,)


def draw_weather(steps: int, generator: torch.Generator) -> Weather:
    """Signs of the temperature's changes follow the rule; sizes, and humidity, are independent."""
    sizes = (0.3 + torch.randn(steps, generator=generator).abs()).tolist()
    humidity = torch.randn(steps, generator=generator)
    coins, falls = torch.rand(steps, generator=generator).tolist(), (humidity < 0).tolist()
    changes, chances = sizes[:2], [0.5, 0.5]
    for t in range(2, steps):
        is_likely = changes[-1] > 0 and changes[-2] > 0 and falls[t - 1]
        chances.append(LIKELY if is_likely else ELSE)
        changes.append(sizes[t] if coins[t] < chances[-1] else -sizes[t])
    series = torch.stack([torch.tensor(changes), humidity], 1)  # (steps, 2)
    past = series.unfold(0, 2, 1)[:-1].transpose(1, 2)
    return Weather(past.contiguous(), (series[2:, 0] > 0).float(), torch.tensor(chances[2:]))


def log_loss(chance: Tensor, rose: Tensor) -> float:
    return nn.functional.binary_cross_entropy(chance.double(), rose.double()).item()


def learn_linear(train: Weather, test: Weather, *, signs: bool) -> Tensor:
    """Logistic regression on the changes, or on their signs."""
    x, x_test = ((w.past.sign() if signs else w.past).flatten(1).numpy() for w in (train, test))
    model = LogisticRegression(C=1e3).fit(x, train.rose.numpy())
    return torch.from_numpy(np.asarray(model.predict_proba(x_test))[:, 1])


def learn_network(train: Weather, test: Weather, seed: int, *, series: int) -> Tensor:
    """A time-delay network on the window of the first series, or of both."""
    with seeded(seed):
        model = TDNN(2, input_dim=series, hidden=(24,), activation="tanh")
    y = train.rose[:, None, None]
    Trainer(
        model, nn.BCEWithLogitsLoss(), lr=0.02, schedule="cosine", epochs=40, batch_size=64, seed=seed, progress=False
    ).fit((train.past[..., :series].contiguous(), y))  # fmt: skip
    with torch.inference_mode():
        return model(test.past[..., :series])[:, 0, 0].sigmoid()


def check_humidity(report: Report, seed: int, steps: int) -> None:
    """Four models of one window, beside the rule."""
    generator = torch.Generator().manual_seed(seed)
    train, test = draw_weather(steps, generator), draw_weather(4000, generator)
    chances = {
        "linear": learn_linear(train, test, signs=False),
        "linear, on signs": learn_linear(train, test, signs=True),
        "TDNN, temperature only": learn_network(train, test, seed, series=1),
        "TDNN": learn_network(train, test, seed, series=2),
        "the rule itself": test.chance,
    }
    losses = {name: log_loss(chance, test.rose) for name, chance in chances.items()}
    over = {name: value - losses["the rule itself"] for name, value in losses.items()}
    report.claim("humidity: of what a linear model loses, the TDNN wins back", 1 - over["TDNN"] / over["linear"], "share of the avoidable log loss", at_least=0.4)  # fmt: skip
    report.claim("humidity: without its series a network cannot know", losses["TDNN, temperature only"] - losses["TDNN"], "log loss more", at_least=0.01)  # fmt: skip
    unit = test.past.sign().flatten(1) @ torch.tensor([1.0, 0.0, 1.0, -1.0]) > 2.5
    report.claim("humidity: one threshold unit on the signs is the rule", (unit != (test.chance > 0.5)).sum().item(), "other days", equals=0)  # fmt: skip
    wrong = {name: ((chance > 0.5) != (test.chance > 0.5)).double().mean().item() for name, chance in chances.items()}  # fmt: skip
    report.table("Rise or fall on held-out days", columns=["model", "log loss", "says other than the rule"], rows=[[name, losses[name], wrong[name]] for name in chances])  # fmt: skip
    report.text(
        "Notes say that a linear model cannot follow “rising for two days and humidity falling”. That holds of the changes themselves. "
        "Their signs are another matter: one threshold unit is the “and” of three. (Logistic regression on them is still off, for "
        "its chances must add up.) The example has two series and an answer of two kinds, where the notes' formula predicts one "
        "series by its own past; temperature alone does not know the rule."
    )
    report.figure(
        "humidity",
        comparison_bars(losses, label="log loss of “rises tomorrow”, held-out days", highlight="TDNN"),
        caption="Temperature rises with 95 % if it rose on two days and humidity falls, else with 35 %.",
    )  # fmt: skip
