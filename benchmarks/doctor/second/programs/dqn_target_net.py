import copy
import random
from collections import deque

import torch
import torch.nn as nn

random.seed(0)
torch.manual_seed(0)
SIZE = 4


def obs(p):
    o = torch.zeros(2 * SIZE)
    o[p[0]], o[SIZE + p[1]] = 1, 1
    return o


def env_step(p, a):
    dx, dy = [(0, 1), (0, -1), (1, 0), (-1, 0)][a]
    p = (min(max(p[0] + dx, 0), SIZE - 1), min(max(p[1] + dy, 0), SIZE - 1))
    done = p == (SIZE - 1, SIZE - 1)
    return p, (1.0 if done else -0.05), done


q = nn.Sequential(nn.Linear(2 * SIZE, 48), nn.ReLU(), nn.Linear(48, 4))
target = copy.deepcopy(q)
optimizer = torch.optim.Adam(q.parameters(), lr=2e-3)
memory, eps, p, returns, total = deque(maxlen=3000), 1.0, (0, 0), [], 0.0
t_ep = 0
for step in range(1000):
    if random.random() < eps:
        a = random.randrange(4)
    else:
        with torch.no_grad():
            a = q(obs(p)).argmax().item()
    nxt, r, done = env_step(p, a)
    memory.append((obs(p), a, r, obs(nxt), float(done)))
    total += r
    t_ep += 1
    p = nxt
    if done or t_ep == 40:
        returns.append(total)
        p, total, t_ep = (0, 0), 0.0, 0
    eps = max(0.05, eps * 0.996)
    if len(memory) < 64:
        continue
    s, a, r, s2, d = zip(*random.sample(memory, 32))
    s, s2 = torch.stack(s), torch.stack(s2)
    a, r, d = torch.tensor(a), torch.tensor(r), torch.tensor(d)
    with torch.no_grad():
        y = r + 0.95 * (1 - d) * target(s2).max(1).values
    loss = nn.functional.smooth_l1_loss(q(s).gather(1, a[:, None]).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        target.load_state_dict(q.state_dict())
print("first episodes", returns[:5], "last", returns[-5:])
