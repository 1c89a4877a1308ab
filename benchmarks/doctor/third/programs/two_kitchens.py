"""Wine again, prepared with a scaler that is fitted where it is needed."""
import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def as_dataset(x, y):
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))


class Experiment:
    def __init__(self, seed=148):
        torch.manual_seed(seed)
        x, y = load_wine(return_X_y=True)
        x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.3, random_state=seed, stratify=y)
        scaler = StandardScaler().fit(x_train)
        self.train = DataLoader(as_dataset(scaler.transform(x_train), y_train), batch_size=16, shuffle=True)
        self.val = DataLoader(as_dataset(x_val, y_val), batch_size=54)
        self.net = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 3))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=3e-3)

    def epoch(self):
        self.net.train()
        losses = []
        for x, y in self.train:
            loss = nn.functional.cross_entropy(self.net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def validate(self):
        self.net.eval()
        x, y = next(iter(self.val))
        out = self.net(x)
        return nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


experiment = Experiment()
for e in range(20):
    train_loss = experiment.epoch()
    if e % 4 == 3:
        print(f"epoch {e + 1}: train {train_loss:.3f} val loss %.3f acc %.3f" % experiment.validate())
    else:
        experiment.validate()
