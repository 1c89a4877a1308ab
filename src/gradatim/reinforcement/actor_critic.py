"""Advantage actor-critic: a critic says how much better than usual an action was, at once."""

from dataclasses import dataclass

from gradatim.errors import require, require_whole
from gradatim.reinforcement.acting import ActorInfo, ActorState, actor_policy, live, start_actor
from gradatim.reinforcement.environment import Environment
from gradatim.reinforcement.improving import improve, judge, standardized
from gradatim.reinforcement.tables import Policy


@dataclass(frozen=True)
class ActorCritic:
    r"""One step of policy gradient on every short rollout of many copies.

    .. math:: -\frac1B\sum_i A_i\log\pi(a_i\mid s_i)+\tfrac12\bigl(V(s_i)-\hat G_i\bigr)^2

    At the policy that acted, the gradient of :func:`~gradatim.losses.policy_loss` is this one.

    Args:
        gamma: :math:`\gamma`; 1 only where episodes end.
        lam: :math:`\lambda` of the advantages; 0 trusts the critic after one step, 1 only what really followed.
        lr: The step of learning.
        rollout: Steps of every copy between two updates.
        hidden: Widths of actor and critic.
        num_copies: Copies of the world.

    Example:
        >>> from gradatim.reinforcement import CartPole, learn
        >>> learned = learn(ActorCritic(num_copies=8), CartPole(), steps=256)
        >>> learned.state.steps
        256

    Reference:
        Mnih et al., Asynchronous Methods for Deep Reinforcement Learning, 2016, without the asynchrony.
    """

    gamma: float = 0.99
    lam: float = 0.95
    lr: float = 2e-3
    rollout: int = 16
    hidden: tuple[int, ...] = (64, 64)
    num_copies: int = 16

    def init(self, environment: Environment, *, seed: int = 0) -> ActorState:
        """Start actor, critic and world."""
        require_whole("ActorCritic", rollout=self.rollout)
        require(0 <= self.lam <= 1, "ActorCritic: lam must be in [0, 1]", self.lam, "Try 0.95.")
        return start_actor("ActorCritic", environment, num_copies=self.num_copies, gamma=self.gamma, hidden=self.hidden, lr=self.lr, clip_norm=0.5, seed=seed)  # fmt: skip

    def step(self, state: ActorState) -> tuple[ActorState, ActorInfo]:
        """Act for a while, then take one step."""
        state, lived = live(state, self.rollout)
        batch, entropy = judge(state, lived, gamma=self.gamma, lam=self.lam)
        improve(state, batch._replace(advantages=standardized(batch.advantages)), clip=None)
        return state, ActorInfo(lived.returns, entropy)

    def policy(self, state: ActorState) -> Policy:
        """The likeliest actions."""
        return actor_policy(state)
