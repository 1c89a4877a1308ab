"""Ctrl-C ends what runs: nobody swallows it, and half a training is never a result."""

import ast
from pathlib import Path

import pytest
import torch

import gradatim
from gradatim import experiments, instruments
from gradatim.models import MLP
from gradatim.training import Trainer

SOURCE = Path(gradatim.__file__).parent
WIDE = {"KeyboardInterrupt", "BaseException", "Cancelled"}


def catchers(path):
    """Lines that catch what Ctrl-C raises and do not raise again."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        caught, is_raised = [], False
        if isinstance(node, ast.ExceptHandler):
            caught = [node.type] if node.type else [ast.Name("BaseException")]
            is_raised = any(isinstance(part, ast.Raise) for part in ast.walk(node))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "suppress":
            caught = node.args
        names = {part.id for each in caught for part in ast.walk(each) if isinstance(part, ast.Name)}  # fmt: skip
        if names & WIDE and not is_raised:
            yield node.lineno


def test_only_the_command_line_catches_an_interrupt_for_good():
    found = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if list(catchers(path))}
    # the doctor's are of somebody else's script: they end it, and its record is written
    assert found == {"__main__.py", "cli/main.py", "doctor/child.py", "doctor/supervising.py"}


@pytest.mark.parametrize("name", ["digits-table", "batchnorm", "saturation", "schedules"])
@pytest.mark.parametrize("step", [1, 7])
def test_an_interrupted_experiment_has_no_report(name, step, monkeypatch, tmp_path):
    """Whatever trains inside: the interrupt arrives at a step, and reaches the caller."""
    observe, seen = Trainer._observe, []

    def interrupt(trainer, *arguments):
        seen.append(trainer)
        if len(seen) == step:
            raise KeyboardInterrupt
        return observe(trainer, *arguments)

    monkeypatch.setattr(Trainer, "_observe", interrupt)
    with pytest.raises(KeyboardInterrupt):
        experiments.run(name, quick=True, output=tmp_path / "out")
    assert len(seen) == step
    assert not (tmp_path / "out").exists()


def test_an_interrupted_instrument_or_estimator_has_no_result(monkeypatch):
    def interrupt(trainer, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "_observe", interrupt)
    X, y = torch.arange(80.0)[:, None], torch.arange(80) % 2
    with pytest.raises(KeyboardInterrupt):
        instruments.lr_range_test(MLP((1, 4, 2)), (X, y))
    with pytest.raises(KeyboardInterrupt):
        gradatim.NeuralClassifier().fit(X.numpy(), y.numpy())
