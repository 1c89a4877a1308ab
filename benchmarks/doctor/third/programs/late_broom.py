import torch
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import RobustScaler
from torch import nn


class Trainer:
    """Keeps model, optimizer and loss together; one call of `update` per batch."""

    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.NAdam(model.parameters(), lr=lr)
        self.loss = nn.BCEWithLogitsLoss()
        self.seen = []

    def update(self, x, y):
        value = self.loss(self.model(x), y)
        value.backward()
        self.optimizer.zero_grad()
        self.optimizer.step()
        self.seen.append(value.item())

    @torch.inference_mode()
    def evaluate(self, x, y):
        z = self.model(x)
        return self.loss(z, y).item(), ((z > 0).float() == y).float().mean().item()


torch.manual_seed(44)
x, y = load_breast_cancer(return_X_y=True)
x = torch.tensor(RobustScaler().fit_transform(x), dtype=torch.float32).clamp(-3, 3)
y = torch.tensor(y, dtype=torch.float32)[:, None]
shuffled = torch.randperm(len(x))
x, y = x[shuffled], y[shuffled]

trainer = Trainer(nn.Sequential(nn.Linear(30, 10), nn.Tanh(), nn.Linear(10, 1)), lr=0.004)
for epoch in range(15):
    for i in range(0, 440, 22):
        trainer.update(x[i : i + 22], y[i : i + 22])
    val_loss, val_acc = trainer.evaluate(x[440:], y[440:])
    print(f"epoch {epoch} train {sum(trainer.seen[-20:]) / 20:.4f} val {val_loss:.4f} acc {val_acc:.3f}")
