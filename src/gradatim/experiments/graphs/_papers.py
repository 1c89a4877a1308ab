"""Papers that cite each other: Cora, or made-up ones that need no download."""

import numpy as np
import torch
from torch import Tensor

from gradatim.data import Graph, block_model, load
from gradatim.data.sparse_rows import make_csr
from gradatim.fitting.nodes.view import sparse_rows

FIELDS, PAPERS, WORDS = 4, 80, 160  # fields, papers of each, words in all
COMMON, OWN = 0.03, 0.12  # chances of a word, and of a word of the paper's own field
WITHIN, ACROSS = 0.04, 0.006  # chances of a citation


def load_papers(source: str, seed: int) -> Graph:
    """Features are words, 0 or 1 and sparse; labels are fields.

    Args:
        source: ``"cora"``, or ``"made-up"`` for a block model whose papers prefer words of their field.
        seed: Fixes what is made up.
    """
    if source == "cora":
        graph = load("cora").graph
        assert graph is not None
        return graph
    chances = np.where(np.eye(FIELDS, dtype=bool), WITHIN, ACROSS)
    edges, fields = block_model([PAPERS] * FIELDS, chances.tolist(), seed=seed)
    is_own = fields.numpy()[:, None] == np.arange(WORDS) % FIELDS
    draws = np.random.default_rng(seed).random(is_own.shape)
    return Graph(sparse_rows(draws < np.where(is_own, OWN, COMMON)), edges, y=fields)


def scale_rows(x: Tensor, order: int) -> Tensor:
    r"""Divide sparse rows by their norm :math:`(\sum_j |x_{ij}|^p)^{1/p}`; empty ones stay.

    Args:
        x: Matrix in compressed sparse rows.
        order: :math:`p`.
    """
    rows = torch.repeat_interleave(x.crow_indices().diff())
    norm = torch.zeros(x.shape[0]).index_add(0, rows, x.values().abs() ** order) ** (1 / order)
    return make_csr(
        x.crow_indices(), x.col_indices(), x.values() / norm[rows], (x.shape[0], x.shape[1])
    )
