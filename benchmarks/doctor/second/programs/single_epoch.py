import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
num_epochs = 1
batch_size = 30
d = load_digits()
x = torch.tensor(d.images / 16, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(d.target)
train_loader = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=batch_size, shuffle=True)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.fc = nn.Linear(256, 10)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


model = CNN()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for epoch in range(num_epochs):
    for i, (images, labels) in enumerate(train_loader):
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 10 == 9:
            print(f"Epoch [{epoch + 1}/{num_epochs}], Step [{i + 1}], Loss: {loss.item():.4f}")
model.eval()
with torch.no_grad():
    out = model(x[1500:])
    print("val", criterion(out, y[1500:]).item(), (out.argmax(1) == y[1500:]).float().mean().item())
