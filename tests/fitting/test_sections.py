"""What reports say alike, line by line."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gradatim.fitting.sections import frame_usage, surest_mistakes, target_row


def problem(y, labels=(), classes=0):
    return SimpleNamespace(y=np.array(y), train=np.arange(len(y) - 1), labels=list(labels), classes=classes)  # fmt: skip


def test_classes_are_counted_in_the_training_rows_and_values_described():
    assert target_row(problem([0, 0, 1, 1], ["a", "b"], 2)) == ["classes", "a 2, b 1"]
    assert target_row(problem([1.0, 3.0, 99.0])) == ["target", "mean 2, deviation 1, 1 to 3"]
    many = target_row(problem([*range(13), 0], range(13), 13))[1]
    assert many.startswith("0 1, 1 1, ")
    assert many.endswith("11 1, …")


def test_mistakes_the_surest_first():
    output = np.array([[0.6, 0.4], [0.1, 0.9], [0.3, 0.7], [0.2, 0.8]])
    assert surest_mistakes(output, np.array([1, 0, 1, 0]), 9) == [1, 3, 0]
    assert surest_mistakes(output, output.argmax(1), 9) == []


@pytest.mark.parametrize("is_tuned", [True, False])
def test_lines_that_use_a_folder_line_up_and_compile(is_tuned):
    words = "intervals" if is_tuned else ""
    found = SimpleNamespace(folder=Path("m"), tuning="yes" if is_tuned else None, interval_words=words)  # fmt: skip
    lines = frame_usage(found, "new.csv", "a column", gives="labels", has_classes=True)
    compile(lines, "usage", "exec")
    assert {line.index("#") for line in lines.splitlines() if "#" in line} == {40}
    assert "model.predict_proba(frame)              # probabilities\n" in lines
    assert ("the network instead" in lines) == is_tuned
    assert ("model.predict_interval(frame)           # intervals that hold 90 %\n" in lines) == is_tuned  # fmt: skip
    assert "probabilities" not in frame_usage(found, "new.csv", "a column", gives="values")
