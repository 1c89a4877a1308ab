"""From the frame-by-frame output of a CTC network to labels: best path and prefix beam search."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.decoding.beam import Hypotheses
from gradatim.errors import InvalidValue, require
from gradatim.models import CTC
from gradatim.nn import evaluation_mode
from gradatim.nn.padding import real_steps
from gradatim.threads import in_one_thread


@takes_arrays
def collapse_path(
    path: Tensor, lengths: Tensor | None = None, *, blank: int = 0
) -> tuple[Tensor, Tensor]:
    r"""Apply CTC's map :math:`\mathcal B`: merge repeated labels, then drop blanks.

    Args:
        path: One label or blank per frame, shape ``(B, T)``.
        lengths: Real frames of each row, shape ``(B,)``; all by default.
        blank: Number of the blank.

    Returns:
        Labels, shape ``(B, L)`` with blanks behind the last, and how many there are, shape ``(B,)``.

    Example:
        >>> collapse_path(torch.tensor([[0, 1, 1, 0, 1, 2, 2]]))
        (tensor([[1, 1, 2]]), tensor([3]))
    """
    is_real = real_steps("collapse_path", path, lengths)
    is_new = torch.ones_like(path, dtype=torch.bool)
    is_new[:, 1:] = path[:, 1:] != path[:, :-1]
    is_kept = is_new & (path != blank)
    if is_real is not None:
        is_kept &= is_real
    count = is_kept.sum(1)  # (B,)
    order = (~is_kept).int().argsort(dim=1, stable=True)  # labels to the front, in their order
    labels = path.masked_fill(~is_kept, blank).gather(1, order)
    return labels[:, : int(count.max()) if len(count) else 0], count


@takes_arrays
def best_path(
    log_probs: Tensor, lengths: Tensor | None = None, *, blank: int = 0
) -> tuple[Tensor, Tensor]:
    r"""Decode with the most probable label of every frame.

    .. math:: \hat y = \mathcal B(\arg\max_\pi p(\pi \mid x))

    Fast, but many paths may lead to one labelling, and the best path need not lead to the best one.

    Args:
        log_probs: Log-probabilities of blank and labels, shape ``(B, T, K)``.
        lengths: Real frames of each row, shape ``(B,)``; all by default.
        blank: Place of the blank.

    Returns:
        Labels, shape ``(B, L)`` with blanks behind the last, and how many there are, shape ``(B,)``.

    Example:
        >>> p = torch.tensor([[[0.6, 0.4], [0.6, 0.4]]])  # all blank: 0.36; "1": 0.64
        >>> best_path(p.log())[1]
        tensor([0])
    """
    return collapse_path(log_probs.argmax(-1), lengths, blank=blank)


@takes_arrays
@torch.no_grad()
def prefix_beam_search(
    log_probs: Tensor, lengths: Tensor | None = None, *, num_beams: int = 16, blank: int = 0
) -> Hypotheses:
    r"""Decode with the labelling whose paths together are the most probable.

    .. math:: \hat y = \arg\max_y \sum_{\pi:\,\mathcal B(\pi) = y} p(\pi \mid x)

    A beam of prefixes moves over the frames. Each carries the probability of the paths that end in a
    blank, :math:`p_b`, and of those that end in its last label, :math:`p_n`:

    .. math::
        p_b'(y) &= p(\text{blank})\,(p_b(y) + p_n(y)), \\
        p_n'(y) &= p(y_{\text{last}})\,p_n(y) + [\text{mass of } y_{:-1} \text{ that grows to } y], \\
        \text{grow}(y \to yk) &= p(k)\,(p_b(y) + [k \ne y_{\text{last}}]\,p_n(y))

    With a width that no prefix falls out of the result is exact. All rows and prefixes move at once.

    Args:
        log_probs: Log-probabilities of blank and labels, shape ``(B, T, K)``.
        lengths: Real frames of each row, shape ``(B,)``; all by default.
        num_beams: Prefixes kept.
        blank: Place of the blank, which also stands behind the ends of labellings.

    Example:
        >>> p = torch.tensor([[[0.6, 0.4], [0.6, 0.4]]])  # all blank: 0.36; "1": 0.64
        >>> found = prefix_beam_search(p.log(), num_beams=2)
        >>> found.tokens[0].tolist(), found.log_probs.exp()
        ([[1], [0]], tensor([[0.6400, 0.3600]]))

    Reference:
        Hannun et al., First-Pass Large Vocabulary Continuous Speech Recognition using Bi-Directional
        Recurrent DNNs, 2014, algorithm 1, without a language model.
    """
    if num_beams < 1 or log_probs.ndim != 3:
        raise InvalidValue(
            "prefix_beam_search: log_probs must have shape (B, T, K) and num_beams be 1 or more, "
            f"got {tuple(log_probs.shape)} and {num_beams}."
        )
    is_real = real_steps("prefix_beam_search", log_probs, lengths)
    B, T, K = log_probs.shape
    require(0 <= blank < K, f"prefix_beam_search: blank must be a place from 0 to {K - 1}", blank)
    places = torch.tensor([blank, *(k for k in range(K) if k != blank)], device=log_probs.device)
    log_probs = log_probs if blank == 0 else log_probs[..., places]  # the blank first
    prefixes = torch.zeros(B, num_beams, T, dtype=torch.long, device=log_probs.device)
    counts = prefixes.new_zeros(B, num_beams)
    p_blank = torch.full_like(log_probs[:, :1, 0], -torch.inf).repeat(1, num_beams)  # (B, W)
    p_label = p_blank.clone()
    p_blank[:, 0] = 0.0  # the empty prefix
    with in_one_thread(log_probs[:, :1].numel() * num_beams):
        for t in range(T):
            beam = (prefixes, counts, p_blank, p_label)
            moved = _advance(*beam, log_probs[:, t])
            if is_real is None:
                prefixes, counts, p_blank, p_label = moved
            else:
                real = is_real[:, t, None]
                prefixes = torch.where(real[..., None], moved[0], prefixes)
                counts, p_blank, p_label = (
                    torch.where(real, new, old)
                    for new, old in zip(moved[1:], beam[1:], strict=True)
                )
    total, order = torch.logaddexp(p_blank, p_label).sort(1, descending=True)
    counts = counts.gather(1, order)
    longest = int(counts.max()) if counts.numel() else 0
    tokens = prefixes.gather(1, order[..., None].expand_as(prefixes))[..., :longest]
    return Hypotheses(places[tokens], counts, total)


@takes_arrays
@torch.no_grad()
def transcribe(
    model: CTC, x: Tensor, lengths: Tensor | None = None, *, num_beams: int | None = None
) -> tuple[Tensor, Tensor]:
    """Find the label string of each sequence.

    Args:
        model: A :class:`~gradatim.models.CTC` network, used in evaluation mode; it is left as it was.
        x: Frames, shape ``(B, T, input_dim)``.
        lengths: Real frames of each sequence; all by default.
        num_beams: Width of :func:`prefix_beam_search`; without one, :func:`best_path`.

    Returns:
        Labels, shape ``(B, L)`` with blanks behind the last, and how many there are, shape ``(B,)``.

    Example:
        >>> labels, counts = transcribe(CTC(13, 10), torch.randn(4, 20, 13), num_beams=4)
        >>> len(labels), counts.shape
        (4, torch.Size([4]))
    """
    with evaluation_mode(model):
        log_probs = model(x, lengths)
    if num_beams is None:
        return best_path(log_probs, lengths, blank=model.blank)
    found = prefix_beam_search(log_probs, lengths, num_beams=num_beams, blank=model.blank)
    return found.tokens[:, 0], found.lengths[:, 0]


def _advance(
    prefixes: Tensor, counts: Tensor, p_blank: Tensor, p_label: Tensor, frame: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Move all beams over one frame of log-probabilities ``(B, K)``."""
    B, W = counts.shape
    K = frame.shape[1]
    total = torch.logaddexp(p_blank, p_label)  # (B, W)
    last = prefixes.gather(2, (counts - 1).clamp(min=0)[..., None]).squeeze(2)  # (B, W), 0 if empty
    stay_blank = total + frame[:, :1]
    stay_label = (p_label + frame.gather(1, last)).masked_fill(counts == 0, -torch.inf)

    grow = total[..., None] + frame[:, None]  # (B, W, K)
    repeats = torch.nn.functional.one_hot(last, K).bool()
    grow = torch.where(repeats, p_blank[..., None] + frame[:, None], grow)
    grow[..., 0] = -torch.inf  # blank makes no label
    grow, stay_label = _merge(grow, stay_label, prefixes, counts, last, total)

    score = torch.cat([torch.logaddexp(stay_blank, stay_label), grow.flatten(1)], 1)
    best = score.topk(W).indices  # (B, W)
    is_old = best < W
    child = (best - W).clamp(min=0)
    parent, label = torch.where(is_old, best, child // K), torch.where(is_old, 0, child % K)
    nothing = torch.full_like(score[:, :1], -torch.inf).expand(B, W * K)
    size = counts.gather(1, parent)
    return (
        prefixes.gather(1, parent[..., None].expand_as(prefixes)).scatter_add_(
            2, size[..., None], label[..., None]
        ),
        size + ~is_old,
        torch.cat([stay_blank, nothing], 1).gather(1, best),
        torch.cat([stay_label, grow.flatten(1)], 1).gather(1, best),
    )


def _merge(
    grow: Tensor, stay_label: Tensor, prefixes: Tensor, counts: Tensor, last: Tensor, total: Tensor
) -> tuple[Tensor, Tensor]:
    """Where prefix ``i`` grown by a label is prefix ``j`` of the beam, give its mass to ``j``."""
    B, W, K = grow.shape
    position = torch.arange(prefixes.shape[-1], device=prefixes.device)
    is_last = position == counts[..., None] - 1
    shortened = prefixes.masked_fill(is_last, 0)  # (B, W, L), each without its last label
    is_parent = (prefixes[:, :, None] == shortened[:, None]).all(-1)  # (B, i, j)
    is_parent &= counts[:, :, None] + 1 == counts[:, None]
    # prefixes without mass fill up a young beam, and must not take any
    is_parent &= (total[:, :, None] > -torch.inf) & (total[:, None] > -torch.inf)
    mass = grow.gather(2, last[:, None].expand(B, W, W))  # (B, i, j): i grown by j's last label
    mass = mass.masked_fill(~is_parent, -torch.inf)
    taken = torch.zeros(B, W, K, dtype=torch.int8, device=grow.device)
    taken.scatter_reduce_(2, last[:, None].expand(B, W, W), is_parent.to(torch.int8), "amax")
    grow = grow.masked_fill(taken.bool(), -torch.inf)
    return grow, torch.logaddexp(stay_label, mass.amax(1))  # at most one parent each
