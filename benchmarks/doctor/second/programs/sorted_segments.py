import torch
import torch.nn as nn

torch.manual_seed(0)
# three machines, recorded one after the other
per = 320
t = torch.arange(25).float()
recordings, labels = [], []
for m, (f, a) in enumerate([(0.3, 1.0), (0.5, 0.8), (0.8, 1.1)]):
    s = a * torch.sin(f * t + 6.28 * torch.rand(per, 1)) + 0.4 * torch.randn(per, 25)
    recordings.append(s)
    labels.append(torch.full((per,), m))
X, Y = torch.cat(recordings).unsqueeze(-1), torch.cat(labels)
rnn, fc = nn.GRU(1, 20, batch_first=True), nn.Linear(20, 3)
opt = torch.optim.Adam([*rnn.parameters(), *fc.parameters()], lr=5e-3)
for epoch in range(8):
    for k in range(0, len(X), 32):
        xb, yb = X[k:k + 32], Y[k:k + 32]
        loss = nn.functional.cross_entropy(fc(rnn(xb)[1][0]), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = fc(rnn(X)[1][0])
        print(epoch, nn.functional.cross_entropy(out, Y).item(), (out.argmax(1) == Y).float().mean().item())
