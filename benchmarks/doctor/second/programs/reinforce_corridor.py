"""REINFORCE with a running baseline on a corridor of 6 cells; the goal is on the right."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
N, MAX_T = 6, 20


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(N, 24), nn.Tanh(), nn.Linear(24, 2))

    def forward(self, s):
        return Categorical(logits=self.fc(s))


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
baseline, gamma = 0.0, 0.97
lengths = []
for episode in range(300):
    pos, logps, rewards = 1, [], []
    for t in range(MAX_T):
        dist = policy(nn.functional.one_hot(torch.tensor(pos), N).float())
        a = dist.sample()
        logps.append(dist.log_prob(a))
        pos = max(0, pos + (1 if a.item() else -1))
        rewards.append(1.0 if pos == N - 1 else -0.02)
        if pos == N - 1:
            break
    returns, R = [], 0.0
    for r in reversed(rewards):
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    advantage = returns - baseline
    baseline = 0.95 * baseline + 0.05 * returns[0].item()
    loss = -(torch.stack(logps) * advantage).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    lengths.append(len(rewards))
    if episode % 60 == 59:
        print(episode + 1, "mean length", sum(lengths[-60:]) / 60, "loss", loss.item())
