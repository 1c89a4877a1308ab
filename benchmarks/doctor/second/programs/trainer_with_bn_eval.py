"""A small home-grown trainer in the manner of the big ones."""
from dataclasses import dataclass, field

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainingArguments:
    num_train_epochs: int = 5
    per_device_batch_size: int = 50
    learning_rate: float = 2e-3
    logging_steps: int = 50
    log: list = field(default_factory=list)


class MiniTrainer:
    def __init__(self, model, args, train_dataset, eval_dataset):
        self.model, self.args = model, args
        self.train_dataset, self.eval_dataset = train_dataset, eval_dataset
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
        self.step = 0

    def compute_loss(self, batch):
        x, y = batch
        return nn.functional.cross_entropy(self.model(x), y)

    def training_step(self, batch):
        self.model.train()
        loss = self.compute_loss(batch)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return loss.detach()

    def evaluate(self):
        losses = []
        with torch.no_grad():
            for batch in DataLoader(self.eval_dataset, batch_size=99):
                losses.append(self.compute_loss(batch))
        return torch.stack(losses).mean().item()

    def train(self):
        for epoch in range(self.args.num_train_epochs):
            for batch in DataLoader(self.train_dataset, self.args.per_device_batch_size, shuffle=True):
                loss = self.training_step(batch)
                if self.step % self.args.logging_steps == 0:
                    self.args.log.append({"step": self.step, "loss": loss.item()})
            print({"epoch": epoch + 1, "train_loss": loss.item(), "eval_loss": self.evaluate()})


torch.manual_seed(0)
d = load_digits()
X = torch.tensor(d.images / 16.0).float().unsqueeze(1)
y = torch.tensor(d.target)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Dropout2d(0.25), nn.Flatten(), nn.Linear(576, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.4), nn.Linear(64, 10)
)
MiniTrainer(model, TrainingArguments(), TensorDataset(X[:1500], y[:1500]), TensorDataset(X[1500:], y[1500:])).train()
