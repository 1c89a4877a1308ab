import sys

import pytest

from gradatim import experiments
from gradatim.cli import main

SOURCE = '''"""Numbers are even."""

import signal
from dataclasses import dataclass

from gradatim.errors import Unavailable
from gradatim.reports import Report


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    number: int = 2
    fault: str = ""


QUICK = Settings(number=4)


def run(settings: Settings) -> Report:
    if settings.fault == "unexpected":
        raise ZeroDivisionError("division by\\nzero")
    if settings.fault == "unavailable":
        raise Unavailable("data: the set is not here. Run 'gradatim data get mnist'.")
    if settings.fault == "interrupt":
        raise KeyboardInterrupt
    if settings.fault in ("swallow", "turn"):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            if settings.fault == "turn":
                raise ImportError("half a library") from error
    report = Report(title="Parity", summary="Even.")
    even = settings.number % 2 == 0
    report.claim("even", expected="no rest", measured=settings.number % 2, holds=even)
    report.table("Numbers", columns=["number"], rows=[[settings.number]])
    return report
'''


@pytest.fixture
def parity(tmp_path, monkeypatch):
    """A small experiment, and a working folder of its own."""
    folder = tmp_path / "more_experiments" / "numbers"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""Whole numbers."""\n')
    (folder / "even_numbers.py").write_text(SOURCE)
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(folder.parent)])
    monkeypatch.chdir(tmp_path)
    yield "even-numbers"
    for module in ("numbers.even_numbers", "numbers"):
        sys.modules.pop(f"gradatim.experiments.{module}", None)
    vars(experiments).pop("numbers", None)


@pytest.fixture
def call(capsys, monkeypatch):
    """Call the entry point; give exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        code = main(list(words))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
