# Seasonal curve from a bank of waves whose frequencies and phases are learnt too.
import torch

torch.manual_seed(23)
t = torch.rand(900, 1) * 2 - 1
y = torch.sin(4.2 * t) + 0.5 * torch.cos(9.1 * t + 0.3) + 0.05 * torch.randn_like(t)
t_train, t_test, y_train, y_test = t[:700], t[700:], y[:700], y[700:]


class WaveBank(torch.nn.Module):
    def __init__(self, waves):
        super().__init__()
        self.frequency = torch.nn.Parameter(torch.randn(1, waves))
        self.phase = torch.nn.Parameter(torch.zeros(1, waves))
        self.mix = torch.nn.Linear(waves, 1)

    def forward(self, t):
        return self.mix(torch.sin(t * self.frequency + self.phase))


model = WaveBank(24)
groups = [
    {"params": model.mix.parameters(), "lr": 0.01},
]
optimizer = torch.optim.Adam(groups, betas=(0.9, 0.99))

for step in range(1200):
    rows = torch.randint(0, 700, (70,))
    loss = torch.nn.functional.mse_loss(model(t_train[rows]), y_train[rows])
    model.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 200 == 199:
        with torch.no_grad():
            test = torch.nn.functional.mse_loss(model(t_test), y_test)
        print(f"step {step + 1}: train {loss.item():.4f} test {test.item():.4f}")
