import numpy as np
import pytest

from gradatim.clustering import Evidence, choose_num_clusters, judge_counts
from gradatim.clustering.choosing import sample_rows
from gradatim.clustering.evidence import least_gap
from gradatim.errors import InvalidValue
from gradatim.events import Stage

from .tables import TABLES


@pytest.mark.parametrize("name", TABLES)
def test_the_number_is_right(name):
    """A few of the many tables of tests/slow/test_cluster_counts.py."""
    truth, draw = TABLES[name]
    for dim in (2, 5):
        x = draw(np.random.default_rng(0), 120, dim)
        found = choose_num_clusters(x, max_clusters=5, num_references=12, num_halvings=6)
        assert found.num_clusters == truth, (dim, found.evidence)


def test_a_square_is_stable_and_yet_no_clusters():
    """Two halves of a square agree on its four quarters: stability alone would be fooled."""
    x = np.random.default_rng(0).random((900, 2))
    own = judge_counts(x, [4], num_references=8, num_halvings=4)[0]
    assert own.is_stable
    assert not own.has_gap
    assert not own.is_enough


def test_one_column_is_enough():
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(120, 1))
    two = cloud + 7.0 * (np.arange(120) % 2)[:, None]
    assert [choose_num_clusters(x, max_clusters=4).num_clusters for x in (cloud, two)] == [1, 2]


def test_evidence_holds_its_figures_against_what_is_needed():
    good = Evidence(3, gap=0.5, noise=0.05, silhouette=0.6, cloud_silhouette=0.4, stability=0.9)
    assert good.is_enough
    assert good.needed_gap == pytest.approx(0.2)
    assert not good._replace(gap=0.19).is_enough
    assert not good._replace(silhouette=0.4).is_enough
    assert not good._replace(stability=0.79).is_enough
    assert not good._replace(gap=0.09, noise=0.0).has_gap
    assert good._replace(gap=0.09, noise=0.0, least_gap=least_gap(4)).has_gap
    assert good.is_more_than(good._replace(gap=0.39))
    assert not good.is_more_than(good._replace(gap=0.41))


def test_it_tells_what_it_does():
    told = []
    x = np.random.default_rng(0).normal(size=(40, 2))
    judge_counts(x, [2], num_references=2, num_halvings=2, tell=told.append)
    assert [type(event) for event in told] == [Stage] * 4
    assert [event.share for event in told] == [0.0, 0.25, 0.5, 0.75]


def test_long_and_wide_tables_are_sampled():
    assert sample_rows(np.zeros((5_000, 3)), 0).shape == (1000, 3)
    assert sample_rows(np.zeros((5_000, 400)), 0).shape == (500, 400)
    assert sample_rows(np.zeros((90, 3)), 0).shape == (90, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: choose_num_clusters(np.ones((7, 2))), "choose_num_clusters: x must have at least 8 rows, got 7"),
        (lambda: choose_num_clusters(np.array([[np.inf]])), "choose_num_clusters: x must be finite rows"),
        (lambda: choose_num_clusters(np.ones((9, 2)), max_clusters=0), "max_clusters must be a whole number from 1, got 0"),
        (lambda: judge_counts(np.ones((9, 2)), [5]), r"counts must be from 2 to half of the rows, 4, got \[5\]"),
        (lambda: judge_counts(np.ones((9, 2)), [2], num_references=1), "num_references must be"),
        (lambda: judge_counts(np.ones((9, 2)), [2], seed=-1), "seed must be a whole number"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
