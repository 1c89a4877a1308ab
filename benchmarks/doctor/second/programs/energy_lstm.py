# Forecast the next hour of a (synthetic) power load with an LSTM
import numpy as np
import torch
import torch.nn as nn

np.random.seed(0)
torch.manual_seed(0)
t = np.arange(2000)
series = 50 + 20 * np.sin(2 * np.pi * t / 24) + 8 * np.sin(2 * np.pi * t / 168) + np.random.randn(2000) * 2
mean, std = series[:1600].mean(), series[:1600].std()
series = (series - mean) / std


def create_sequences(data, seq_length):
    xs, ys = [], []
    for i in range(len(data) - seq_length):
        xs.append(data[i:i + seq_length])
        ys.append(data[i + seq_length])
    return np.array(xs), np.array(ys)


SEQ = 24
X, y = create_sequences(series, SEQ)
X = torch.tensor(X, dtype=torch.float32).unsqueeze(-1)
y = torch.tensor(y, dtype=torch.float32).unsqueeze(-1)
X_train, X_test, y_train, y_test = X[:1576], X[1576:], y[:1576], y[1576:]


class LoadForecaster(nn.Module):
    def __init__(self, hidden_dim=24):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden_dim, batch_first=True)
        self.linear = nn.Linear(hidden_dim, 1)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return torch.sigmoid(self.linear(out[:, -1, :]))


model = LoadForecaster()
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X_train, y_train), shuffle=True, batch_size=64)
for epoch in range(8):
    model.train()
    for X_batch, y_batch in loader:
        y_pred = model(X_batch)
        loss = loss_fn(y_pred, y_batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(f"Epoch {epoch}: train RMSE {loss_fn(model(X_train), y_train).sqrt():.4f}, test RMSE {loss_fn(model(X_test), y_test).sqrt():.4f}")
