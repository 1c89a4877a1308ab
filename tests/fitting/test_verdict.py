import numpy as np
import pytest

from gradatim.evaluation import Interval
from gradatim.fitting.verdict import decide, price

SIMPLE = {"mean": np.array([3.0, 3.1, 3.2, 2.9]), "line": np.array([1.0, 1.1, 0.9, 1.0]), "trees": np.array([0.99, 1.085, 0.92, 0.98])}  # fmt: skip


def test_the_network_must_win_clearly():
    verdict = decide(SIMPLE, SIMPLE["trees"] - np.array([0.4, 0.41, 0.42, 0.4]), 0.3, "RMSE")
    assert verdict.network_wins
    assert (verdict.recommended, verdict.best_simple) == ("network", "trees")
    assert verdict.difference.high < 0
    assert verdict.sentence.startswith("The network beats the best simple model, trees: its RMSE is 0.4075 lower (95 % interval")  # fmt: skip
    assert verdict.sentence.endswith(" Recommended: the network.")
    assert verdict.cost == (0, 0, 0, 0)


def test_a_simpler_model_that_is_as_good_is_recommended_and_priced():
    # line - trees: 0.01, 0.015, -0.02, 0.02 on average 0.00625 of 0.99375, some 0.6 %
    network = SIMPLE["trees"] + np.array([0.1, -0.1, 0.1, -0.02])
    verdict = decide(SIMPLE, network, 0.3, "RMSE")
    assert not verdict.network_wins
    assert (verdict.best, verdict.recommended) == ("trees", "line")
    assert verdict.cost.mean == pytest.approx(0.00625)
    assert "does not clearly beat the best simple model, trees" in verdict.sentence
    assert " Recommended: line, simpler than trees and about as good: simplicity costs 0.63 % of the RMSE (95 % interval -" in verdict.sentence  # fmt: skip
    accurate = decide(SIMPLE, network, 0.3, "RMSE", "accurate")
    assert (accurate.recommended, accurate.cost.mean) == ("trees", 0.0)


def test_a_network_that_is_best_and_does_not_win_is_not_said_to():
    scores = {"line": np.array([1.0, 1.1, 0.9, 1.0])}
    verdict = decide(scores, scores["line"] + np.array([-0.11, -0.1, -0.1, 0.1]), 0.0, "RMSE")
    assert (verdict.recommended, verdict.network_wins) == ("network", False)
    assert "does not clearly beat the best simple model, line" in verdict.sentence
    assert verdict.sentence.endswith("Recommended: the network, the best on average.")


def test_a_network_that_is_chosen_for_its_steadiness_is_not_said_to_be_the_best_on_average():
    """Its mean is 0.001 above that of the line, whose folds spread ten times as far."""
    scores = {"mean": np.array([3.0, 3.2, 2.8, 3.0]), "line": np.array([0.5, 1.5, 0.6, 1.4])}
    verdict = decide(scores, np.array([1.05, 0.95, 1.05, 0.954]), 0.0, "RMSE")
    assert (verdict.recommended, verdict.best, verdict.network_wins) == (
        "network",
        "network",
        False,
    )
    assert "its RMSE is 0.001 higher" in verdict.sentence
    assert verdict.sentence.endswith(
        "Recommended: the network, the best with the noise of each counted."
    )


def test_the_trivial_model_is_not_close_to_one_that_learned():
    """1.5 % below the mean's error, surely: small beside the score, all beside what can be learned."""
    mean = np.array([1.0, 1.02, 0.98, 1.01, 0.99])
    line = 0.985 * mean
    assert decide({"mean": mean, "line": line}, None, 0.25, "RMSE").recommended == "line"


def test_a_worse_network_is_called_worse():
    verdict = decide(SIMPLE, SIMPLE["trees"] + np.array([0.5, 0.51, 0.52, 0.5]), 0.3, "RMSE")
    assert verdict.sentence.startswith("The network is worse than the best simple model, trees: its RMSE is 0.5075 higher")  # fmt: skip


def test_without_a_network():
    sentence = decide(SIMPLE, None, 0.3, "RMSE").sentence
    assert sentence.startswith("No network was trained. Recommended: line, simpler than trees")  # fmt: skip


def test_what_costs_nothing_is_said_to():
    words = price(Interval(-0.5, 0.1, -0.7, -0.3), 1.0, "RMSE")
    assert words == "simplicity costs nothing on average"


def test_a_perfect_score_is_priced_in_its_own_units():
    words = price(Interval(0.5, 0.1, -0.25, 1.25), 0.0, "log loss")
    assert words == "simplicity costs 0.5 in log loss (95 % interval -0.25 to 1.25)"


def test_scores_of_which_more_is_better_are_judged_as_losses_and_said_in_their_own_direction():
    """The same contest, in errors and in accuracies, has the same winner; differences change their sign."""
    network = SIMPLE["trees"] - np.array([0.4, 0.41, 0.42, 0.4])
    errors, rates = (decide({n: s / 4 for n, s in SIMPLE.items()}, network / 4, 0.3, metric) for metric in ("error", "accuracy"))  # fmt: skip
    assert (errors.recommended, errors.network_wins) == (rates.recommended, True)
    assert rates.difference.mean == -errors.difference.mean > 0
    assert 0 < rates.difference.low < rates.difference.high
    assert rates.sentence.startswith("The network beats the best simple model, trees: its accuracy is 0.1019 higher (95 % interval of the difference 0.09")  # fmt: skip
    worse = decide(SIMPLE, SIMPLE["trees"] + np.array([0.5, 0.51, 0.52, 0.5]), 0.3, "R²")
    assert worse.sentence.startswith("The network is worse than the best simple model, trees: its R² is 0.5075 lower")  # fmt: skip
