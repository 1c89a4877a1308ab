"""What the labels of neighbours say: how often they agree, and what follows for nodes without one."""

import torch
from torch import Tensor
from torch.nn import functional

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.nn.coupling import check_edges, sum_neighbours


@takes_arrays
def homophily(y: Tensor, edge_index: Tensor, *, is_adjusted: bool = False) -> float:
    r"""The share of edges that join nodes of one class, as it stands or beyond what class sizes alone would give.

    .. math:: h = \frac{1}{E}\sum_{j\to i}[y_i = y_j], \qquad
        h_\text{adj} = \frac{h - \sum_k p_k q_k}{1 - \sum_k p_k q_k}

    with the shares :math:`p_k` and :math:`q_k` of edges that leave and reach class :math:`k`. Adjusted, 1 says that like joins
    like alone, 0 that edges ignore the classes, and less that they avoid their own.

    Args:
        y: Class of each node, shape ``(N,)``; negative where it is unknown.
        edge_index: Sources and targets, shape ``(2, E)``. Self-loops and edges of unknown nodes do not count.
        is_adjusted: Whether what is due to class sizes is taken away.

    Returns:
        NaN where no edge counts, or where one class, which nothing can differ from, is to be adjusted for.

    Example:
        >>> ring = torch.tensor([[0, 1, 2, 3, 1, 2, 3, 0], [1, 2, 3, 0, 0, 1, 2, 3]])
        >>> homophily(torch.tensor([0, 0, 1, 1]), ring), homophily(torch.tensor([0, 1, 0, 1]), ring, is_adjusted=True)
        (0.5, -1.0)

    Reference:
        Platonov et al., Characterizing Graph Datasets for Node Classification: Homophily-Heterophily Dichotomy and Beyond,
        2023; for undirected edges it is Newman's assortativity, 2003.
    """
    _check_classes("homophily", y)
    check_edges("homophily", edge_index, len(y))
    source, target = y.long()[edge_index.long()]
    counts = (source >= 0) & (target >= 0) & (edge_index[0] != edge_index[1])
    source, target = source[counts], target[counts]
    if not len(source):
        return float("nan")
    found = float((source == target).double().mean())
    if not is_adjusted:
        return found
    num_classes = int(torch.maximum(source.max(), target.max())) + 1
    p, q = (torch.bincount(ends, minlength=num_classes).double() / len(ends) for ends in (source, target))  # fmt: skip
    chance = float(p @ q)
    return (found - chance) / (1.0 - chance) if chance < 1.0 else float("nan")


@takes_arrays
def label_propagation(
    y: Tensor,
    edge_index: Tensor,
    labelled: Tensor,
    *,
    num_classes: int,
    edge_weight: Tensor | None = None,
    alpha: float = 0.9,
    max_steps: int = 1000,
    tol: float = 1e-6,
) -> Tensor:
    r"""Let known labels spread: an unlabelled node believes the mean of its neighbours, and a little the shares of all.

    .. math:: f_i = \alpha\,\frac{\sum_j a_{ij}f_j}{\sum_j a_{ij}} + (1 - \alpha)\,\pi, \qquad
        f_i = e_{y_i} \text{ where the label is known}

    with the shares :math:`\pi` of the classes among known labels, which are also the answer where no label can be reached. It
    is the chance that a walk from :math:`i`, which gives up with probability :math:`1 - \alpha` at each step, first meets a
    label of that class; with :math:`\alpha = 1` it is the harmonic function of Zhu et al.

    Args:
        y: Class of each node, shape ``(N,)``; read only where it is known.
        edge_index: Sources :math:`j` and targets :math:`i`, shape ``(2, E)``.
        labelled: Nodes whose label is known: numbers of nodes, or a mask of shape ``(N,)``.
        num_classes: Number of classes.
        edge_weight: Weights :math:`a` of the edges, shape ``(E,)``, at least 0; 1 by default.
        alpha: :math:`\alpha`, from 0 to 1: how far labels reach.
        max_steps: Steps at most.
        tol: Change of a probability below which it ends.

    Returns:
        Probabilities :math:`f`, shape ``(N, num_classes)``, in double precision.

    Example:
        >>> path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> y, ends = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 3])
        >>> label_propagation(y, path, ends, num_classes=2, alpha=1.0)[:, 1].round(decimals=3).tolist()
        [0.0, 0.333, 0.667, 1.0]

    Reference:
        Zhu, Ghahramani and Lafferty, Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions, 2003; giving up, and
        the shares of all, are added.
    """
    require_whole("label_propagation", num_classes=num_classes, max_steps=max_steps)
    require(0.0 <= alpha <= 1.0, "label_propagation: alpha must be from 0 to 1", alpha)
    _check_classes("label_propagation", y)
    check_edges("label_propagation", edge_index, len(y), edge_weight)
    nodes = labelled.nonzero().flatten() if labelled.dtype == torch.bool else labelled.long()
    require(len(nodes), "label_propagation: labelled must name at least one node", "none")
    known = y.long()[nodes]
    rule = f"label_propagation: y must be from 0 to {num_classes - 1} where it is labelled"
    require(int(known.min()) >= 0 and int(known.max()) < num_classes, rule, f"{int(known.min())} to {int(known.max())}")  # fmt: skip
    given = functional.one_hot(known, num_classes).double()  # (labelled, num_classes)
    shares = given.mean(0)
    f = shares.repeat(len(y), 1)
    f[nodes] = given
    ones = f.new_ones(len(y), 1)
    hears = alpha * (sum_neighbours(ones, edge_index, edge_weight, is_mean=True) > 0).double()
    for _ in range(max_steps):
        mean = sum_neighbours(f, edge_index, edge_weight, is_mean=True)
        new = hears * mean + (1.0 - hears) * shares
        new[nodes] = given
        change = float((new - f).abs().max())
        f = new
        if change < tol:
            break
    return f


def _check_classes(owner: str, y: Tensor) -> None:
    is_classes = y.ndim == 1 and not (y.is_floating_point() or y.is_complex())
    got = f"{str(y.dtype).removeprefix('torch.')} of shape {tuple(y.shape)}"
    require(is_classes, f"{owner}: y must be one whole number for each node", got)
