"""Activation functions side by side: values, derivatives, ranges, and where they stop learning."""

from dataclasses import dataclass

import torch

from gradatim.nn import gain
from gradatim.nn.activations import table
from gradatim.plots.activations import activation_gallery
from gradatim.reports import Report


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    points: tuple[float, ...] = (-5.0, -1.0, 0.0, 1.0, 5.0)


QUICK = Settings()


def check_facts(report: Report) -> None:
    z = torch.linspace(-20, 20, 4001, dtype=torch.float64)
    rows = {row.name: row for row in table(z.tolist())}
    gap = (torch.tanh(z) - (2 * torch.sigmoid(2 * z) - 1)).abs().max().item()
    flattest = max(abs(slope) for name in ("step", "sign") for slope in rows[name].derivatives)
    steepest = {name: max(rows[name].derivatives) for name in ("sigmoid", "tanh")}
    floor = min(rows["selu"].values)
    for name, expected, measured, holds in (
        ("tanh is a scaled sigmoid", "|tanh z − (2σ(2z) − 1)| < 1e-15", gap, gap < 1e-15),
        (
            "largest slope of the sigmoid",
            "0.25 at z = 0",
            steepest["sigmoid"],
            steepest["sigmoid"] == 0.25,
        ),
        ("largest slope of tanh", "1 at z = 0", steepest["tanh"], steepest["tanh"] == 1),
        ("thresholds pass no gradient", "slope 0 everywhere", flattest, flattest == 0),
        ("floor of SELU", "−λα = −1.7581", floor, abs(floor + 1.7581) < 1e-4),
    ):
        report.claim(name, expected=expected, measured=measured, holds=holds)


def list_facts(report: Report, points: tuple[float, ...]) -> None:
    facts = table(points)
    values = [f"φ({p:g})" for p in points]
    report.table(
        "What is known of each",
        columns=["name", *values, "range", "zero-centred", "saturates", "gain"],
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
        columns=["name", *[f"φ′({p:g})" for p in points]],
        rows=[[row.name, *[round(value, 4) for value in row.derivatives]] for row in facts],
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Activation functions",
        summary="Sigmoid and tanh stop learning on both sides, the ReLU family on the left only or "
        "nowhere, and a threshold everywhere.",
    )
    check_facts(report)
    list_facts(report, settings.points)
    report.figure(
        "gallery",
        activation_gallery(),
        caption="Activations (solid) and their derivatives (dashed). Grey: derivative below 0.01, where "
        "almost no gradient passes.",
    )
    return report
