import numpy as np

from gradatim.fitting.verdict import decide

SIMPLE = {"mean": np.array([3.0, 3.1, 3.2, 2.9]), "line": np.array([1.0, 1.1, 0.9, 1.0]), "trees": np.array([0.99, 1.08, 0.92, 0.98])}  # fmt: skip


def test_the_network_must_win_clearly():
    verdict = decide(SIMPLE, SIMPLE["trees"] - np.array([0.4, 0.41, 0.42, 0.4]), 0.3, "RMSE")
    assert verdict.network_wins
    assert (verdict.recommended, verdict.best_simple) == ("network", "trees")
    assert verdict.difference.high < 0
    assert verdict.sentence.startswith("The network beats the best simple model, trees: its RMSE is 0.4075 lower (95 % interval")  # fmt: skip


def test_occam_takes_the_simplest_within_one_standard_error():
    verdict = decide(SIMPLE, SIMPLE["trees"] + np.array([0.1, -0.1, 0.1, -0.12]), 0.3, "RMSE")
    assert not verdict.network_wins
    assert verdict.recommended == "line"
    assert "does not clearly beat the best simple model, trees" in verdict.sentence
    assert verdict.sentence.endswith("Recommended: line, the simplest that no model is more than one standard error ahead of.")  # fmt: skip


def test_a_network_ahead_by_more_than_an_error_is_recommended_and_not_said_to_win():
    # mean -0.0525, s = 0.102; the error is s / 2 = 0.051 with ratio 0, and sqrt(0.3) s = 0.056 with ratio 0.05
    scores = {"line": np.array([1.0, 1.1, 0.9, 1.0])}
    network = scores["line"] + np.array([-0.11, -0.1, -0.1, 0.1])
    verdict = decide(scores, network, 0.0, "RMSE")
    assert (verdict.recommended, verdict.network_wins) == ("network", False)
    assert "does not clearly beat the best simple model, line" in verdict.sentence
    assert verdict.sentence.endswith("Recommended: the network, the simplest that no model is more than one standard error ahead of.")  # fmt: skip
    assert decide(scores, network, 0.05, "RMSE").recommended == "line"


def test_a_worse_network_is_called_worse():
    verdict = decide(SIMPLE, SIMPLE["trees"] + np.array([0.5, 0.51, 0.52, 0.5]), 0.3, "RMSE")
    assert verdict.sentence.startswith("The network is worse than the best simple model, trees: its RMSE is 0.5075 higher")  # fmt: skip


def test_without_a_network():
    assert decide(SIMPLE, None, 0.3, "RMSE").sentence == "The network could not be trained. Recommended: line."  # fmt: skip
