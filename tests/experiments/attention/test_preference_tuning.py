"""Preference tuning: pairs, judge and the least price of pleasing him."""

import pytest
import torch

from gradatim import experiments
from gradatim.data import Vocabulary
from gradatim.experiments._characters import made_up_text
from gradatim.experiments.attention import preference_tuning

SHORT = {
    "characters": "9000",
    "steps": "20",
    "drawn": "200",
    "pairs": "32",
    "answers": "16",
    "rounds": "2",
    "judged": "9",
}


def test_a_short_run_measures_and_draws_everything():
    report = experiments.run("preference-tuning", quick=True, overrides=SHORT)
    assert len(report.claims) == 11
    assert [picture.name for picture in report.pictures] == ["policy-gradients"]


def test_the_least_divergence_is_that_of_two_coins():
    for q, p in ((0.9, 0.2), (0.5, 0.5), (1.0, 0.125)):
        after, before = (torch.distributions.Bernoulli(torch.tensor(x)) for x in (q, p))
        expected = torch.distributions.kl_divergence(after, before).nan_to_num().item()
        assert preference_tuning.least_divergence(100 * q, 100 * p) == pytest.approx(
            expected, abs=1e-6
        )


def test_pairs_are_what_the_judge_prefers(monkeypatch):
    lines = ["\nthe king loves the fool.", "\nthe king fears the fool."] * 5
    words = [preference_tuning.split_words(line) for line in lines]
    vocabulary = Vocabulary.build(words)
    tokens = torch.tensor([vocabulary.encode(row) for row in words])
    monkeypatch.setattr(preference_tuning, "generate", lambda *a, **k: tokens)
    judge = preference_tuning.Judge(vocabulary)
    assert judge.sentences(tokens)[0] == "the king loves the fool."
    assert judge(tokens).tolist() == [1.0, 0.0] * 5
    settings = preference_tuning.Settings(drawn=10, pairs=7)
    chosen, rejected = preference_tuning.draw_pairs(None, judge, torch.zeros(1, 1), settings)
    assert judge(chosen).tolist() == [1.0] * 7
    assert judge(rejected).tolist() == [0.0] * 7


def test_an_answer_is_as_long_as_a_sentence():
    lines = made_up_text(2000, 0).split("\n")[:-1]
    assert {len(preference_tuning.split_words(line + "\n")) for line in lines} == {
        preference_tuning.LENGTH
    }
