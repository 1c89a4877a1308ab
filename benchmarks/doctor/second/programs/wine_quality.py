# Classify wines from the chemical analysis
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(42)
data = load_wine()
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target, test_size=0.3, random_state=1)
sc = StandardScaler()
X_train = torch.FloatTensor(sc.fit_transform(X_train))
X_test = torch.FloatTensor(sc.transform(X_test))
y_train, y_test = torch.LongTensor(y_train), torch.LongTensor(y_test)

model = nn.Sequential(
    nn.Linear(13, 32),
    nn.ReLU(),
    nn.Linear(32, 16),
    nn.ReLU(),
    nn.Linear(16, 3),
    nn.Softmax(dim=1),
)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.02)

for epoch in range(300):
    optimizer.zero_grad()
    out = model(X_train)
    loss = criterion(out, y_train)
    loss.backward()
    optimizer.step()
    if epoch % 50 == 0:
        print(f"epoch {epoch} loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    out = model(X_test)
    print("test loss", criterion(out, y_test).item(), "acc", (out.argmax(1) == y_test).float().mean().item())
