import torch
import torch.nn as nn

torch.manual_seed(0)


class Agent:
    def __init__(self, n_states, n_actions, lr=0.02):
        self.pi = nn.Sequential(nn.Linear(n_states, 16), nn.ReLU(), nn.Linear(16, n_actions), nn.Softmax(-1))
        self.opt = torch.optim.Adam(self.pi.parameters(), lr=lr)
        self.log_probs, self.rewards = [], []
        self.n = n_states

    def act(self, s):
        probs = self.pi(torch.eye(self.n)[s])
        dist = torch.distributions.Categorical(probs)
        a = dist.sample()
        self.log_probs.append(dist.log_prob(a))
        return a.item()

    def learn(self):
        G, returns = 0, []
        for r in self.rewards[::-1]:
            G = r + 0.9 * G
            returns.append(G)
        returns = torch.tensor(returns[::-1])
        returns = returns - returns.mean()
        log_probs = torch.tensor(self.log_probs)
        loss = -(log_probs * returns).sum()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.log_probs, self.rewards = [], []


agent = Agent(5, 2)
for ep in range(200):
    s, total = 2, 0.0
    for t in range(15):
        a = agent.act(s)
        s = min(4, s + 1) if a == 1 else max(0, s - 1)
        r = 1.0 if s == 4 else (-1.0 if s == 0 else 0.0)
        agent.rewards.append(r)
        total += r
    agent.learn()
    if ep % 40 == 39:
        print(ep + 1, "return", total)
