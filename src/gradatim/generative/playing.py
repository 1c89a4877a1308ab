r"""Orders in which two players move, each with an optimizer of its own.

For a game :math:`\min_\theta\max_\varphi\ell(\theta,\varphi)` and plain gradient steps:

.. math::
    \text{simultaneous}&:\ \theta' = \theta - \eta\nabla_\theta\ell(\theta,\varphi),\quad
        \varphi' = \varphi + \eta\nabla_\varphi\ell(\theta,\varphi)\\
    \text{alternating}&:\ \varphi' = \varphi + \eta\nabla_\varphi\ell(\theta,\varphi),\quad
        \theta' = \theta - \eta\nabla_\theta\ell(\theta,\varphi')\\
    \text{extragradient}&:\ \theta' = \theta - \eta\nabla_\theta\ell(\theta_{1/2},\varphi_{1/2}),\quad
        \varphi' = \varphi + \eta\nabla_\varphi\ell(\theta_{1/2},\varphi_{1/2})\\
    \text{one-sided}&:\ \theta' = \theta - \eta\nabla_\theta\ell(\theta_{1/2},\varphi),\quad
        \varphi' = \varphi + \eta\nabla_\varphi\ell(\theta,\varphi_{1/2})

with the half step :math:`(\theta_{1/2},\varphi_{1/2})` that of simultaneous play. The one-sided form is how notes 002 print
extragradient; a player then never sees the other's next move, and on :math:`\ell=\theta\varphi` nothing is gained.

Reference:
    Korpelevich, The extragradient method for finding saddle points, 1976; Gidel et al., A Variational Inequality Perspective
    on Generative Adversarial Networks, 2019, whose form with Adam moves the moments at both evaluations, as here.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from gradatim.errors import choose

Gradient = Callable[[], None]  # leaves a player's gradient of its loss in `.grad`


class Player(NamedTuple):
    """A side of a game.

    Args:
        optimizer: Moves the player's parameters.
        gradient: Finds its gradient where all players now stand.
    """

    optimizer: Optimizer
    gradient: Gradient

    @property
    def parameters(self) -> list[Tensor]:
        """What it moves."""
        return [p for group in self.optimizer.param_groups for p in group["params"]]


def play_simultaneous(first: Player, second: Player) -> None:
    """Both look at where both stand, then both move."""
    first.gradient()
    second.gradient()
    first.optimizer.step()
    second.optimizer.step()


def play_alternating(first: Player, second: Player) -> None:
    """The second moves, then the first, who sees where the second has gone."""
    second.gradient()
    second.optimizer.step()
    first.gradient()
    first.optimizer.step()


def play_extragradient(first: Player, second: Player) -> None:
    """Both try a step, look from there, and move from where they were by what they saw."""
    starts = _places(first, second)
    play_simultaneous(first, second)
    first.gradient()
    second.gradient()
    _return(starts)
    first.optimizer.step()
    second.optimizer.step()


def play_one_sided(first: Player, second: Player) -> None:
    """Each tries a step alone, looks from there, and moves from where it was by what it saw."""
    start, other_start = _places(first), _places(second)
    play_simultaneous(first, second)
    tried = _places(first)
    _return(start)
    second.gradient()  # of the first's start and the second's half step
    _return(other_start)
    _return(tried)
    first.gradient()  # of the first's half step and the second's start
    _return(start)
    first.optimizer.step()
    second.optimizer.step()


PLAYS: dict[str, Callable[[Player, Player], None]] = {
    "alternating": play_alternating,
    "simultaneous": play_simultaneous,
    "extragradient": play_extragradient,
    "one-sided-extragradient": play_one_sided,
}


def choose_play(play: str) -> Callable[[Player, Player], None]:
    """Return an order of moves by name.

    >>> choose_play("simultaneous").__name__
    'play_simultaneous'
    """
    return PLAYS[choose("train_gan", "play", play, PLAYS)]


Places = Sequence[tuple[Tensor, Tensor]]


def _places(*players: Player) -> Places:
    return [(p, p.detach().clone()) for player in players for p in player.parameters]


@torch.no_grad()
def _return(places: Places) -> None:
    torch._foreach_copy_([p for p, _ in places], [place for _, place in places])
