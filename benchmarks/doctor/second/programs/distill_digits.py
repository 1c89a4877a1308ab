import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(1)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X / 16.0, dtype=torch.float32)
y = torch.tensor(y)
perm = torch.randperm(len(X))
tr, te = perm[:1400], perm[1400:]

teacher = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
topt = torch.optim.Adam(teacher.parameters(), 3e-3)
for _ in range(150):
    idx = tr[torch.randint(len(tr), (128,))]
    l = F.cross_entropy(teacher(X[idx]), y[idx])
    topt.zero_grad(); l.backward(); topt.step()
teacher.eval().requires_grad_(False)
print("teacher acc", (teacher(X[te]).argmax(1) == y[te]).float().mean().item())

T = 2.0
student = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 10))
sopt = torch.optim.Adam(student.parameters(), 3e-3)
for step in range(300):
    idx = tr[torch.randint(len(tr), (128,))]
    with torch.no_grad():
        t = F.softmax(teacher(X[idx]) / T, dim=1)
    s = F.softmax(student(X[idx]) / T, dim=1)
    loss = F.kl_div(s, t, reduction="batchmean") * T * T
    sopt.zero_grad(); loss.backward(); sopt.step()
    if step % 75 == 0:
        print(step, loss.item())
with torch.no_grad():
    print("student acc", (student(X[te]).argmax(1) == y[te]).float().mean().item())
