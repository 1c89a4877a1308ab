"""Fine-tune a language model by preferences: reward model, DPO, REINFORCE and PPO.

All are objectives of a :class:`~gradatim.training.Trainer`. Texts are token numbers ``(B, T)`` whose first
``prompt_length`` tokens are given; only what follows is judged.
"""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.decoding import generate
from gradatim.errors import InvalidValue
from gradatim.losses.preferences import comparison_loss, dpo_loss
from gradatim.models import GPT
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures, Objective


@takes_arrays
def answer_log_probs(model: nn.Module, tokens: Tensor, prompt_length: int) -> Tensor:
    r"""Log-probability of every token of an answer, :math:`\log\pi(y_t\mid x, y_{<t})`.

    Args:
        model: A language model :math:`\pi`.
        tokens: Prompt :math:`x` and answer :math:`y`, shape ``(B, T)``.
        prompt_length: Tokens of the prompt, at least 1.

    Returns:
        Shape ``(B, T - prompt_length)``.

    Example:
        >>> answer_log_probs(GPT(4, 8, 4, 1, 1), torch.zeros(2, 5, dtype=torch.long), 2).shape
        torch.Size([2, 3])
    """
    if not 1 <= prompt_length < tokens.shape[1]:
        raise InvalidValue(
            f"answer_log_probs: prompt_length must be from 1 to {tokens.shape[1] - 1}, got {prompt_length}."
        )
    logits = model(tokens[:, :-1])[:, prompt_length - 1 :]  # (B, T - P, V)
    answer = tokens[:, prompt_length:].unsqueeze(-1)
    return logits.log_softmax(-1).gather(-1, answer).squeeze(-1)


class RewardComparison(Objective):
    """Train a reward model on batches ``(chosen, rejected)`` of texts.

    It records ``accuracy``, the share of pairs it ranks as the judge did.

    Example:
        >>> from gradatim.models import RewardModel
        >>> from gradatim.training import Trainer
        >>> pairs = torch.ones(8, 5, dtype=torch.long), torch.zeros(8, 5, dtype=torch.long)
        >>> model = RewardModel(GPT(4, 8, 4, 1, 1))
        >>> history = Trainer(model, objective=RewardComparison(), epochs=3).fit(pairs)
        >>> history["train_accuracy"][-1]
        1.0
    """

    any_layout = True

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        good, bad = (model(tokens) for tokens in batch)
        accuracy = (good > bad).double().mean()
        return {"loss": comparison_loss(good, bad), "accuracy": accuracy}


class DPO(Objective):
    """Direct preference optimization on batches ``(chosen, rejected)`` of texts.

    It records ``accuracy``, the share of pairs whose chosen text gained more than the rejected one.

    Args:
        reference: The model before fine-tuning; it is set to evaluation mode and does not learn.
        prompt_length: Tokens that both texts of a pair share and that are not judged.
        beta: Strength of the pull towards the reference.

    Example:
        >>> from copy import deepcopy
        >>> from gradatim.training import Trainer
        >>> model = GPT(4, 8, 4, 1, 1)
        >>> pairs = torch.ones(8, 5, dtype=torch.long), torch.zeros(8, 5, dtype=torch.long)
        >>> objective = DPO(deepcopy(model), prompt_length=1)
        >>> "train_accuracy" in Trainer(model, objective=objective, epochs=1).fit(pairs).records[0]
        True
    """

    any_layout = True

    def __init__(self, reference: nn.Module, *, prompt_length: int, beta: float = 0.1) -> None:
        self.reference, self.prompt_length, self.beta = reference.eval(), prompt_length, beta

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        now = self._log_probs(model, batch)
        with torch.no_grad():
            then = self._log_probs(self.reference, batch)
        gains = [a - b for a, b in zip(now, then, strict=True)]
        accuracy = (gains[0] > gains[1]).double().mean()
        return {"loss": dpo_loss(*now, *then, beta=self.beta), "accuracy": accuracy}

    def _log_probs(self, model: nn.Module, batch: Batch) -> list[Tensor]:
        return [answer_log_probs(model, tokens, self.prompt_length).sum(1) for tokens in batch]


@takes_arrays
@torch.inference_mode()
def policy_divergence(
    model: GPT, reference: GPT, prompts: Tensor, num_tokens: int, *, seed: int = 0
) -> float:
    r"""How far a fine-tuned model has gone: nats per answer.

    .. math:: \mathrm{KL}(\pi\|\pi_0) = \mathbb E_{y\sim\pi}\sum_t
        \sum_v \pi(v\mid y_{<t})\log\frac{\pi(v\mid y_{<t})}{\pi_0(v\mid y_{<t})}

    Answers are drawn, the inner sum over tokens is exact.

    Args:
        model: :math:`\pi`.
        reference: :math:`\pi_0`.
        prompts: Shape ``(B, P)``.
        num_tokens: Length of an answer.
        seed: Fixes the draws.

    Example:
        >>> model = GPT(4, 8, 4, 1, 1)
        >>> policy_divergence(model, model, torch.zeros(2, 1, dtype=torch.long), 5)
        0.0
    """
    tokens = generate(model, prompts, num_tokens, seed=seed)
    with evaluation_mode(model), evaluation_mode(reference):
        ours, theirs = (
            each(tokens[:, :-1])[:, prompts.shape[1] - 1 :].log_softmax(-1)
            for each in (model, reference)
        )
    return float((ours.exp() * (ours - theirs)).sum((1, 2)).mean())
