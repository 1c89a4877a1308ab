import math

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.theory import homophily, label_propagation


def drawn_graph(seed, n=30, p=0.15):
    graph = nx.gnp_random_graph(n, p, seed=seed)
    y = torch.randint(3, (n,), generator=torch.Generator().manual_seed(seed))
    nx.set_node_attributes(graph, dict(enumerate(y.tolist())), "y")
    edges = torch.tensor(list(graph.to_directed().edges)).T
    return graph, edges, y


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_homophily_is_a_count_and_adjusted_the_assortativity_of_networkx(seed):
    graph, edges, y = drawn_graph(seed)
    joined = [graph.nodes[i]["y"] == graph.nodes[j]["y"] for i, j in graph.edges]
    assert homophily(y, edges) == pytest.approx(sum(joined) / len(joined))
    expected = nx.attribute_assortativity_coefficient(graph, "y")
    assert homophily(y, edges, is_adjusted=True) == pytest.approx(expected)


def test_self_loops_and_unknown_nodes_do_not_count():
    _, edges, y = drawn_graph(0)
    more = torch.cat([edges, torch.arange(30).repeat(2, 1), torch.tensor([[30], [0]])], 1)
    unknown = torch.cat([y, torch.tensor([-1])])
    for is_adjusted in (False, True):
        assert homophily(unknown, more, is_adjusted=is_adjusted) == homophily(
            y, edges, is_adjusted=is_adjusted
        )


def test_edges_that_ignore_classes_have_none_when_adjusted():
    y = torch.tensor([0] * 180 + [1] * 20)
    edges = torch.combinations(torch.arange(200)).T
    edges = torch.cat([edges, edges.flip(0)], 1)
    assert homophily(y, edges) > 0.8
    assert homophily(y, edges, is_adjusted=True) == pytest.approx(-1 / 199)


def test_what_cannot_be_said_is_nan():
    assert math.isnan(homophily(torch.tensor([0, 1]), torch.zeros(2, 0, dtype=torch.long)))
    pair = torch.tensor([[0, 1], [1, 0]])
    assert homophily(torch.tensor([1, 1]), pair) == 1.0
    assert math.isnan(homophily(torch.tensor([1, 1]), pair, is_adjusted=True))


@given(st.integers(0, 1000), st.sampled_from([0.3, 0.9, 1.0]))
@settings(max_examples=20, deadline=None)
def test_propagation_solves_its_linear_equations(seed, alpha):
    graph, edges, y = drawn_graph(seed, p=0.3)
    known = torch.tensor([0, 5, 7, 11, 29])
    A = torch.tensor(nx.to_numpy_array(graph))
    P = A / A.sum(1, keepdim=True)
    free = torch.tensor([i for i in range(30) if i not in known])
    given_labels = torch.eye(3, dtype=torch.float64)[y[known]]
    right = alpha * P[free][:, known] @ given_labels + (1 - alpha) * given_labels.mean(0)
    left = torch.eye(25, dtype=torch.float64) - alpha * P[free][:, free]
    found = label_propagation(y, edges, known, num_classes=3, alpha=alpha, tol=1e-12)
    torch.testing.assert_close(found[free], torch.linalg.solve(left, right), atol=1e-8, rtol=0)
    torch.testing.assert_close(found[known], given_labels)
    torch.testing.assert_close(found.sum(1), torch.ones(30, dtype=torch.float64))


def test_hidden_labels_are_not_read_and_nodes_that_no_label_reaches_get_the_shares():
    _, edges, y = drawn_graph(1)
    y = torch.cat([y, torch.tensor([0])])  # one node alone
    mask = torch.zeros(31, dtype=torch.bool)
    mask[:10] = True
    other = torch.where(mask, y, -7)
    found = label_propagation(y, edges, mask, num_classes=3)
    assert torch.equal(found, label_propagation(other, edges, mask, num_classes=3))
    shares = torch.bincount(y[:10], minlength=3) / 10
    torch.testing.assert_close(found[30], shares.double())


def test_a_heavy_edge_says_more():
    edges, weight = torch.tensor([[0, 2], [1, 1]]), torch.tensor([3.0, 1.0])
    y, known = torch.tensor([0, 0, 1]), torch.tensor([0, 2])
    found = label_propagation(y, edges, known, num_classes=2, edge_weight=weight, alpha=1.0)
    assert found[1].tolist() == [0.75, 0.25]


def test_mistakes_are_refused():
    y, edges, known = torch.tensor([0, 1]), torch.tensor([[0], [1]]), torch.tensor([0])
    with pytest.raises(InvalidValue, match=r"homophily: y must be one whole number for each node, got float32"):  # fmt: skip
        homophily(y.float(), edges)
    with pytest.raises(InvalidValue, match="alpha must be from 0 to 1, got 2"):
        label_propagation(y, edges, known, num_classes=2, alpha=2.0)
    with pytest.raises(InvalidValue, match="labelled must name at least one node, got none"):
        label_propagation(y, edges, known[:0], num_classes=2)
    with pytest.raises(
        InvalidValue, match="y must be from 0 to 1 where it is labelled, got 3 to 3"
    ):
        label_propagation(y + 3, edges, known, num_classes=2)
