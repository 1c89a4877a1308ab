"""Nested folds of whole graphs: kernels against their definition, choices inside, and what an epoch chosen by the judge adds."""

import numpy as np
import pytest

from gradatim.data import GraphSet, rings
from gradatim.experiments.graphs import mutag
from gradatim.experiments.graphs._nested_graphs import (
    counts_say,
    kernel_says,
    make_kernels,
    make_task,
    network_course,
)
from gradatim.theory.weisfeiler_lehman import wl_counts


@pytest.fixture(scope="module")
def ringed():
    return make_task(GraphSet(rings(60)))


def test_kernels_are_scaled_together_or_round_by_round():
    graphs = GraphSet(rings(5))
    found = make_kernels(graphs)
    counts = [own.double().numpy() for own in wl_counts([(g.edge_index, g.num_nodes, g.x) for g in graphs], 4)]  # fmt: skip
    for rounds in (1, 3):
        together = np.concatenate(counts[: rounds + 1], 1)
        each = [own / np.linalg.norm(own, axis=1, keepdims=True) for own in counts[: rounds + 1]]
        for name, rows in (("together", together), ("each", np.concatenate(each, 1))):
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            np.testing.assert_allclose(found[rounds, name], rows @ rows.T, rtol=1e-6)


def test_neighbours_tell_the_rings_and_counts_do_not(ringed):
    train, judged = np.arange(40), np.arange(40, 60)
    inner = ringed.folds(train, 3, np.random.default_rng(0))
    truth = ringed.y[judged]
    assert (kernel_says(ringed, train, judged, inner) == truth).mean() > 0.8
    assert (counts_say(ringed, train, judged, 0) == truth).mean() < 0.8


def test_a_course_has_an_answer_for_every_epoch(ringed):
    train, judged = np.arange(40), np.arange(40, 60)
    inner = ringed.folds(train, 2, np.random.default_rng(0))
    course = network_course(ringed, train, judged, inner, epochs=3, seed=0)
    assert course.right.shape == (3, 20)
    assert 0 <= course.epoch < 3


def test_repeats_of_made_up_graphs_are_found_and_kept_together():
    task = make_task(mutag.made_up(0))
    assert task.num_repeats == 6
    assert task.twins[:6].tolist() == task.twins[-6:].tolist()
    for train, judged in task.folds(np.arange(len(task.y)), 5, np.random.default_rng(1)):
        assert not set(task.twins[train]) & set(task.twins[judged])


def test_what_choosing_the_epoch_by_the_judge_adds():
    curves = np.array([[50.0, 80.0, 60.0], [70.0, 60.0, 90.0], [10.0, 20.0, 30.0], [50.0, 20.0, 10.0]])  # fmt: skip
    found = mutag.Findings({}, curves, 0.1, 0)
    chosen = mutag.flatter(found, folds=2)  # means: 60, 70, 75 and 30, 20, 20
    assert chosen[mutag.COMMON].tolist() == [60.0, 90.0, 10.0, 50.0]
    assert chosen[mutag.OWN].tolist() == [80.0, 90.0, 30.0, 50.0]
