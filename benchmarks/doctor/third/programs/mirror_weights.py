"""An autoencoder whose decoder is the transposed encoder."""
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional as F


class TiedAutoencoder(nn.Module):
    def __init__(self, sizes=(64, 32, 12)):
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(o, i) / i**0.5) for i, o in zip(sizes, sizes[1:]))
        self.up = nn.ParameterList(nn.Parameter(torch.zeros(o)) for o in sizes[1:])
        self.down = nn.ParameterList(nn.Parameter(torch.zeros(i)) for i in sizes[:-1])

    def forward(self, x: Tensor) -> Tensor:
        for w, b in zip(self.weights, self.up):
            x = torch.tanh(F.linear(x, w, b))
        for k in reversed(range(len(self.weights))):
            x = F.linear(x, self.weights[k].T, self.down[k])
            if k:
                x = torch.tanh(x)
        return x


if __name__ == "__main__":
    torch.manual_seed(212)
    data = torch.tensor(load_digits().data / 16, dtype=torch.float32)
    data = data[torch.randperm(len(data))]
    mean = data[:1500].mean(0)
    train, test = data[:1500] - mean, data[1500:] - mean
    model = TiedAutoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    print("variance", test.var(0).mean().item())
    for epoch in range(15):
        for batch in train[torch.randperm(1500)].split(50):
            loss = F.mse_loss(model(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 2 == 0:
            with torch.no_grad():
                print(f"epoch {epoch}: {loss.item():.4f} test {F.mse_loss(model(test), test).item():.4f}")
