import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(2)
# contextual bandit: the best arm depends on the sign of two features


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 32), nn.ReLU())
        self.pi = nn.Linear(32, 4)
        self.v = nn.Linear(32, 1)

    def forward(self, x):
        h = self.trunk(x)
        return F.log_softmax(self.pi(h), -1), self.v(h).squeeze(-1)


ac = ActorCritic()
opt = torch.optim.RMSprop(ac.parameters(), lr=2e-3)
for it in range(400):
    s = torch.randn(32, 4)
    best = (s[:, 0] > 0).long() * 2 + (s[:, 1] > 0).long()
    logp, value = ac(s)
    action = torch.multinomial(logp.exp(), 1).squeeze(1)
    reward = (action == best).float() + 0.1 * torch.randn(32)
    adv = reward - value
    policy_loss = -(logp.gather(1, action[:, None]).squeeze(1) * adv.detach()).mean()
    entropy = -(logp.exp() * logp).sum(-1).mean()
    loss = policy_loss + 0.5 * adv.pow(2).mean() - 0.01 * entropy
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(ac.parameters(), 0.5)
    opt.step()
    if it % 80 == 0:
        print(it, "reward", reward.mean().item(), "loss", loss.item())
print("end reward", reward.mean().item())
