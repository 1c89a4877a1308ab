"""Why the learning rate should fall: a constant one ends in noise, whatever the schedule's shape."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from gradatim import data
from gradatim.instruments import lr_range_test, schedule_curve, sparkline
from gradatim.models import MLP
from gradatim.nn import initialize
from gradatim.optim import Langevin, Schedule, schedules
from gradatim.plots.optim import decay_curves, schedule_curves
from gradatim.reports import Report
from gradatim.training import SWA, SwitchOptimizer, Trainer

COVERS = ("C3",)
KEYWORDS = "learning rate scheduling decay, step decay, exponential decay, 1/t decay, cosine annealing, warm restarts, warm-up, fixed learning rate, Robbins-Monro"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    epochs: int = 40
    chains: int = 4000
    steps: int = 2000
    training_epochs: int = 30
    repeats: int = 3


QUICK = Settings(chains=1000, steps=500, training_epochs=8)
Pair = tuple[torch.Tensor, torch.Tensor]


def every_schedule(epochs: float) -> dict[str, Schedule]:
    """Each schedule with settings that show its shape over a run of this length."""
    return {
        "constant": schedules.constant(),
        "step": schedules.step(drop=0.5, every=epochs / 4),
        "exponential": schedules.exponential(rate=4 / epochs),
        "1/t": schedules.inverse_time(rate=20 / epochs),
        "linear": schedules.linear(),
        "cosine": schedules.cosine(),
        "cosine restarts": schedules.cosine_restarts(period=epochs / 7, multiplier=2),
        "warm-up, cosine": schedules.warm_up(epochs=epochs / 8),
        "constant, then cosine": schedules.sequence(
            (epochs / 2, schedules.constant()), schedules.cosine()
        ),
    }


def check_shapes(report: Report, settings: Settings) -> None:
    T = settings.epochs
    curves = {
        label: schedule_curve(schedule, epochs=T, lr=0.1, points=401)
        for label, schedule in every_schedule(T).items()
    }
    quarters = (0, 100, 200, 300, 400)
    report.table(
        f"Rate over a run of {T} epochs, from 0.1",
        columns=["schedule", "curve", "start", "¼", "½", "¾", "end"],
        rows=[
            [label, sparkline(curve.lrs, width=24), *(round(curve.lrs[k], 5) for k in quarters)]
            for label, curve in curves.items()
        ],
    )
    report.figure(
        "schedules",
        schedule_curves(curves),
        caption="Nine schedules on the same axes; the last two are composed of others.",
    )
    cosine = [curves["cosine"].lrs[k] for k in (0, 200, 400)]
    report.claim(
        "cosine: whole rate at the start, half of it halfway, none at the end",
        expected="0.1, 0.05, 0",
        measured=", ".join(f"{lr:.3g}" for lr in cosine),
        holds=max(abs(a - b) for a, b in zip(cosine, (0.1, 0.05, 0.0), strict=True)) < 1e-9,
    )
    restarts = curves["cosine restarts"]
    jumps = [k for k in range(1, len(restarts.lrs)) if restarts.lrs[k] - restarts.lrs[k - 1] > 0.05]
    times = [restarts.epochs[k] * 7 / T for k in jumps]
    report.claim(
        "warm restarts with periods 1, 2, 4 jump back at 1, 3 and 7 of seven parts",
        expected="1, 3, 7",
        measured=", ".join(f"{time:.2g}" for time in times),
        holds=[round(time) for time in times] == [1, 3, 7],
    )


def noisy_descent(schedule: Schedule, settings: Settings, lr: float) -> torch.Tensor:
    r"""Mean of :math:`\frac12w^2` over many runs of :math:`w\leftarrow w-\eta_t(w+\xi)`, step by step."""
    w = torch.full((settings.chains,), 3.0, requires_grad=True)
    # noise of the gradient with variance 1 and rate η is Langevin noise of temperature η/2
    source = torch.Generator().manual_seed(settings.seed)
    optimizer = Langevin([w], lr=lr, generator=source)
    values = []
    for t in range(settings.steps):
        values.append(w.detach().square().mean() / 2)
        rate = lr * schedule(t, settings.steps)
        optimizer.param_groups[0].update(lr=rate, temperature=rate / 2)
        w.grad = w.detach().clone()
        optimizer.step()
    return torch.stack(values)


def check_noise(report: Report, settings: Settings) -> None:
    lr = 0.2
    every = every_schedule(settings.steps)
    names = ("constant", "step", "1/t", "cosine", "cosine restarts")
    errors = {label: noisy_descent(every[label], settings, lr) for label in names}
    tail = settings.steps // 5
    floor = errors["constant"][-tail:].mean().item()
    expected = lr / (2 * (2 - lr))
    report.claim(
        "noise of variance 1, constant rate η: the error stays at η/(2(2 − η))",
        floor,
        near=(expected, 0.05 * expected),
    )
    for label in ("step", "1/t", "cosine"):
        ratio = errors[label][-5:].mean().item() / floor
        report.claim(
            f"{label}: ends below the noise of the constant rate", ratio, "{} of it", below=0.25
        )
    report.figure(
        "noise",
        decay_curves(
            errors,
            title="Stochastic descent on a parabola",
            ylabel="mean error over many runs",
        ),
        caption="A constant rate comes down fast and then rattles about in the valley. A falling one lets the rattling "
        "die down; each restart wakes it up again.",
    )


def check_range_test(report: Report, model: MLP, X: torch.Tensor, y: torch.Tensor) -> None:
    found = lr_range_test(model, (X, y), optimizer="momentum", high=100.0, batch_size=32)
    report.figure(
        "range-test",
        found.figure(),
        caption="Raise the rate with every batch and watch: nothing happens, then the loss falls, then it explodes.",
    )
    report.claim(
        "range test: the suggestion lies below the rate at which the loss explodes",
        expected=f"suggestion < {found.lrs[-1]:.2g}",
        measured=found.suggestion,
        holds=found.diverged and found.suggestion < found.lrs[-1],
    )


def build_linear(seed: int) -> MLP:
    model = MLP((64, 10))
    initialize(model, "he", generator=torch.Generator().manual_seed(seed))
    return model


def noisy_digits(seed: int) -> tuple[Pair, Pair]:
    """Digits to learn from, a fifth of them with a wrong label, and digits for the test.

    No weights of a linear model please all of them, so that the gradients stay noisy.
    """
    digits = data.load("digits")
    X, y = torch.as_tensor(digits.X), torch.tensor(digits.y)
    order = torch.randperm(len(X), generator=torch.Generator().manual_seed(seed))
    train, test = order[:1200], order[1200:]
    y[train[:240]] = (y[train[:240]] + 1) % 10
    return (X[train], y[train]), (X[test], y[test])


def run_digits(settings: Settings, seed: int) -> dict[str, list[float]]:
    """Training loss, test loss and test error in per cent by run."""
    train, test = noisy_digits(seed)
    half = settings.training_epochs // 2
    runs: Mapping[str, tuple[str, float, Schedule | None, list]] = {
        "constant": ("momentum", 0.05, None, []),
        "cosine": ("momentum", 0.05, schedules.cosine(), []),
        "constant, averaged (SWA)": ("momentum", 0.05, None, [SWA(start=half)]),
        "Adam": ("adam", 2e-3, None, []),
        "Adam, then SGD": ("adam_then_sgd", 2e-3, None, [SwitchOptimizer(after_epoch=half)]),
    }
    found = {}
    for label, (optimizer, lr, schedule, callbacks) in runs.items():
        trainer = Trainer(
            build_linear(seed),
            optimizer=optimizer,
            lr=lr,
            schedule=schedule,
            epochs=settings.training_epochs,
            batch_size=8,
            callbacks=callbacks,
            seed=seed,
            progress=False,
        )
        trainer.fit(train)
        measured = trainer.evaluate(test, ["error"])
        found[label] = [trainer.evaluate(train)["loss"], measured["loss"], 100 * measured["error"]]
    return found


def check_digits(report: Report, settings: Settings) -> None:
    check_range_test(report, build_linear(settings.seed), *noisy_digits(settings.seed)[0])
    seeds = range(settings.seed, settings.seed + settings.repeats)
    runs = [run_digits(settings, seed) for seed in seeds]  # where a constant rate ends is chance
    means = {label: torch.tensor([run[label] for run in runs]).mean(0).tolist() for label in runs[0]}  # fmt: skip
    report.table(
        f"Linear classifier of digits, a fifth of the labels wrong, batches of 8, {settings.training_epochs} epochs, mean of "
        f"{settings.repeats} runs",
        columns=["run", "training loss", "test loss", "test error %"],
        rows=[[label, *values] for label, values in means.items()],
    )
    for label in ("cosine", "constant, averaged (SWA)"):
        report.claim(
            f"digits: {label} fits the data better than the wandering end of a constant rate",
            means[label][0] / means["constant"][0],
            below=1,
        )


def run(settings: Settings) -> Report:
    report = Report(
        title="Schedules",
        summary="With noisy gradients a constant rate has a floor in proportion to itself; any schedule that falls "
        "goes below it, and so does the average of the weights.",
    )
    check_shapes(report, settings)
    check_noise(report, settings)
    check_digits(report, settings)
    return report
