"""A contest of generators says rightly what was lost and won."""

from types import SimpleNamespace

import pytest

from gradatim.experiments.generative.synthetic_tables import Contest, claim, sentence
from gradatim.fitting.generative.rows.medium import JITTERED
from gradatim.fitting.generative.rows.model import COPULA, INDEPENDENT
from gradatim.generative import Estimate, Repeats
from gradatim.reports import Report


def figures(auc, loss=0.01, low=0.45):
    test = SimpleNamespace(auc=Estimate(auc, auc, auc))
    teaching = SimpleNamespace(loss=Estimate(loss, loss, loss))
    return SimpleNamespace(test=test, teaching=teaching, copying=Estimate(low + 0.1, low, low + 0.2), repeats=Repeats(0, 0))  # fmt: skip


def contest(auc, **how):
    found = {INDEPENDENT: figures(0.9), COPULA: figures(0.7), JITTERED: figures(0.5, low=0.6), "vae": figures(auc, **how)}  # fmt: skip
    return Contest("T", SimpleNamespace(figures=found), "vae", {})


def failed(*contests):
    report = Report(title="T")
    claim(report, list(contests))
    return [own.name for own in report.claims if not own.holds]


def test_two_of_three_must_win_and_teach():
    won, lost, dull = contest(0.6), contest(0.75), contest(0.6, loss=0.05)
    assert won.gain() == pytest.approx(0.1)
    assert failed(won, won, lost) == []
    assert any("most tables" in name for name in failed(won, lost, lost))
    assert any("most tables" in name for name in failed(won, dull, dull))


def test_copying_is_said():
    assert failed(contest(0.6, low=0.55)) == ["T: it does not copy"]


def test_a_network_that_is_not_worth_it_is_said_to_be():
    assert "does not beat the copula in the two-sample test, by 0.050" in sentence(contest(0.75))
    assert "beats the copula in the two-sample test, by 0.100" in sentence(contest(0.6))
