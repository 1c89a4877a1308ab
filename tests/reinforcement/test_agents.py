"""Networks that act: what they live through, what they remember, and that they learn what is easy."""

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.reinforcement import (  # fmt: skip
    DQN,
    PPO,
    ActorCritic,
    Bandit,
    CartPole,
    Discrete,
    Environment,
    Maze,
    Move,
    Reinforce,
    Replay,
    Step,
    double_q_value,
    learn,
)
from gradatim.reinforcement.acting import live
from gradatim.reinforcement.dqn import chosen_loss, chosen_slopes


class Match(Environment):
    """Say the bit that is shown; episodes of 5 steps, cut off."""

    observation_space, action_space, has_end, time_limit = Discrete(2), Discrete(2), False, 5

    def start(self, which, generator):
        return torch.randint(2, which.shape, generator=generator)

    def move(self, state, action, generator):
        never = torch.zeros(len(state), dtype=torch.bool)
        return Move(self.start(state, generator), (action == state).float(), never, never)


AGENTS = {
    "ppo": PPO(gamma=0.5, rollout=10, epochs=4, batch_size=40, hidden=(8,), lr=0.02, num_copies=8),
    "actor-critic": ActorCritic(gamma=0.5, rollout=10, hidden=(8,), lr=0.02, num_copies=8),
    "reinforce": Reinforce(gamma=0.5, hidden=(8,), lr=0.02, num_copies=8),
    "reinforce without baseline": Reinforce(gamma=0.5, has_baseline=False, hidden=(8,), lr=0.02, num_copies=8),
    "dqn": DQN(gamma=0.5, hidden=(8,), lr=0.02, batch_size=16, updates=2, target_every=20, num_copies=8),
    "dqn, one network": DQN(gamma=0.5, is_double=False, hidden=(8,), lr=0.02, batch_size=16, updates=2, target_every=20, num_copies=8),
}  # fmt: skip


@pytest.mark.parametrize("name", list(AGENTS))
def test_it_learns_what_is_easy(name):
    learned = learn(AGENTS[name], Match(), steps=2000, evaluations=2, episodes=10, seed=1)
    assert [point.steps >= goal for point, goal in zip(learned.curve, (1000, 2000), strict=True)] == [True, True]  # fmt: skip
    assert learned.curve[-1].returns.tolist() == [5.0] * 10
    assert learned.policy(torch.tensor([0, 1, 1])).tolist() == [0, 1, 1]


@pytest.mark.parametrize("name", list(AGENTS))
def test_a_return_without_an_end_is_refused(name):
    from dataclasses import replace

    with pytest.raises(GradatimError, match="gamma must be below 1 where episodes do not end"):
        replace(AGENTS[name], gamma=1.0).init(Match())


def test_the_value_of_a_world_that_is_only_cut_off_bootstraps():
    """A reward of 1 for ever is worth 1 / (1 − γ) though episodes last 5 steps; terminated after 5 it is worth less."""

    class Always(Match):
        def move(self, state, action, generator):
            never = torch.zeros(len(state), dtype=torch.bool)
            return Move(0 * state, torch.ones(len(state)), never, never)

        def start(self, which, generator):
            return 0 * which

    agent = PPO(gamma=0.8, lam=0.9, rollout=10, epochs=10, batch_size=80, hidden=(8,), lr=0.02, num_copies=8)  # fmt: skip
    state = learn(agent, Always(), steps=80 * 40).state
    worth = state.critic(torch.tensor([[1.0, 0.0]])).item()
    assert worth == pytest.approx(5.0, rel=0.05)


