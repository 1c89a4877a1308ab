"""Run an experiment with its own seed and leave the caller's random numbers alone."""

import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradatim.errors import require_seed
from gradatim.experiments._discovery import load
from gradatim.experiments._settings import blame_changes, check_changes, override

if TYPE_CHECKING:
    from gradatim.reports import Report

_NOTHING: Mapping[str, str] = MappingProxyType({})


def run(
    name: str,
    *,
    quick: bool = False,
    overrides: Mapping[str, str] = _NOTHING,
    output: str | Path | None = None,
) -> "Report":
    """Run an experiment and return its report.

    Args:
        name: Such as ``"xor"``; see :func:`names`.
        quick: Whether to start from the short settings.
        overrides: Settings to change, as text by name: ``{"seed": "1", "lr": "0.1"}``.
        output: Folder to write the report into, if any.

    Example:
        >>> run("xo", overrides={"seed": "1"})
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: experiments: name must be ...
    """
    from gradatim.reports.report import prepare_folder

    experiment = load(name)
    start = experiment.QUICK if quick else experiment.Settings()
    settings = override(name, start, overrides)
    check_changes(name, start, settings)
    require_seed("run", settings.seed)
    if output is not None:
        prepare_folder(output)  # a long run should not end in front of a locked door
    import torch

    from gradatim.randomness import seeded

    began = time.perf_counter()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with seeded(settings.seed, device), blame_changes(name, start, settings):
        report: Report = experiment.run(settings)
    report.settings = dataclasses.asdict(settings)
    report.seconds = time.perf_counter() - began
    if output is not None:
        report.write(output)
    return report
