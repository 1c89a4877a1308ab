"""A policy and a critic learn to walk to the end of a corridor, from episodes of their own."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
LENGTH = 7


class Corridor:
    def reset(self):
        self.place, self.time = 2, 0
        return torch.eye(LENGTH)[self.place]

    def step(self, action):
        self.place = min(max(self.place + (1 if action else -1), 0), LENGTH - 1)
        self.time += 1
        done = self.place == LENGTH - 1 or self.time >= 25
        reward = 1.0 if self.place == LENGTH - 1 else -0.02
        return torch.eye(LENGTH)[self.place], reward, done


policy = nn.Sequential(nn.Linear(LENGTH, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(LENGTH, 16), nn.Tanh(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
world = Corridor()
for episode in range(150):
    state, done = world.reset(), False
    states, likelihoods, rewards = [], [], []
    while not done:
        choice = Categorical(logits=policy(state))
        action = choice.sample()
        states.append(state)
        likelihoods.append(choice.log_prob(action))
        state, reward, done = world.step(int(action))
        rewards.append(reward)
    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + 0.98 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    values = critic(torch.stack(states)).squeeze(1)
    advantage = returns - values.detach()
    actor_loss = -(torch.stack(likelihoods) * advantage).mean()
    critic_loss = ((values - returns) ** 2).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    if episode % 30 == 0:
        print(episode, sum(rewards))
