import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
X = torch.tensor(load_digits().data / 16.0).float()
X_train, X_test = X[:1500], X[1500:]


class Encoder(nn.Module):
    def __init__(self, latent_dim):
        super().__init__()
        self.fc1 = nn.Linear(64, 48)
        self.fc2 = nn.Linear(48, latent_dim)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


class Decoder(nn.Module):
    def __init__(self, latent_dim):
        super().__init__()
        self.fc1 = nn.Linear(latent_dim, 48)
        self.fc2 = nn.Linear(48, 64)

    def forward(self, z):
        return torch.sigmoid(self.fc2(torch.relu(self.fc1(z))))


encoder, decoder = Encoder(8), Decoder(8)
optimizer = torch.optim.Adam(decoder.parameters(), lr=2e-3)
loss_fn = nn.MSELoss()
for epoch in range(10):
    perm = torch.randperm(1500)
    for i in range(0, 1500, 50):
        batch = X_train[perm[i:i + 50]]
        recon = decoder(encoder(batch))
        loss = loss_fn(recon, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, "train", loss.item(), "test", loss_fn(decoder(encoder(X_test)), X_test).item())
