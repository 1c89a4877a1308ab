"""Whether to trust draws of networks: by what they say, not by their weights."""

from torch import Tensor

from gradatim.bayes.trace import Trace

MOST = 200  # outputs that are judged, at equal distances


def judge_outputs(outputs: Tensor, info: dict[str, Tensor], step_size: float) -> str:
    """The verdict on outputs ``(chains, draws, N, K)``.

    Hidden units can change places without changing the function, so that chains of weights need never meet; their outputs
    can.
    """
    flat = outputs.flatten(2)
    every = max(1, flat.shape[2] // MOST)
    return Trace({"f": flat[:, :, ::every]}, info, step_size).verdict
