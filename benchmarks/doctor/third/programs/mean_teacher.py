"""Mean teacher: sixty labelled digits, the rest without labels, the teacher an average of students."""
import copy

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(219)
d = load_digits()
x = torch.tensor(d.data / 16 - 0.3, dtype=torch.float32)
y = torch.tensor(d.target)
p = torch.randperm(len(y))
x, y = x[p], y[p]
labelled, unlabelled, test = slice(0, 300), slice(300, 1400), slice(1400, None)

student = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
teacher = copy.deepcopy(student).requires_grad_(False)
optimizer = torch.optim.Adam(student.parameters(), lr=2e-3, weight_decay=1e-3)
noisy = lambda v: v + 0.15 * torch.randn_like(v)
loader = DataLoader(TensorDataset(x[unlabelled]), batch_size=100, shuffle=True, drop_last=True)

for epoch in range(15):
    for (u,) in loader:
        rows = torch.randint(0, 300, (40,))
        supervised = F.cross_entropy(student(noisy(x[labelled][rows])), y[labelled][rows])
        with torch.no_grad():
            target = teacher(noisy(u)).softmax(1)
        consistency = F.mse_loss(student(noisy(u)).softmax(1), target)
        loss = supervised + 3.0 * min(1.0, epoch / 5) * consistency
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for s, t in zip(student.parameters(), teacher.parameters()):
                t.lerp_(s, 0.05)
    with torch.no_grad():
        a = (student(x[test]).argmax(1) == y[test]).float().mean().item()
        b = (teacher(x[test]).argmax(1) == y[test]).float().mean().item()
    if epoch % 2 == 0:
        print(f"epoch {epoch}: supervised {supervised.item():.3f} consistency {consistency.item():.4f} student {a:.3f} teacher {b:.3f}")
