import sys

import pytest

from gradatim import experiments

SOURCE = '''"""Coins land on both sides.

More words.
"""

from dataclasses import dataclass

import torch

from gradatim.reports import Report

COVERS = ("A0",)
KEYWORDS = "heads or tails, Bernoulli"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    throws: int = 1000


QUICK = Settings(throws=10)


def run(settings: Settings) -> Report:
    heads = int(torch.randint(2, (settings.throws,)).sum())
    report = Report(title="Coins", summary="They do.")
    report.claim("both sides", expected="0 < heads", measured=heads, holds=heads > 0)
    return report
'''


@pytest.fixture
def coin_toss(tmp_path, monkeypatch):
    """A small experiment, present for one test."""
    folder = tmp_path / "more_experiments" / "chance"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""Games of chance."""\n')
    (folder / "coin_toss.py").write_text(SOURCE)
    (folder / "_helper.py").write_text("raise AssertionError")
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(folder.parent)])
    yield "coin-toss"
    for module in ("chance.coin_toss", "chance"):
        sys.modules.pop(f"gradatim.experiments.{module}", None)
    vars(experiments).pop("chance", None)
