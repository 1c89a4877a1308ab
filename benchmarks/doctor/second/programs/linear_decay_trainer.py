import argparse

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset


def get_linear_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps):
    def lr_lambda(current_step):
        if current_step < num_warmup_steps:
            return current_step / max(1, num_warmup_steps)
        return max(0.0, (num_training_steps - current_step) / max(1, num_training_steps - num_warmup_steps))

    return LambdaLR(optimizer, lr_lambda)


class Trainer:
    def __init__(self, args, model, train_ds, eval_ds):
        self.args, self.model, self.train_ds, self.eval_ds = args, model, train_ds, eval_ds
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=0.01)
        self.scheduler = get_linear_schedule_with_warmup(self.optimizer, 2, args.epochs)

    def train(self):
        loader = DataLoader(self.train_ds, batch_size=self.args.batch_size, shuffle=True)
        for epoch in range(self.args.epochs):
            self.model.train()
            for x, y in loader:
                loss = nn.functional.cross_entropy(self.model(x), y)
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                self.scheduler.step()
                self.optimizer.zero_grad()
            print({"epoch": epoch, "loss": loss.item(), **self.evaluate()})

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        x, y = self.eval_ds.tensors
        out = self.model(x)
        return {"eval_loss": nn.functional.cross_entropy(out, y).item(), "eval_acc": (out.argmax(1) == y).float().mean().item()}


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch_size", type=int, default=32)
    p.add_argument("--learning_rate", type=float, default=2e-3)
    args = p.parse_args()
    torch.manual_seed(0)
    d = load_digits()
    X, y = torch.tensor(d.data / 16).float(), torch.tensor(d.target)
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10))
    Trainer(args, model, TensorDataset(X[:1500], y[:1500]), TensorDataset(X[1500:], y[1500:])).train()
