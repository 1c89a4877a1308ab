"""Fine-tune a language model by a reward: draw answers, judge them, make the better ones likelier."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.decoding import generate
from gradatim.errors import require
from gradatim.losses.preferences import policy_loss
from gradatim.models import GPT
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures, Objective
from gradatim.training.objectives.preferences import answer_log_probs

Reward = Callable[[Tensor], Tensor]


class Rollouts:
    r"""Answers that a model draws itself, with advantages; one round of them per epoch.

    .. math:: A_i = \frac{R_i - \bar R}{\operatorname{std}(R)}, \qquad
        R_i = r(y_i) - \beta\sum_t\log\frac{\pi(y_{it})}{\pi_0(y_{it})}

    The penalty keeps the model near the reference, where the reward knows what it judges. A checkpoint within an
    epoch keeps the answers, which the model of that moment would no longer draw.

    Args:
        model: The policy :math:`\pi`, the model that the trainer changes.
        reference: :math:`\pi_0`, the model before fine-tuning.
        reward: :math:`r`, from texts ``(B, T)`` to numbers ``(B,)``: a rule, or a reward model.
        prompts: Shape ``(B, P)``; an answer is drawn to each.
        num_tokens: Length of an answer.
        beta: :math:`\beta`, price of a nat of divergence from the reference.
        batch_size: Answers of one step.
        passes: Steps on every answer; more than 1 needs clipping in :class:`PolicyGradient`.
        seed: Fixes the draws.

    Example:
        >>> from copy import deepcopy
        >>> from gradatim.training import Trainer
        >>> model = GPT(4, 8, 4, 1, 1)
        >>> rollouts = Rollouts(
        ...     model, deepcopy(model), lambda tokens: (tokens == 3).sum(1).float(),
        ...     torch.zeros(16, 1, dtype=torch.long), 5, batch_size=8)
        >>> history = Trainer(model, objective=PolicyGradient(), epochs=2).fit(rollouts)
        >>> sorted(history.records[0])[-3:]
        ['train_kl', 'train_loss', 'train_reward']

    Reference:
        Ziegler et al., Fine-Tuning Language Models from Human Preferences, 2019; an answer is one action
        here, so that no value network is needed.
    """

    def __init__(
        self,
        model: GPT,
        reference: GPT,
        reward: Reward,
        prompts: Tensor,
        num_tokens: int,
        *,
        beta: float = 0.05,
        batch_size: int = 32,
        passes: int = 1,
        seed: int = 0,
    ) -> None:
        rule = "Rollouts: num_tokens, batch_size and passes must be at least 1 and beta at least 0"
        got = f"{num_tokens}, {batch_size}, {passes} and {beta}"
        require(min(batch_size, passes, num_tokens) >= 1 and beta >= 0, rule, got)
        self.model, self.reference, self.reward = model, reference, reward
        self.prompts, self.num_tokens, self.beta = prompts, num_tokens, beta
        self.batch_size, self.passes, self.seed, self.epoch = batch_size, passes, seed, 0
        self._place = 0
        self._answers: tuple[Tensor, ...] = ()
        self._is_restored = False

    def set_epoch(self, epoch: int) -> None:
        """Choose the round whose answers come next."""
        self._is_restored &= epoch == self.epoch
        self.epoch = epoch

    def __len__(self) -> int:
        return self.passes * -(-len(self.prompts) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        """Yield texts, their log-probabilities, rewards, divergences and advantages."""
        if not self._is_restored:
            self._place, self._answers = 0, self.draw()
        self._is_restored = False
        order = torch.Generator().manual_seed(self.seed + self.epoch)
        passes = [torch.randperm(len(self.prompts), generator=order) for _ in range(self.passes)]
        steps = [rows for each in passes for rows in each.split(self.batch_size)]
        for rows in steps[self._place :]:
            self._place += 1
            yield tuple(part[rows] for part in self._answers)

    def state_dict(self) -> dict[str, Any]:
        """The round that is under way, and how far it is."""
        return {"epoch": self.epoch, "place": self._place, "answers": list(self._answers)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with a round: the next iteration yields what is left of it, unless another epoch is set."""
        self.epoch, self._place = state["epoch"], state["place"]
        self._answers = tuple(state["answers"])
        self._is_restored = bool(self._answers)

    @torch.no_grad()
    def draw(self) -> tuple[Tensor, ...]:
        """Draw and judge a round of answers."""
        seed = self.seed * 1_000_003 + self.epoch
        tokens = generate(self.model, self.prompts, self.num_tokens, seed=seed)
        length = self.prompts.shape[1]
        with evaluation_mode(self.model), evaluation_mode(self.reference):
            now, then = (
                answer_log_probs(each, tokens, length) for each in (self.model, self.reference)
            )  # (B, num_tokens) each
        reward, gone = self.reward(tokens).to(now), (now - then).sum(1)
        total = reward - self.beta * gone
        advantages = (total - total.mean()) / (total.std() + 1e-6)
        return tokens, now, reward, gone, advantages


class PolicyGradient(Objective):
    """Make better answers likelier, on batches of :class:`Rollouts`: REINFORCE, or with ``clip`` PPO's clipped form.

    It records ``reward`` and ``kl``, an estimate of the divergence from the reference in nats per answer.

    Args:
        clip: Largest relative change of a token's probability that still pays, usually 0.2.

    Example:
        >>> PolicyGradient(clip=0.2).clip
        0.2
    """

    any_layout = True

    def __init__(self, *, clip: float | None = None) -> None:
        rule = "PolicyGradient: clip must be in (0, 1)"
        require(clip is None or 0 < clip < 1, rule, clip, "Try 0.2.")
        self.clip = clip

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        tokens, old, reward, gone, advantages = batch
        now = answer_log_probs(model, tokens, tokens.shape[1] - old.shape[1])
        loss = policy_loss(now, old, advantages, clip=self.clip)
        return {"loss": loss, "reward": reward.mean(), "kl": gone.mean()}
