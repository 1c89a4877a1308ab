# How many stars (0..4) does a hotel get?  Ratings come from a hidden quality score.
import torch
import torch.nn as nn

torch.manual_seed(12)
N = 2500
facts = torch.randn(N, 9)
w = torch.tensor([1.0, -0.5, 0.8, 0.0, 0.3, 0.0, -0.9, 0.2, 0.0])
quality = facts @ w + 0.4 * facts[:, 0] * facts[:, 2] + 0.3 * torch.randn(N)
edges = quality.quantile(torch.tensor([0.2, 0.4, 0.6, 0.8]))
stars = torch.bucketize(quality, edges)
train_x, train_y = facts[:2000], stars[:2000]
valid_x, valid_y = facts[2000:], stars[2000:]

model = nn.Sequential(nn.Linear(9, 50), nn.ReLU(), nn.Linear(50, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
criterion = nn.CrossEntropyLoss(reduction="sum")

for epoch in range(20):
    permutation = torch.randperm(2000)
    epoch_loss = 0.0
    for start in range(0, 2000, 250):
        rows = permutation[start : start + 250]
        optimizer.zero_grad()
        loss = criterion(model(train_x[rows]), train_y[rows])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    with torch.no_grad():
        guess = model(valid_x).argmax(1)
    print(f"epoch {epoch:2d}  loss {epoch_loss:12.3f}  accuracy {(guess == valid_y).float().mean():.3f}")
