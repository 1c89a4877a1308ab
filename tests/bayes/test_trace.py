import numpy as np
import pytest
import torch

from gradatim.bayes import Trace, ess_bulk, ess_tail, r_hat
from gradatim.errors import InvalidValue

GOOD = torch.randn(4, 500, 2, generator=torch.Generator().manual_seed(0))
NAMED = {"mu": GOOD, "sigma": GOOD[..., 0].exp(), "W": GOOD[..., None].expand(-1, -1, -1, 3)}


def test_the_summary_by_hand():
    table = Trace(GOOD, {}, 0.1).summary()
    assert list(table.columns) == ["mean", "sd", "5%", "50%", "95%", "r_hat", "ess_bulk", "ess_tail"]  # fmt: skip
    values = GOOD[..., 1].double().numpy().ravel()
    expected = [values.mean(), values.std(ddof=1), *np.quantile(values, (0.05, 0.5, 0.95))]
    expected += [float(check(GOOD[..., 1])) for check in (r_hat, ess_bulk, ess_tail)]
    np.testing.assert_allclose(table.loc["theta[1]"], expected, rtol=1e-12)


def test_every_number_has_its_name():
    trace = Trace(NAMED, {}, 0.1)
    names = ["mu[0]", "mu[1]", "sigma", *(f"W[{i},{j}]" for i in range(2) for j in range(3))]
    assert list(trace.summary().index) == names
    assert torch.equal(trace.columns()["W[1,2]"], NAMED["W"][:, :, 1, 2])


def test_draws_without_a_flaw_are_trusted():
    trace = Trace(GOOD, {"acceptance": torch.full((4, 500), 0.8)}, 0.1)
    assert trace.is_trusted
    assert trace.verdict.startswith(
        "To be trusted (4 chains of 500 draws): the largest R-hat is 1.00"
    )
    assert trace.acceptance == pytest.approx(0.8)
    assert trace.divergences == 0
    assert repr(trace) == "Trace(4 chains of 500 draws, trusted)"
    assert "Nothing was ever rejected" in Trace(GOOD, {}, 0.1).verdict


@pytest.mark.parametrize(
    ("draws", "info", "words"),
    [
        (GOOD + torch.arange(4.0)[:, None, None], {}, ["The chains have not met: R-hat of theta[", "longer warm-up"]),
        (GOOD[:, :50], {}, ["independent ones in the bulk, fewer than 400", "in the tails"]),
        (GOOD[:1].repeat(1, 4, 1), {}, ["One chain has no other to agree with"]),
        (GOOD[:, :3], {}, ["3 draws of a chain cannot be judged"]),
        (torch.zeros(4, 500, 1), {}, ["R-hat of theta[0] is inf"]),
        (GOOD, {"is_divergent": torch.eye(4, 500).bool()}, ["4 paths of 2,000 left the density", "non-centred"]),
        (GOOD, {"energy": torch.randn(4, 500).cumsum(1)}, ["The energy changes too little from draw to draw (0.0"]),
    ],
)  # fmt: skip
def test_every_flaw_is_named_with_a_remedy(draws, info, words):
    trace = Trace(draws, info, 0.1)
    assert not trace.is_trusted
    assert trace.verdict.startswith("Not to be trusted (")
    assert all(word in trace.verdict for word in words)
    assert "not to be trusted" in repr(trace)


def test_independent_energies_are_no_flaw():
    assert Trace(GOOD, {"energy": torch.randn(4, 500)}, 0.1).is_trusted


def test_arviz_finds_its_words():
    info = {"acceptance": torch.ones(4, 500), "is_divergent": torch.zeros(4, 500).bool(), "energy": torch.ones(4, 500), "steps": torch.ones(4, 500).long()}  # fmt: skip
    found = Trace(NAMED, info, 0.1).to_dict()
    assert set(found["posterior"]) == set(NAMED)
    assert set(found["sample_stats"]) == {"acceptance_rate", "diverging", "energy", "n_steps"}
    np.testing.assert_array_equal(found["posterior"]["W"], NAMED["W"].numpy())
    assert all(value.shape[:2] == (4, 500) for group in found.values() for value in group.values())
    assert set(Trace(GOOD, {}, 0.1).to_dict()["posterior"]) == {"theta"}


def test_the_figure_shows_the_worst_first():
    draws = GOOD.clone()
    draws[0, :, 1] += 2
    axes = Trace(draws, {}, 0.1).figure().axes
    assert [panel.get_ylabel() for panel in axes[::2]] == ["theta[1]", "theta[0]"]
    assert len(axes[0].lines) == 4
    only = Trace(NAMED, {}, 0.1).figure(["sigma"]).axes
    assert [panel.get_ylabel() for panel in only] == ["sigma", "draws"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["sigmaa"], "names must be one of sigma, .* got 'sigmaa'. Try 'sigma'."),
        ([], "names must hold at least one, got none"),
    ],
)
def test_a_figure_of_nothing_is_refused(names, message):
    with pytest.raises(InvalidValue, match=message):
        Trace(NAMED, {}, 0.1).figure(names)
