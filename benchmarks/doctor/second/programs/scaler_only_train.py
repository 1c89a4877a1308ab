import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
bc = load_breast_cancer()
X_train, X_val, y_train, y_val = train_test_split(bc.data, bc.target, test_size=0.2, random_state=2)
X_train = StandardScaler().fit_transform(X_train)
train_ds = TensorDataset(torch.tensor(X_train, dtype=torch.float32), torch.tensor(y_train))
val_ds = TensorDataset(torch.tensor(X_val, dtype=torch.float32), torch.tensor(y_val))
model = nn.Sequential(nn.Linear(30, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
lossf = nn.CrossEntropyLoss()
for epoch in range(15):
    model.train()
    for x, y in DataLoader(train_ds, batch_size=32, shuffle=True):
        opt.zero_grad()
        loss = lossf(model(x), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        for x, y in DataLoader(val_ds, batch_size=200):
            out = model(x)
            print(epoch, loss.item(), "val", lossf(out, y).item(), (out.argmax(1) == y).float().mean().item())
