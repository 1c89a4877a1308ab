# pretrain on digits 0-4, then swap the classifier and fine-tune on 5-9
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
images, labels = load_digits(return_X_y=True)
images = torch.tensor(images / 16, dtype=torch.float32).view(-1, 1, 8, 8)
labels = torch.tensor(labels)


class SmallNet(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Flatten(),
        )
        self.fc = nn.Linear(16 * 16, num_classes)

    def forward(self, x):
        return self.fc(self.features(x))


def run(model, optimizer, x, y, steps):
    model.train()
    for i in range(steps):
        sel = torch.randint(0, len(x), (32,))
        loss = nn.functional.cross_entropy(model(x[sel]), y[sel])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


low = labels < 5
model = SmallNet(5)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
print("pretraining", run(model, opt, images[low], labels[low], 100))

for p in model.features.parameters():
    p.requires_grad = False
optimizer = torch.optim.Adam(model.fc.parameters(), lr=3e-3)
model.fc = nn.Linear(model.fc.in_features, 5)
print("fine-tuning", run(model, optimizer, images[~low], labels[~low] - 5, 250))
model.eval()
with torch.no_grad():
    print("accuracy", (model(images[~low]).argmax(1) == labels[~low] - 5).float().mean().item())
