import pytest
import torch
from hypothesis import given

from gradatim.errors import InvalidType, InvalidValue
from gradatim.nn import coupling_matrix, laplacian
from gradatim.nn.coupling import couple, sum_neighbours

from .graph_cases import adjacencies, components, coupling, edges_of

STAR = torch.tensor([[1, 2, 3, 0, 0, 0], [0, 0, 0, 1, 2, 3]])


@given(adjacencies())
def test_the_coupling_matrix_is_the_formula_and_never_stretches(A):
    found = coupling_matrix(edges_of(A), len(A)).to_dense().double()
    torch.testing.assert_close(found, coupling(A), rtol=1e-6, atol=1e-6)
    assert torch.linalg.matrix_norm(found, 2) <= 1 + 1e-6


def test_its_rows_do_not_sum_to_one():
    rows = coupling_matrix(STAR, 4).to_dense().sum(1)
    torch.testing.assert_close(rows, torch.tensor([1.3107, 0.8536, 0.8536, 0.8536]), rtol=0, atol=1e-4)  # fmt: skip


@given(adjacencies())
def test_laplacians_are_their_formulas(A):
    edges, n = edges_of(A), len(A)
    d = A.sum(1)
    inverse = torch.where(d > 0, 1 / d.clamp(min=1), 0.0)
    L = torch.diag(d) - A
    expected = {
        "combinatorial": L,
        "symmetric": inverse.sqrt()[:, None] * L * inverse.sqrt(),
        "random-walk": inverse[:, None] * L,
    }
    for kind, matrix in expected.items():
        found = laplacian(edges, n, kind=kind).to_dense().double()
        torch.testing.assert_close(found, matrix, rtol=1e-6, atol=1e-6)


@given(adjacencies())
def test_laplacians_are_positive_with_one_zero_for_each_component(A):
    for kind in ("combinatorial", "symmetric"):
        weight = torch.ones(edges_of(A).shape[1]).double()
        L = laplacian(edges_of(A), len(A), kind=kind, edge_weight=weight).to_dense()
        values = torch.linalg.eigvalsh(L)
        assert values[0] >= -1e-9
        assert int((values < 1e-9).sum()) == components(A)
        assert kind == "combinatorial" or values[-1] <= 2 + 1e-9


def test_the_laplacian_says_how_far_a_node_lies_from_its_neighbours():
    f = torch.tensor([5.0, 1.0, 2.0, 6.0])
    found = laplacian(STAR, 4).to_dense() @ f
    torch.testing.assert_close(found[0], 3 * (f[0] - f[1:].mean()))


@pytest.mark.parametrize("points", [50, 200])
def test_on_a_grid_it_tends_to_minus_the_second_derivative(points):
    h = 1 / points
    t = torch.arange(points, dtype=torch.float64) * h
    edges = torch.stack([torch.arange(points - 1), torch.arange(1, points)])
    both = torch.cat([edges, edges.flip(0)], 1)
    found = laplacian(both, points).to_dense().double() @ torch.sin(3 * t) / h**2
    torch.testing.assert_close(found[1:-1], 9 * torch.sin(3 * t)[1:-1], rtol=0, atol=10 * h**2)


def test_weights_repeats_and_loops_are_counted():
    edges = torch.tensor([[0, 1, 0, 1, 1], [1, 0, 1, 0, 1]])
    weight = torch.tensor([1.0, 1.0, 2.0, 2.0, 4.0])
    found = coupling_matrix(edges, 2, edge_weight=weight).to_dense()
    whole = torch.tensor(
        [[1.0, 3.0], [3.0, 4.0]]
    )  # the loop that is listed stands for the one that would be added
    d = whole.sum(1)
    torch.testing.assert_close(found, whole / (d[:, None] * d).sqrt())


def test_weights_get_the_gradient_of_the_formula():
    """Whether edges repeat or loop, and although what is made of the places alone is kept."""
    edges = torch.tensor([[0, 1, 0, 1, 1, 2], [1, 0, 1, 0, 1, 1]])
    x = torch.arange(6.0, dtype=torch.float64).view(3, 2)

    def written_out(w):
        A = torch.zeros(3, 3, dtype=torch.float64).index_put((edges[1], edges[0]), w, accumulate=True)  # fmt: skip
        A = A + torch.diag(torch.tensor([1.0, 0.0, 1.0]))
        root = A.sum(1) ** -0.5
        return root[:, None] * A * root @ x

    for seed in (0, 1):
        w = torch.rand(6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        w.requires_grad_()
        found = couple(edges, 3, w, x.dtype).times(x)
        torch.testing.assert_close(found, written_out(w))
        upstream = torch.tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]]).double()
        torch.testing.assert_close(
            torch.autograd.grad(found, w, upstream), torch.autograd.grad(written_out(w), w, upstream)
        )  # fmt: skip


def test_a_matrix_that_is_given_away_may_be_changed():
    before = couple(STAR, 4).values.clone()
    coupling_matrix(STAR, 4).values().zero_()
    torch.testing.assert_close(couple(STAR, 4).values, before)


@given(adjacencies(is_directed=True))
def test_sums_and_means_of_neighbours(A):
    x = torch.randn(len(A), 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(sum_neighbours(x, edges_of(A)), A @ x)
    mean = A @ x / A.sum(1, keepdim=True).clamp(min=1)
    torch.testing.assert_close(sum_neighbours(x, edges_of(A), is_mean=True), mean)


def test_edges_are_read_once_and_again_when_they_change():
    edges = torch.tensor([[0, 1], [1, 0]])
    first = couple(edges, 3)
    assert couple(edges, 3) is first
    edges[edges == 1] = 2
    changed = couple(edges, 3)
    assert changed is not first
    torch.testing.assert_close(changed.to_tensor().to_dense().diagonal(), torch.tensor([0.5, 1.0, 0.5]))  # fmt: skip


@pytest.mark.parametrize(
    ("edges", "error", "words"),
    [
        (torch.zeros(2, 3), InvalidType, r"edge_index must be whole numbers, got torch\.float32"),
        (torch.zeros(3, 2, dtype=torch.long), InvalidValue, r"edge_index must have shape \(2, edges\), got \(3, 2\)"),
        (torch.tensor([[0], [4]]), InvalidValue, "edge_index must name nodes from 0 to 3, got 0 to 4"),
        (torch.tensor([[-1], [0]]), InvalidValue, "edge_index must name nodes from 0 to 3, got -1 to 0"),
    ],
)  # fmt: skip
def test_edges_that_are_none_are_refused(edges, error, words):
    for function in (coupling_matrix, laplacian):
        with pytest.raises(error, match=words):
            function(edges, 4)


def test_other_mistakes_are_refused():
    with pytest.raises(
        InvalidValue, match="edge_weight must be one number for each of 6 edges, got shape"
    ):
        coupling_matrix(STAR, 4, edge_weight=torch.ones(5))
    with pytest.raises(InvalidValue, match="kind must be one of"):
        laplacian(STAR, 4, kind="normal")
