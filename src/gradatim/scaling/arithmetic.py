"""The arithmetic of a token, and what share of a machine's peak it is."""

from gradatim.errors import require
from gradatim.scaling.checks import check_positive, check_whole


def flops_per_token(
    parameters: float,
    num_layers: int | None = None,
    dim: int | None = None,
    context: int | None = None,
) -> float:
    r"""Floating point operations of a training step per token.

    .. math:: C = 6\,P + 12\,L\,D\,T

    Two for every weight in the forward pass (multiply, add), twice that in the backward pass, and the same for the two
    products of attention: :math:`2 \cdot 2\,D\,T` per layer, three times. Without layers, width and context the
    attention is left out: for an MLP, of which a row is a token, the first term is all.

    Args:
        parameters: :math:`P`.
        num_layers: :math:`L`.
        dim: :math:`D`.
        context: :math:`T`.

    Example:
        >>> f"{flops_per_token(8.03e9, 32, 4096, 8192):.4g}"
        '6.106e+10'

    Reference:
        Chowdhery et al., PaLM: Scaling Language Modeling with Pathways, 2022, appendix B.
    """
    check_whole("flops_per_token", parameters=parameters)
    if num_layers is None or dim is None or context is None:
        return 6.0 * parameters
    check_whole("flops_per_token", num_layers=num_layers, dim=dim, context=context)
    return 6.0 * parameters + 12.0 * num_layers * dim * context


def peak_share(tokens_per_second: float, flops: float, peak_flops: float) -> float:
    """Share of the peak that useful arithmetic takes (model FLOP utilization, MFU).

    Args:
        tokens_per_second: Of one process.
        flops: Per token, see :func:`flops_per_token`; what is computed twice counts once.
        peak_flops: Operations per second of which the processor is capable.

    Example:
        >>> flops = flops_per_token(8.03e9, 32, 4096, 8192)
        >>> round(100 * peak_share(2904, flops, 312e12), 1)
        56.8

    Reference:
        Chowdhery et al., PaLM, 2022, appendix B.
    """
    check_positive("peak_share", tokens_per_second=tokens_per_second, flops=flops, peak_flops=peak_flops)  # fmt: skip
    share = tokens_per_second * flops / peak_flops
    rule = "peak_share: tokens_per_second must be what the peak allows"
    allowed = f"{tokens_per_second:g}, where {peak_flops / flops:.4g} would be all of it"
    require(share <= 1, rule, allowed, "Say the peak of one process, in operations per second.")
    return share
