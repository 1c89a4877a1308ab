# %% [markdown]
# # Reading handwritten digits
# Small convolutional net on the 8x8 digits that ship with scikit-learn.

# %%
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
labels = torch.tensor(digits.target)
tr, te = train_test_split(range(len(labels)), test_size=0.25, random_state=3, stratify=digits.target)
train_loader = DataLoader(TensorDataset(images[tr], labels[tr]), batch_size=64, shuffle=True)
test_x, test_y = images[te], labels[te]

# %%
net = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
    nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(16 * 4 * 4, 10),
    nn.Softmax(dim=-1),
)
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)

# %%
for epoch in range(8):
    net.train()
    running = 0.0
    for xb, yb in train_loader:
        opt.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        opt.step()
        running += loss.item() * len(xb)
    net.eval()
    with torch.no_grad():
        out = net(test_x)
        acc = (out.argmax(1) == test_y).float().mean().item()
        val = criterion(out, test_y).item()
    print(f"epoch {epoch}: train {running / len(tr):.3f}  test {val:.3f}  acc {acc:.3f}")
