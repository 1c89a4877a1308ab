"""Arrays of scikit-learn's callers as tensors."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def as_tensor(values: NDArray[np.generic]) -> Tensor:
    """The array as a tensor in double precision, copied where it may not be written to, which PyTorch does not know.

    >>> as_tensor(np.array([1, 2]))
    tensor([1., 2.], dtype=torch.float64)
    """
    return torch.from_numpy(np.require(values, dtype=np.float64, requirements="W"))
