"""A filter of order K reads K steps of a graph: polynomial, Chebyshev and spectral form are one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.polynomial import Chebyshev, Polynomial
from torch import Tensor

from gradatim.data import random_graph
from gradatim.experiments.graphs._shapes import grid, hops
from gradatim.models import GAT, GCN, GIN, ChebNet, GraphSAGE
from gradatim.nn import (  # fmt: skip
    chebyshev_filter,
    graph_fourier,
    laplacian,
    polynomial_filter,
    spectral_filter,
)
from gradatim.plots import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import log_log_slope, node_influence

COVERS = ("H3",)
KEYWORDS = "spectral graph convolution, polynomial filters, localized filters"
Response = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    nodes: int = 200
    edges: int = 600
    side: int = 12
    orders: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64)
    time: float = 2.0
    layers: tuple[int, ...] = (1, 2, 3)


QUICK = Settings(nodes=100, edges=300, side=8, layers=(1, 2))


def exact_laplacian(edge_index: Tensor, num_nodes: int) -> Tensor:
    """The symmetric Laplacian in double precision, sparse; its frequencies lie from 0 to 2."""
    weight = torch.ones(edge_index.shape[1], dtype=torch.float64)
    return laplacian(edge_index, num_nodes, kind="symmetric", edge_weight=weight)


def claim_forms(report: Report, settings: Settings, L: Tensor, x: Tensor) -> None:
    """The same filter from its coefficients in two bases and from its response."""
    generator = torch.Generator().manual_seed(settings.seed + 1)
    order = 6
    beta = torch.randn(order + 1, dtype=torch.float64, generator=generator)
    series = Chebyshev(beta.numpy(), domain=[0.0, 2.0])
    alpha = series.convert(kind=Polynomial).coef
    by_waves = spectral_filter(x, L, lambda f: torch.from_numpy(series(f.numpy())))
    by_chebyshev = chebyshev_filter(x, L, beta, largest=2.0)
    by_powers = polynomial_filter(x, L, torch.from_numpy(alpha))
    gap = max(float((y - by_waves).abs().max()) for y in (by_chebyshev, by_powers))
    report.claim("polynomial, Chebyshev and spectral form give one answer", gap, "largest difference", below=1e-9)  # fmt: skip
    rows = torch.stack([chebyshev_filter(x, L, e, largest=2.0).flatten() for e in torch.eye(order + 1)])  # fmt: skip
    report.claim(f"filters of order {order} are a space of K + 1 dimensions", int(torch.linalg.matrix_rank(rows)), equals=order + 1)  # fmt: skip


def claim_reach(report: Report, settings: Settings) -> list[list[object]]:
    """Beyond K steps there is nothing, not little: of a filter and of networks."""
    side = settings.side
    edges, n = grid(side, side), side * side
    L, away = exact_laplacian(edges, n), hops(edges, n, 0)
    impulse = torch.zeros(n, dtype=torch.float64)
    impulse[0] = 1.0
    beyond, within = 0.0, []
    for order in range(1, 7):
        y = chebyshev_filter(impulse, L, [0.0] * order + [1.0], largest=2.0).abs()
        beyond = max(beyond, float(y[away > order].max()))
        within.append(float(y[away == order].max()))
    report.claim("a filter of degree K, more than K steps away", beyond, "largest answer", equals=0)
    report.claim("at K steps it still answers", min(within), above=0.0)
    rows: list[list[object]] = []
    for name, build in {"GCN": GCN, "GAT": GAT, "GraphSAGE": GraphSAGE, "GIN": GIN, "ChebNet": ChebNet}.items():  # fmt: skip
        for depth in settings.layers:
            with seeded(settings.seed):
                model = build(3, 8, 2, num_layers=depth, dropout=0.0)
                x = torch.randn(n, 3)
            reach = depth * (model.order if isinstance(model, ChebNet) else 1)
            inside, outside = (int((away == steps).nonzero()[0, 0]) for steps in (reach, reach + 1))
            rows.append([name, depth, reach, *(node_influence(model, x, edges, 0, t) for t in (inside, outside))])  # fmt: skip
    report.claim("networks of K layers, one step beyond their reach", max(float(str(row[4])) for row in rows), "largest influence", equals=0)  # fmt: skip
    return rows


def coefficients(response: Response, order: int) -> Tensor:
    """Of the Chebyshev series of a response on frequencies from 0 to 2."""
    nodes = np.polynomial.chebyshev.chebpts1(order + 1)
    values = response(torch.from_numpy(nodes + 1.0)).numpy()
    return torch.from_numpy(np.polynomial.chebyshev.chebfit(nodes, values, order))


def measure_orders(settings: Settings, L: Tensor, x: Tensor) -> dict[str, list[float]]:
    """Relative error of filters of every order against the spectral filter."""
    responses: dict[str, Response] = {
        "heat kernel": lambda f: torch.exp(-settings.time * f),
        "low-pass step": lambda f: (f < 0.6).double(),
    }
    errors = {}
    for name, response in responses.items():
        exact = spectral_filter(x, L, response)
        errors[name] = [
            float((chebyshev_filter(x, L, coefficients(response, k), largest=2.0) - exact).norm() / exact.norm())
            for k in settings.orders
        ]  # fmt: skip
    return errors


class CountedProducts(torch.overrides.TorchFunctionMode):
    """Counts products with a matrix inside a block."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.count += getattr(func, "__name__", "") in ("matmul", "__matmul__", "mm")
        return func(*args, **(kwargs or {}))


