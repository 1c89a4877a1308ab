"""The course of networks that write, on letters that count."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

import gradatim
from gradatim.data.tokenizers import CharacterTokenizer
from gradatim.errors import InvalidValue
from gradatim.events import Cancelled, CancelToken, Figure, Sample, Stage
from gradatim.fitting.course import Course, Seen, take_course
from gradatim.fitting.language.model import LanguageModel
from gradatim.fitting.options import Options
from gradatim.fitting.rounds import Plan, Size
from gradatim.fitting.verdict import decide
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.reports import Concern

WINDOWS = torch.arange(40)[:, None].add(torch.arange(9)) % 3
BATCHES = [(part[:, :-1], part[:, 1:]) for part in WINDOWS.split(10)]


class Counting(Course):
    """Learn to say abcabc."""

    task, metric, material = "counting", "errors", "letters"
    figure, stretch = ("loss", "loss {:.1f}"), (0.2, 0.6)
    judging, spare = "judging the letters", 0.0
    doubt, remedy = Concern("No better than guessing"), "More letters"
    name, title, headline = "letters", "Letters", "Three letters"

    def __init__(self, network_score=0.0):
        super().__init__()
        self.notes, self.network_score, self.seconds = ["Letters were made."], network_score, []

    def fingerprint(self):
        return "abc"

    def prepare(self, work, tell):
        tell(Stage("preparing", 0.1))

    def plan(self, seconds):
        self.seconds.append(seconds)
        return Plan(Size(8, 1, 2), context=8, rounds=3, seed=4)

    def build(self, plan):
        return GPT(3, plan.context, *plan.size)

    def batches(self, plan):
        return BATCHES, BATCHES

    def learning(self, plan):
        return {"loss": token_cross_entropy, "lr": 0.01}

    def model(self, network):
        return LanguageModel(network, CharacterTokenizer("abc"), about={})

    def look(self, model, loss):
        return 2 * loss, model.generate("a", 4, temperature=0.0)

    def judge(self, model):
        guess = np.linspace(0.9, 1.1, 5)
        return decide({"guessing": guess}, self.network_score * guess, 0.0, self.metric)

    def about(self):
        return {"test": {"network": 1.0}}

    def describe(self, report, outcome):
        report.text(f"{outcome.plan.rounds} rounds")

    def explain(self, report, outcome):
        report.text("explained")

    def usage(self, outcome):
        return f"load({outcome.folder.name!r})"


def options(tmp_path, **given):
    return Options(output=str(tmp_path / "m"), budget=100.0, **given)


def test_the_course_ends_in_a_folder(tmp_path):
    told, course = [], Counting()
    result = take_course(lambda: course, options(tmp_path), tell=told.append, started=None)
    assert [e.what for e in told if isinstance(e, Stage)][:2] == ["reading the data", "preparing"]
    figures = [e for e in told if isinstance(e, Figure)]
    assert [(f.name, f.step) for f in figures] == [("loss", 1), ("loss", 2), ("loss", 3)]
    shares = [e.share for e in told if isinstance(e, Stage)]
    assert shares == pytest.approx([0, 0.1, 1 / 3, 0.4667, 0.6, 0.6], abs=0.01)
    samples = [e for e in told if isinstance(e, Sample)]
    assert samples[0] == Sample(f"round 1 of 3: loss {figures[0].value:.1f}", course.watched[0].sample)  # fmt: skip
    assert course.watched == [Seen(f.step, f.value, s.content) for f, s in zip(figures, samples, strict=True)]  # fmt: skip
    assert 0.0 < course.seconds[0] <= 0.75 * 95.0  # some time is kept in reserve
    model = gradatim.load_model(tmp_path / "m")
    assert model.about == {
        "data": "letters",
        "task": "counting",
        "metric": "errors",
        "verdict": result.verdict.sentence,
        "test": {"network": 1.0},
    }
    assert result.verdict.network_wins
    assert result.concerns == []
    assert (result.player, result.command) == (course, "")
    sections = [getattr(s, "title", getattr(s, "text", getattr(s, "source", ""))) for s in result.report.sections]  # fmt: skip
    assert sections == ["3 rounds", "What was done to the letters", "explained", "How to use the model:", "load('m')"]  # fmt: skip
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]  # the work folder is gone


def test_doubts_are_told(tmp_path):
    result = take_course(lambda: Counting(1.1), options(tmp_path))
    assert result.concerns == [Counting.doubt]
    table = next(s for s in result.report.sections if getattr(s, "title", "") == "Warnings")
    assert table.rows == [["No better than guessing."]]


def test_a_budget_that_is_over_ends_training(tmp_path):
    job = Options(output=str(tmp_path / "m"), budget=1e-9)
    result = take_course(Counting, job)
    assert result.report.seconds < 60
    assert "The machine was slower than measured" in [c.what for c in result.concerns]


def test_a_cancelled_run_goes_on_to_the_same_weights(tmp_path):
    whole = take_course(Counting, options(tmp_path / "a"))
    token, rounds = CancelToken(), []

    def cancel(event):
        if isinstance(event, Figure) and event.step == 2:
            token.cancel()

    with pytest.raises(Cancelled):
        take_course(Counting, options(tmp_path / "b"), tell=cancel, cancel=token)
    course = Counting()
    again = take_course(
        lambda: course, options(tmp_path / "b", resume=True),
        tell=lambda event: rounds.append(event.step) if isinstance(event, Figure) else None,
    )  # fmt: skip
    assert rounds == [3]
    assert [seen.round for seen in course.watched] == [1, 2, 3]
    assert course.seconds == []  # the plan is the one of the first run
    for a, b in zip(whole.model.network.parameters(), again.model.network.parameters(), strict=True):  # fmt: skip
        assert a.equal(b)


def test_a_run_on_other_data_does_not_resume(tmp_path):
    @dataclass
    class Broken(Exception):
        pass

    class Other(Counting):
        def fingerprint(self):
            return "xyz"

    class Failing(Counting):
        def judge(self, model):
            raise Broken

    with pytest.raises(Broken):
        take_course(Failing, options(tmp_path))
    with pytest.raises(InvalidValue, match="resume must go on with the same data and settings, but data changed"):  # fmt: skip
        take_course(Other, options(tmp_path, resume=True))
