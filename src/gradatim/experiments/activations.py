"""Activation functions side by side: values, derivatives, ranges, and where they stop learning."""

from dataclasses import dataclass

import torch

from gradatim.evaluation import Report
from gradatim.nn import gain
from gradatim.nn.activations import table
from gradatim.plots.activations import activation_gallery


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    points: tuple[float, ...] = (-5.0, -1.0, 0.0, 1.0, 5.0)


QUICK = Settings()


def run(settings: Settings) -> Report:
    report = Report(
        title="Activation functions",
        summary="Sigmoid and tanh stop learning on both sides, the ReLU family on the left only or "
        "nowhere, and a threshold everywhere.",
    )
    z = torch.linspace(-20, 20, 4001, dtype=torch.float64)
    rows = {row.name: row for row in table(z.tolist())}
    gap = (torch.tanh(z) - (2 * torch.sigmoid(2 * z) - 1)).abs().max().item()
    report.claim(
        "tanh is a scaled sigmoid",
        expected="|tanh z − (2σ(2z) − 1)| < 1e-15",
        measured=gap,
        holds=gap < 1e-15,
    )
    for name, largest in (("sigmoid", 0.25), ("tanh", 1.0)):
        measured = max(rows[name].derivatives)
        report.claim(
            f"largest derivative of {name}",
            expected=f"{largest} at z = 0",
            measured=measured,
            holds=abs(measured - largest) < 1e-12,
        )
    slopes = [max(map(abs, rows[name].derivatives)) for name in ("step", "sign")]
    report.claim(
        "thresholds pass no gradient",
        expected="derivative 0 everywhere",
        measured=max(slopes),
        holds=max(slopes) == 0,
    )
    floor = min(rows["selu"].values)
    report.claim(
        "floor of SELU", expected="−λα = −1.7581", measured=floor, holds=abs(floor + 1.7581) < 1e-4
    )
    facts = table(settings.points)
    report.table(
        "What is known of each",
        columns=[
            "name",
            *[f"φ({p:g})" for p in settings.points],
            "range",
            "zero-centred",
            "saturates",
            "gain",
        ],
        rows=[
            [
                row.name,
                *[round(value, 4) for value in row.values],
                "{:.4g} to {:.4g}".format(*row.range),
                "yes" if row.is_zero_centred else "no",
                row.saturates,
                round(gain(row.name), 4),
            ]
            for row in facts
        ],
    )
    report.table(
        "Derivatives",
        columns=["name", *[f"φ′({p:g})" for p in settings.points]],
        rows=[[row.name, *[round(value, 4) for value in row.derivatives]] for row in facts],
    )
    report.figure(
        "gallery",
        activation_gallery(),
        caption="Activations (solid) and their derivatives (dashed). Grey: derivative below 0.01, where "
        "almost no gradient passes.",
    )
    return report
