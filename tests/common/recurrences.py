"""Cases of :class:`Recurrent` for every cell by name: bidirectional and padded, and plain."""

from gradatim.nn import CELLS, Recurrent

from .test_modules import Case, both, ragged, real


def padded(cell):
    return Recurrent(cell, 4, 6, num_layers=2, is_bidirectional=True)


def plain(cell):
    return Recurrent(cell, 4, 6, learn_initial_state=True)


RECURRENCES = {
    **{
        f"padded {cell}": Case(lambda cell=cell: padded(cell), both(real(5, 4), ragged), (3, 5, 12))
        for cell in CELLS
    },
    **{
        f"plain {cell}": Case(lambda cell=cell: plain(cell), real(5, 4), (3, 5, 6))
        for cell in CELLS
    },
}
