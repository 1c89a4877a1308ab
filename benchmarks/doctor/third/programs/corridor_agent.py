"""REINFORCE with a running baseline: walk along a corridor to the goal, written without gym."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(205)
LENGTH, LIMIT = 8, 24


class Corridor:
    """Start in the middle; the goal is at one end, and the first number says which."""

    def __init__(self, n):
        self.goal = torch.randint(0, 2, (n,)) * 2 - 1
        self.place = torch.zeros(n)
        self.done = torch.zeros(n, dtype=torch.bool)

    def look(self):
        return torch.stack([self.goal.float(), self.place / LENGTH], 1)

    def step(self, action):
        move = (action * 2 - 1).float()
        self.place = torch.where(self.done, self.place, self.place + move)
        arrived = (self.place * self.goal >= LENGTH / 2) & ~self.done
        reward = arrived.float() - 0.02 * (~self.done).float()
        self.done = self.done | arrived
        return reward


policy = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
baseline = 0.0
for update in range(100):
    env = Corridor(64)
    log_probs, rewards, alive = [], [], []
    for _ in range(LIMIT):
        choice = Categorical(logits=policy(env.look()))
        action = choice.sample()
        alive.append(~env.done)
        log_probs.append(choice.log_prob(action))
        rewards.append(env.step(action))
    returns = torch.stack(rewards).flip(0).cumsum(0).flip(0)
    mask = torch.stack(alive).float()
    loss = -(torch.stack(log_probs) * (returns - baseline) * mask).sum() / mask.sum()
    baseline = 0.9 * baseline + 0.1 * returns[0].mean().item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 10 == 9:
        print(f"update {update + 1}: return {returns[0].mean():.3f}, arrived {env.done.float().mean():.2f}, surrogate {loss.item():.4f}")