def test_what_was_lived_is_what_happened():
    agent = PPO(num_copies=3, rollout=40)
    state = agent.init(CartPole(), seed=0)
    after, lived = live(state, 40)
    again = CartPole().copies(3)
    seen, _ = again.reset(seed=0)
    score, returns = torch.zeros(3), []
    for t in range(40):
        assert torch.equal(lived.seen[t], seen)
        seen, reward, terminated, truncated, info = again.step(lived.actions[t])
        assert torch.equal(lived.final[t], info["final_observation"])
        assert torch.equal(lived.terminated[t], terminated)
        assert torch.equal(lived.ended[t], terminated | truncated)
        score += reward
        returns += score[terminated].tolist()
        score[terminated] = 0
    assert lived.returns.tolist() == returns
    assert torch.equal(after.score, score)
    assert after.steps == 120


def test_episodes_of_reinforce_are_whole_and_first():
    agent = Reinforce(gamma=1.0, num_copies=6)
    state, batch, lived = agent.play(agent.init(CartPole(), seed=0))
    lengths = [int(column.int().argmax()) + 1 for column in lived.ended.T]
    assert len(batch.seen) == sum(lengths)
    firsts = batch.goal[: len(lengths)]  # row t=0 of every copy
    assert firsts.tolist() == lengths
    torch.testing.assert_close(batch.advantages, batch.goal - state.critic(batch.seen).squeeze(1).detach())  # fmt: skip


def test_a_memory_forgets_the_oldest():
    memory = Replay(5)
    for k in range(4):
        rows = torch.tensor([2.0 * k, 2.0 * k + 1])
        memory.add(Step(rows[:, None], rows.long(), rows, rows > 0, rows[:, None]))
    assert len(memory) == 5
    drawn = memory.draw(400, torch.Generator().manual_seed(0))
    assert set(drawn.reward.tolist()) == {3.0, 4.0, 5.0, 6.0, 7.0}
    assert torch.equal(drawn.seen[:, 0], drawn.reward)
    assert torch.equal(drawn.action, drawn.reward.long())


def test_double_q_by_a_slow_loop():
    online, target = torch.randn(2, 7, 4, generator=torch.Generator().manual_seed(0))
    expected = [row[max(range(4), key=lambda a: mine[a])] for mine, row in zip(online.tolist(), target.tolist(), strict=True)]  # fmt: skip
    assert double_q_value(online, target).tolist() == expected
    assert torch.equal(double_q_value(target, target), target.amax(1))


def test_slopes_of_the_chosen_values():
    g = torch.Generator().manual_seed(0)
    q = 2 * torch.randn(9, 3, generator=g, dtype=torch.float64)
    actions, goal = torch.randint(3, (9,), generator=g), torch.randn(9, generator=g, dtype=torch.float64)  # fmt: skip
    q.requires_grad_()
    (expected,) = torch.autograd.grad(chosen_loss(actions, goal, q), q)
    torch.testing.assert_close(chosen_slopes(actions, goal, q.detach())[0], expected)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: PPO(clip=0.0).init(CartPole()), "PPO: clip must be in (0, 1), got 0.0"),
        (lambda: PPO(lam=2.0).init(CartPole()), "PPO: lam must be in [0, 1], got 2.0"),
        (lambda: PPO(epochs=0).init(CartPole()), "PPO: epochs must be a whole number from 1"),
        (lambda: PPO().init("CartPole-v1"), "PPO: environment must be one of gradatim.reinforcement, got str"),
        (lambda: ActorCritic(lam=-1.0).init(CartPole()), "ActorCritic: lam must be in [0, 1], got -1.0"),
        (lambda: Reinforce(lr=0.0).init(CartPole()), "Reinforce: lr must be more than 0, got 0.0"),
        (lambda: Reinforce(gamma=2.0).init(Maze()), "Reinforce: gamma must be in [0, 1], got 2.0"),
        (lambda: DQN(lr=-1.0).init(Maze()), "DQN: lr must be more than 0, got -1.0"),
        (lambda: DQN(gamma=1.0).init(Bandit((0.5,))), "DQN: gamma must be below 1 where episodes do not end"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_are_said_in_one_sentence(act, words):
    with pytest.raises(GradatimError) as error:
        act()
    assert words in str(error.value)