def count_products(L: Tensor, x: Tensor, orders: tuple[int, ...]) -> list[int]:
    """Products with L that a Chebyshev filter of each order makes."""
    dense, counts = L.to_dense(), []
    for order in orders:
        with CountedProducts() as products:
            chebyshev_filter(x, dense, [1.0] * (order + 1), largest=2.0)
        counts.append(products.count)
    return counts


def run(settings: Settings) -> Report:
    report = Report(
        title="Chebyshev filters",
        summary="A polynomial of the Laplacian filters without eigenvectors, at K products for order K, and never hears beyond K "
        "steps. Smooth responses are met exponentially fast, a step hardly.",
    )
    n = settings.nodes
    generator = torch.Generator().manual_seed(settings.seed)
    L = exact_laplacian(random_graph(n, settings.edges, seed=settings.seed), n)
    x = torch.randn(n, 4, dtype=torch.float64, generator=generator)
    claim_forms(report, settings, L, x)
    rows = claim_reach(report, settings)
    errors = measure_orders(settings, L, x)
    report.claim("a heat kernel by order 16", errors["heat kernel"][settings.orders.index(16)], "relative error", below=1e-9)  # fmt: skip
    step = errors["low-pass step"]
    report.claim("a step even by the highest order", step[-1], "relative error", above=0.01)
    counts = count_products(L, x, settings.orders)
    report.claim("products with L grow linearly in K", log_log_slope(settings.orders, counts), "power of K", near=(1.0, 0.01))  # fmt: skip
    report.table("Influence at the reach of a network, and one step beyond", columns=["network", "layers", "reach", "at it", "beyond it"], rows=rows)  # fmt: skip
    frequencies = graph_fourier(L).frequencies
    z = torch.linspace(0.0, 2.0, 300, dtype=torch.float64)
    shown = {f"order {k}": (z, torch.from_numpy(np.polynomial.chebyshev.chebval((z - 1).numpy(), coefficients(lambda f: (f < 0.6).double(), k).numpy()))) for k in (4, 16, 64)}  # fmt: skip
    floor = {name: (settings.orders, [max(e, 1e-16) for e in values]) for name, values in errors.items()}  # fmt: skip
    report.figure(
        "orders",
        curve_panels(
            [
                CurvePanel("A step, and filters that follow it", "frequency", "response", shown, {"step": (z, (z < 0.6).double())}),
                CurvePanel("Error against order", "order K", "relative error", floor, is_log_x=True, is_log_y=True),
            ]
        ),
        caption=f"On a random graph of {n} nodes, whose frequencies lie from 0 to {float(frequencies[-1]):.2f}. A response without "
        "a jump is met exponentially fast; at a jump, waves remain.",
    )  # fmt: skip
    return report
