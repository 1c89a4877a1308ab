import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(127)
digits = load_digits()
x = torch.tensor(digits.data, dtype=torch.float32).sub(5).div(6)
y = torch.tensor(digits.target)
p = torch.randperm(len(y))
x_train, y_train, x_dev, y_dev = x[p[:1500]], y[p[:1500]], x[p[1500:]], y[p[1500:]]

model = nn.Sequential(
    nn.Linear(64, 128),
    nn.ReLU(),
    nn.Linear(128, 10),
    nn.Dropout(p=0.6),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

step = 0
while step < 400:
    model.train()
    rows = torch.randint(0, 1500, (50,))
    loss = criterion(model(x_train[rows]), y_train[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if step % 50 == 0:
        model.eval()
        with torch.no_grad():
            out = model(x_dev)
        print(f"step {step} loss {loss.item():.3f} dev loss {criterion(out, y_dev).item():.3f} dev acc {(out.argmax(1) == y_dev).float().mean().item():.3f}")
