"""Faults as edits of healthy programs: old text, new text, the code that names it."""

from pathlib import Path
from typing import NamedTuple

BASES = Path(__file__).with_name("bases")


class Fault(NamedTuple):
    """One fault.

    Args:
        base: Program that it is planted into.
        code: What the doctor should say first.
        edits: Pairs of old and new text; the first is where the fault stands.
    """

    base: str
    code: str
    edits: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Base and code."""
        return f"{self.base}:{self.code}"

    def plant(self) -> tuple[str, int, int]:
        """The program with the fault, and the first and last line of it."""
        text = (BASES / f"{self.base}.py").read_text(encoding="utf-8")
        first = last = 0
        for number, (old, new) in enumerate(self.edits):
            if text.count(old) != 1:
                raise ValueError(f"{self.name}: {old!r} stands {text.count(old)} times in the base")
            if number == 0:
                first = text[: text.index(old)].count("\n") + 1
                last = first + new.count("\n")
            text = text.replace(old, new)
        return text, first, last


def one(base: str, code: str, *texts: str) -> Fault:
    """A fault of one or more edits: old, new, old, new, …"""
    return Fault(base, code, tuple(zip(texts[::2], texts[1::2], strict=True)))


M, R, C, L, T, F, B, H, D, V = "mlp_loader", "regression_raw", "cnn", "lstm", "language", "finetune", "binary", "by_hand", "deep", "vae"  # fmt: skip
FAULTS = [
    one(M, "loss.softmax-twice", "        return self.out(x)", "        return torch.softmax(self.out(x), dim=1)"),
    one(C, "loss.softmax-twice", "        return self.head(maps.flatten(1))", "        return nn.functional.softmax(self.head(maps.flatten(1)), dim=1)"),
    one(B, "loss.softmax-twice", "nn.Dropout(0.1), nn.Linear(16, 1))", "nn.Dropout(0.1), nn.Linear(16, 1), nn.Sigmoid())"),
    one(M, "loss.activation-missing", "criterion = nn.CrossEntropyLoss()", "criterion = nn.NLLLoss()"),
    one(B, "loss.activation-missing", "        self.loss = nn.BCEWithLogitsLoss()", "        self.loss = nn.BCELoss()"),
    one(M, "loss.softmax-axis", "criterion = nn.CrossEntropyLoss()", "criterion = lambda o, t: nn.functional.nll_loss(torch.log_softmax(o, dim=0), t)"),
    one(L, "loss.softmax-axis", "        return self.classify(states[:, -1])", "        return torch.log_softmax(self.classify(states[:, -1]), dim=0)", "nn.CrossEntropyLoss()", "nn.NLLLoss()"),
    one(R, "loss.range", "    nn.Linear(64, 1),\n", "    nn.Linear(64, 1),\n    nn.Sigmoid(),\n"),
    one(R, "loss.range", "    nn.Linear(64, 1),\n", "    nn.Linear(64, 1),\n    nn.ReLU(),\n"),
    one(R, "loss.broadcast", "        loss = F.mse_loss(pred, y_train[idx])", "        loss = F.mse_loss(pred, y_train[idx].squeeze(1))"),
    one(H, "loss.broadcast", "    loss = ((out - t[rows]) ** 2).mean()", "    loss = ((out - t[rows, 0]) ** 2).mean()"),
    one(M, "loss.wrong-kind", "        return self.out(x)", "        return torch.softmax(self.out(x), dim=1)", "criterion = nn.CrossEntropyLoss()", "criterion = lambda o, t: ((o - nn.functional.one_hot(t, 10).float()) ** 2).mean()", "optimizer = torch.optim.Adam(model.parameters(), lr=LR)", "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)"),
    one(M, "loss.labels", "y = torch.tensor(digits.target)", "y = torch.tensor(digits.target) + 1"),
    one(M, "loss.labels", "y = torch.tensor(digits.target)", "y = torch.tensor(digits.target).float()"),
    one(B, "loss.labels", "y_train = torch.tensor(y_train, dtype=torch.float32)", "y_train = torch.tensor(y_train, dtype=torch.float32) * 2 - 1"),
    one(D, "loss.width", "        self.leave = nn.Linear(width, 4)", "        self.leave = nn.Linear(width, 1)", "y = (X[:, 0] * X[:, 1] > 0).long() + 2 * (X[:, 2] + X[:, 3] > 0).long()", "y = 0 * (X[:, 0] > 0).long()"),
    one(L, "loss.width", "        self.classify = nn.Linear(hidden, 2)", "        self.classify = nn.Linear(hidden, 1)", "loss_function = nn.CrossEntropyLoss()", "loss_function = lambda s, t: nn.functional.cross_entropy(s, t * 0)"),
    one(R, "loss.summed", "        loss = F.mse_loss(pred, y_train[idx])", '        loss = F.mse_loss(pred, y_train[idx], reduction="sum")'),
    one(L, "loss.summed", "loss_function = nn.CrossEntropyLoss()", 'loss_function = nn.CrossEntropyLoss(reduction="sum")', "torch.optim.Adam(reader.parameters(), lr=0.01)", "torch.optim.SGD(reader.parameters(), lr=0.5, momentum=0.9)", "        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)\n", ""),
    one(M, "loss.sign", "        loss = criterion(outputs, yb)", "        loss = -criterion(outputs, yb)"),
    one(H, "loss.sign", "    loss = ((out - t[rows]) ** 2).mean()", "    loss = -((out - t[rows]) ** 2).mean()"),
    one(M, "loss.detached", "        loss = criterion(outputs, yb)", "        loss = torch.tensor(criterion(outputs, yb).item(), requires_grad=True)"),
    one(R, "loss.detached", "        loss = F.mse_loss(pred, y_train[idx])", "        loss = F.mse_loss(pred.detach(), y_train[idx])"),
    one(M, "optim.missing-parameters", "optimizer = torch.optim.Adam(model.parameters(), lr=LR)", "optimizer = torch.optim.Adam(model.fc1.parameters(), lr=LR)"),
    one(T, "optim.missing-parameters", "optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)", "optimizer = torch.optim.AdamW(list(model.embed.parameters()) + list(model.head.parameters()), lr=3e-3)"),
    one(M, "optim.stale-parameters", "optimizer = torch.optim.Adam(model.parameters(), lr=LR)", "optimizer = torch.optim.Adam(model.parameters(), lr=LR)\nmodel = Net()"),
    one(L, "optim.stale-parameters", "optimizer = torch.optim.Adam(reader.parameters(), lr=0.01)", "optimizer = torch.optim.Adam(Reader().parameters(), lr=0.01)"),
    one(M, "optim.no-zero-grad", "        optimizer.zero_grad()\n", "        pass\n"),
    one(H, "optim.no-zero-grad", "            w.grad = None\n", "            pass\n"),
    one(L, "optim.no-zero-grad", "        optimizer.zero_grad()\n", ""),
    one(M, "optim.no-step", "        optimizer.step()\n", "        pass\n"),
    one(B, "optim.no-step", "        self.optimizer.step()\n", "\n"),
    one(M, "optim.zeroed-before-step", "        optimizer.step()\n", "        optimizer.zero_grad()\n        optimizer.step()\n"),
    one(D, "optim.zeroed-before-step", "    loss.backward()\n", "    loss.backward()\n    model.zero_grad()\n"),
    one(M, "optim.recreated", "        optimizer.zero_grad()\n", "        optimizer = torch.optim.Adam(model.parameters(), lr=LR)\n        optimizer.zero_grad()\n"),
    one(R, "optim.recreated", "    perm = torch.randperm(len(X_train))", "    opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)\n    perm = torch.randperm(len(X_train))"),
    one(M, "optim.lr-high", "LR = 2e-3", "LR = 0.5"),
    one(R, "optim.lr-high", "lr=0.03, momentum=0.9", "lr=1.0, momentum=0.9"),
    one(T, "optim.lr-high", "lr=3e-3", "lr=0.3"),
    one(M, "optim.lr-low", "LR = 2e-3", "LR = 1e-7"),
    one(R, "optim.lr-low", "lr=0.03, momentum=0.9", "lr=1e-6, momentum=0.9"),
    one(C, "optim.lr-low", "        optimizer, 1e-2, total", "        optimizer, 1e-7, total"),
    one(R, "optim.schedule", "        opt.step()\n    sched.step()", "        opt.step()\n        sched.step()", "step_size=10", "step_size=1"),
    one(D, "optim.schedule", "    optimizer, lambda k: min((k + 1) / 20, 0.5 * (1 + math.cos(math.pi * k / steps)))", "    optimizer, lambda k: 0.5**k"),
    one(M, "optim.weight-decay", "optimizer = torch.optim.Adam(model.parameters(), lr=LR)", "optimizer = torch.optim.Adam(model.parameters(), lr=LR, weight_decay=5.0)"),
    one(R, "optim.weight-decay", "lr=0.03, momentum=0.9", "lr=0.03, momentum=0.9, weight_decay=1.0"),
    one(R, "optim.momentum", "lr=0.03, momentum=0.9", "lr=0.03, momentum=0.999"),
    one(M, "optim.momentum", "optimizer = torch.optim.Adam(model.parameters(), lr=LR)", "optimizer = torch.optim.Adam(model.parameters(), lr=LR, eps=10.0)"),
    one(L, "optim.clip", "        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)", "        nn.utils.clip_grad_norm_(reader.parameters(), 1e-5)", "torch.optim.Adam(reader.parameters(), lr=0.01)", "torch.optim.SGD(reader.parameters(), lr=0.5, momentum=0.9)"),
    one(R, "optim.clip", "        opt.step()\n", "        nn.utils.clip_grad_norm_(net.parameters(), 1e-4)\n        opt.step()\n"),
    one(M, "grad.vanishing", "        x = torch.relu(self.fc1(x))", "        x = torch.sigmoid(self.fc1(x))\n        for layer in self.deep:\n            x = torch.sigmoid(layer(x))", "        self.drop = nn.Dropout(0.2)", "        self.deep = nn.ModuleList(nn.Linear(96, 96) for _ in range(10))\n        self.drop = nn.Dropout(0.2)"),
    one(R, "grad.vanishing", "    nn.Linear(64, 64),\n    nn.ReLU(),\n", "    *[nn.Sequential(nn.Linear(64, 64), nn.Sigmoid()) for _ in range(12)],\n"),
    one(L, "grad.exploding", "        self.lstm = nn.LSTM(3, hidden, batch_first=True)", '        self.lstm = nn.RNN(3, hidden, batch_first=True, nonlinearity="relu")\n        nn.init.normal_(self.lstm.weight_hh_l0, std=0.6)', "        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)\n", ""),
    one(M, "grad.dead-relu", "        self.drop = nn.Dropout(0.2)", "        nn.init.constant_(self.fc1.bias, -20.0)\n        self.drop = nn.Dropout(0.2)"),
    one(H, "grad.saturated", "w1 = (torch.randn(1, 40) * 2).requires_grad_()", "w1 = (torch.randn(1, 40) * 400).requires_grad_()"),
    one(D, "grad.cut", "        h = self.enter(x)", "        h = self.enter(x).detach()"),
    one(C, "grad.cut", "        maps = self.features(images)", "        with torch.no_grad():\n            maps = self.features(images)"),
    one(T, "grad.cut", "        x = self.embed(tokens) +", "        x = self.embed(tokens).data +"),
    one(V, "grad.nan", '    reconstruction = F.binary_cross_entropy(output, x, reduction="sum")', "    reconstruction = -(x * torch.log(output - output.min()) + (1 - x) * torch.log(1 - output)).sum()"),
    one(R, "grad.nan", "        loss = F.mse_loss(pred, y_train[idx])", "        loss = torch.sqrt((pred - pred.detach() + 0 * y_train[idx]) ** 2).mean() + F.mse_loss(pred, y_train[idx])"),
    one(M, "init.constant", "        self.drop = nn.Dropout(0.2)", "        for layer in (self.fc1, self.fc2):\n            nn.init.constant_(layer.weight, 0.05)\n        self.drop = nn.Dropout(0.2)"),
    one(H, "init.constant", "w1 = (torch.randn(1, 40) * 2).requires_grad_()", "w1 = torch.ones(1, 40).requires_grad_()", "b1 = torch.randn(40).requires_grad_()", "b1 = torch.zeros(40).requires_grad_()", "w2 = (torch.randn(40, 1) / 40**0.5).requires_grad_()", "w2 = (torch.ones(40, 1) / 40).requires_grad_()"),
    one(M, "init.scale", "        self.drop = nn.Dropout(0.2)", "        nn.init.normal_(self.fc1.weight, std=40.0)\n        nn.init.normal_(self.fc2.weight, std=40.0)\n        self.drop = nn.Dropout(0.2)"),
    one(R, "init.scale", "opt = torch.optim.SGD", "for p in net.parameters():\n    nn.init.normal_(p, std=1e-5)\nopt = torch.optim.SGD"),
    one(M, "model.eval-in-training", "    model.train()\n", "    model.eval()\n"),
    one(C, "model.eval-in-training", "        model.train()\n", ""),
    one(M, "model.train-in-evaluation", "    model.eval()\n", ""),
    one(C, "model.train-in-evaluation", "    model.eval()\n", "    model.train()\n"),
    one(D, "model.not-registered", "        self.blocks = nn.ModuleList(Residual(width) for _ in range(depth))", "        self.blocks = [Residual(width) for _ in range(depth)]"),
    one(T, "model.not-registered", "        self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(layers)])", "        self.blocks = [Block(dim, heads) for _ in range(layers)]"),
    one(F, "model.frozen", "        for p in self.body.parameters():", "        for p in self.parameters():"),
    one(M, "model.frozen", "model = Net()\n", "model = Net()\nfor p in [*model.fc2.parameters(), *model.out.parameters()]:\n    p.requires_grad = False\n", "LR = 2e-3", "LR = 2e-4"),
    one(R, "model.linear-stack", "    nn.ReLU(),\n    nn.Linear(64, 64),\n    nn.ReLU(),\n", "    nn.Linear(64, 64),\n", "y = (X[:, :1] * X[:, 1:2] + torch.sin(2 * X[:, 2:3]) + 0.5 * X[:, 3:4])", "y = (X[:, :1] * X[:, 1:2] + torch.cos(2 * X[:, 2:3]))"),
    one(L, "model.batch-mixing", "nn.LSTM(3, hidden, batch_first=True)", "nn.LSTM(3, hidden)"),
    one(C, "model.batch-mixing", "        return self.head(maps.flatten(1))", "        return self.head(maps.transpose(0, 1).reshape(len(images), -1))"),
    one(T, "model.future-leak", '        scores = scores.masked_fill(future, float("-inf"))', "        scores = scores + 0 * future"),
    one(C, "model.batch-norm", "def main(epochs=5, batch_size=64)", "def main(epochs=1, batch_size=2)", "            nn.BatchNorm2d(2 * channels),\n            nn.ReLU(),\n", "            nn.ReLU(),\n            nn.AdaptiveAvgPool2d(1),\n            nn.BatchNorm2d(2 * channels),\n", "nn.Linear(2 * channels * 16, classes)", "nn.Linear(2 * channels, classes)"),
    one(M, "model.dropout", "nn.Dropout(0.2)", "nn.Dropout(0.98)"),
    one(M, "data.nan", "X = (X - X[:1400].mean(0))", "X[7, 20] = float('nan')\nX = (X - X[:1400].nanmean(0))"),
    one(R, "data.nan", "X_train, y_train, X_val, y_val", "y[33] = float('nan')\nX_train, y_train, X_val, y_val"),
    one(R, "data.unscaled", "X_train, y_train, X_val, y_val", "X = X * torch.logspace(-1, 4, 10)\nX_train, y_train, X_val, y_val"),
    one(B, "data.unscaled", "scaler = StandardScaler().fit(X_train)", "scaler = StandardScaler(with_mean=False, with_std=False).fit(X_train)", "trainer = Trainer(model, lr=3e-3)", "trainer = Trainer(model, lr=3e-4)"),
    one(M, "data.unshuffled", "train_loader = DataLoader(train_set, batch_size=64, shuffle=True)", "by_label = y[:1400].argsort()\ntrain_set = TensorDataset(X[:1400][by_label], y[:1400][by_label])\ntrain_loader = DataLoader(train_set, batch_size=64)"),
    one(B, "data.unshuffled", "            order = torch.randperm(len(X))", "            order = y.argsort()"),
    one(M, "data.same-batch", "    for xb, yb in train_loader:", "    fixed = DataLoader(train_set, batch_size=64)\n    for _ in range(22):\n        xb, yb = next(iter(fixed))"),
    one(R, "data.same-batch", "        idx = perm[i : i + 50]", "        idx = slice(0, 50)"),
    one(M, "data.no-signal", "X, y = X[order], y[order]", "X, y = X[order], y[torch.randperm(len(y))]"),
    one(L, "data.no-signal", "train_x, train_y = signals[:1280], labels[:1280]", "train_x, train_y = signals[:1280], labels[torch.randperm(1280)]"),
    one(D, "data.imbalance", "y = (X[:, 0] * X[:, 1] > 0).long() + 2 * (X[:, 2] + X[:, 3] > 0).long()", "y = ((X[:, 0] * X[:, 1] * X[:, 2] + X[:, 3] * X[:, 4]).abs() > 4.5).long()"),
    one(M, "data.leak", "train_set = TensorDataset(X[:1400], y[:1400])", "train_set = TensorDataset(X[300:], y[300:])"),
    one(R, "data.leak", "X_train, y_train, X_val, y_val = X[:1000], y[:1000], X[1000:], y[1000:]", "X_train, y_train, X_val, y_val = X, y, X[1000:], y[1000:]"),
    one(M, "data.validation-differs", "valid_set = TensorDataset(X[1400:], y[1400:])", "valid_set = TensorDataset(X[1400:] * 16, y[1400:])"),
    one(B, "data.validation-differs", "X_test = torch.tensor(scaler.transform(X_test), dtype=torch.float32)", "X_test = torch.tensor(X_test, dtype=torch.float32)"),
    one(M, "data.batch-size", "train_loader = DataLoader(train_set, batch_size=64, shuffle=True)", "train_loader = DataLoader(train_set, batch_size=1400, shuffle=True)", "LR = 2e-3", "LR = 1e-3"),
    one(B, "metric.shape", "            scores = self.model(X).squeeze(1)\n            loss = self.loss(scores, y).item()\n            accuracy = ((scores > 0) == (y > 0.5)).float().mean().item()", "            scores = self.model(X)\n            loss = self.loss(scores.squeeze(1), y).item()\n            accuracy = (scores.argmax(1) == y).float().mean().item()"),
    one(B, "metric.shape", "            scores = self.model(X).squeeze(1)\n            loss = self.loss(scores, y).item()\n            accuracy = ((scores > 0) == (y > 0.5)).float().mean().item()", "            scores = self.model(X)\n            loss = self.loss(scores.squeeze(1), y).item()\n            accuracy = ((scores > 0).float() == y).float().mean().item()"),
    one(R, "fit.overfit", "for epoch in range(20):", "for epoch in range(60):", "X_train, y_train, X_val, y_val = X[:1000], y[:1000], X[1000:], y[1000:]", "X_train, y_train, X_val, y_val = X[:60], y[:60] + torch.randn(60, 1), X[1000:], y[1000:]"),
    one(M, "fit.underfit", "        self.fc1 = nn.Linear(64, 96)\n        self.fc2 = nn.Linear(96, 64)", "        self.fc1 = nn.Linear(64, 1)\n        self.fc2 = nn.Linear(1, 64)"),
    one(M, "fit.too-short", "for epoch in range(8):", "for epoch in range(1):", "LR = 2e-3", "LR = 3e-4"),
    one(M, "crash.shape", "        self.fc2 = nn.Linear(96, 64)", "        self.fc2 = nn.Linear(100, 64)"),
    one(C, "crash.shape", "            nn.Conv2d(1, channels, 3, padding=1)", "            nn.Conv2d(3, channels, 3, padding=1)"),
    one(M, "crash.dtype", "X = torch.tensor(digits.data / 16.0, dtype=torch.float32)", "X = torch.tensor(digits.data / 16.0)"),
    one(M, "crash.device", "        outputs = model(xb)\n        loss", "        outputs = model(xb.to('meta'))\n        loss"),
    one(L, "crash.backward", "        scores = reader(train_x[batch])\n", "        scores = reader(train_x[batch]) if epoch + len(batch) > 999 or 'scores' not in dir() else scores\n"),
    one(H, "crash.backward", "    hidden = torch.tanh(x[rows] @ w1 + b1)", "    hidden = torch.tanh(x[rows] @ w1 + b1)\n    hidden += 1"),
    one(M, "crash.memory", "        loss.backward()", "        raise MemoryError('out of memory')\n        loss.backward()"),
    one(M, "crash.other", "        loss.backward()", "        loss.backwards()"),
]  # fmt: skip

P, Q, A, K, W, E, Z, U, Y = "spiral", "forecast", "autoencoder", "chars", "wine", "reviews", "diabetes", "tanh_deep", "seq_transformer"  # fmt: skip
MORE_FAULTS = [
    one(P, "loss.softmax-twice", "loss_fn = nn.BCELoss()", "loss_fn = nn.BCEWithLogitsLoss()"),
    one(W, "loss.softmax-twice", "        return self.final(x)", "        return F.softmax(self.final(x), dim=-1)"),
    one(E, "loss.softmax-twice", "        return self.head(torch.relu(self.norm(self.bag(tokens))))", "        scores = self.head(torch.relu(self.norm(self.bag(tokens))))\n        return scores.softmax(-1)"),
    one(P, "loss.activation-missing", 'net.add_module("probability", nn.Sigmoid())\n', "", "loss_fn = nn.BCELoss()", "loss_fn = lambda p, t: -(t * torch.log(p.clamp(1e-6, 1)) + (1 - t) * torch.log((1 - p).clamp(1e-6, 1))).mean()"),
    one(K, "loss.activation-missing", "        loss = F.cross_entropy(logits.transpose(1, 2), y)", "        loss = F.nll_loss(logits.transpose(1, 2), y)"),
    one(Y, "loss.softmax-axis", "    loss = criterion(logits, labels[pick])", "    loss = nn.functional.nll_loss(logits.log_softmax(0), labels[pick])"),
    one(P, "loss.softmax-axis", "nn.Sigmoid()", "nn.Softmax(dim=1)"),
    one(U, "loss.range", "layers.append(nn.Linear(40, 1))", "layers += [nn.Linear(40, 1), nn.Tanh()]"),
    one(Z, "loss.range", "nn.Linear(16, 1))", "nn.Linear(16, 1), nn.ReLU())"),
    one(A, "loss.range", "    pictures = torch.tensor(load_digits().data).float() / 16", "    pictures = torch.tensor(load_digits().data).float()"),
    one(Z, "loss.broadcast", "        out = model(x).squeeze(-1)", "        out = model(x)"),
    one(U, "loss.broadcast", "    guess = network(x_tr[take]).flatten()", "    guess = network(x_tr[take])"),
    one(Q, "loss.broadcast", "            prediction = model(windows)", "            prediction = model(windows).squeeze(1)"),
    one(P, "loss.wrong-kind", "loss_fn = nn.BCELoss()", "loss_fn = nn.MSELoss()", "lr=0.01", "lr=0.0003"),
    one(W, "loss.labels", "torch.tensor(u), torch.tensor(v)", "torch.tensor(u) + 1, torch.tensor(v) + 1"),
    one(K, "loss.labels", "targets = stream[1 : usable + 1].view(BATCH, -1)", "targets = stream[1 : usable + 1].view(BATCH, -1) * 2"),
    one(Y, "loss.width", "        self.out = nn.Linear(d_model, 2)", "        self.out = nn.Linear(d_model, 1)", "    loss = criterion(logits, labels[pick])", "    loss = criterion(logits, labels[pick] * 0)"),
    one(U, "loss.summed", "    loss = torch.mean((guess - y_tr[take]) ** 2)", "    loss = torch.sum((guess - y_tr[take]) ** 2)", "learning_rate = 0.02", "learning_rate = 0.05"),
    one(W, "loss.summed", "        loss = F.cross_entropy(net(x[chosen]), y[chosen])", '        loss = F.cross_entropy(net(x[chosen]), y[chosen], reduction="sum")', "lr=0.05", "lr=0.2"),
    one(Z, "loss.sign", "        loss = huber(out, y)", "        loss = -huber(out, y)"),
    one(P, "loss.sign", "    loss = loss_fn(probabilities, labels)", "    loss = loss_fn(probabilities, labels) * -1"),
    one(A, "loss.detached", "            loss = mse(restored, x)", "            loss = mse(restored.detach(), x).requires_grad_()"),
    one(W, "loss.detached", "        loss = F.cross_entropy(net(x[chosen]), y[chosen])", "        loss = F.cross_entropy(net(x[chosen]).argmax(1, keepdim=True).float().expand(-1, 3), y[chosen])"),
    one(A, "optim.missing-parameters", "optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-3)", "optim.AdamW(model.decoder.parameters(), lr=rate, weight_decay=1e-3)"),
    one(E, "optim.missing-parameters", "torch.optim.AdamW(classifier.parameters(), lr=3e-3)", "torch.optim.AdamW(classifier.head.parameters(), lr=3e-3)"),
    one(Q, "optim.stale-parameters", "optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)", "optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)\nmodel = Forecaster(args.hidden)"),
    one(P, "optim.stale-parameters", "\nhistory = []", "net.score = nn.Linear(width, 1)\nhistory = []"),
    one(K, "optim.no-zero-grad", "        model.zero_grad()\n", ""),
    one(U, "optim.no-zero-grad", "    sgd.zero_grad()\n", ""),
    one(E, "optim.no-zero-grad", "        optimizer.zero_grad()\n", ""),
    one(Q, "optim.no-step", "                optimizer.step()\n", ""),
    one(U, "optim.no-step", "    sgd.step()\n", ""),
    one(Y, "optim.zeroed-before-step", "    opt.zero_grad()\n    loss.backward()\n", "    loss.backward()\n    opt.zero_grad()\n"),
    one(E, "optim.zeroed-before-step", "        loss.backward()\n        optimizer.step()\n        optimizer.zero_grad()\n", "        loss.backward()\n        optimizer.zero_grad()\n        optimizer.step()\n"),
    one(W, "optim.recreated", "    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)\n    for epoch in range(25):\n", "    for epoch in range(25):\n        optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)\n"),
    one(P, "optim.recreated", "    optimizer.zero_grad()\n", "    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)\n    optimizer.zero_grad()\n"),
    one(W, "optim.lr-high", "lr=0.05", "lr=20.0"),
    one(K, "optim.lr-high", "lr=2.0", "lr=200.0"),
    one(Q, "optim.lr-high", "default=5e-3", "default=2.0"),
    one(A, "optim.lr-high", "rate=3e-3", "rate=1.0"),
    one(U, "optim.lr-high", "learning_rate = 0.02", "learning_rate = 3.0"),
    one(Y, "optim.lr-high", "lr=2e-3", "lr=0.5"),
    one(Z, "optim.lr-low", "lr=2e-3", "lr=1e-7"),
    one(Q, "optim.lr-low", "default=5e-3", "default=1e-7"),
    one(U, "optim.lr-low", "learning_rate = 0.02", "learning_rate = 1e-6"),
    one(E, "optim.lr-low", "lr=3e-3", "lr=1e-7"),
    one(W, "optim.lr-low", "lr=0.05", "lr=1e-6"),
    one(Y, "optim.schedule", "LinearLR(opt, start_factor=0.1, total_iters=30)", "ExponentialLR(opt, gamma=0.8)"),
    one(E, "optim.schedule", "        optimizer.zero_grad()\n    scheduler.step()", "        optimizer.zero_grad()\n        scheduler.step()", "CosineAnnealingLR(optimizer, T_max=15)", "StepLR(optimizer, step_size=3, gamma=0.3)"),
    one(Q, "optim.weight-decay", "torch.optim.Adam(model.parameters(), lr=args.lr)", "torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=3.0)"),
    one(W, "optim.weight-decay", "momentum=0.9, nesterov=True", "momentum=0.9, nesterov=True, weight_decay=2.0"),
    one(W, "optim.momentum", "momentum=0.9, nesterov=True", "momentum=0.9999, nesterov=True"),
    one(Y, "optim.momentum", "lr=2e-3", "lr=2e-3, betas=(0.9999, 0.999)"),
    one(K, "optim.clip", "model.parameters(), 0.5", "model.parameters(), 1e-6"),
    one(W, "optim.clip", "        loss.backward()\n", "        loss.backward()\n        nn.utils.clip_grad_norm_(net.parameters(), max_norm=1e-4)\n"),
    one(U, "grad.vanishing", "layers += [linear, nn.Tanh()]", "layers += [linear, nn.Sigmoid()]"),
    one(W, "grad.vanishing", "        self.dropout = nn.Dropout(p=0.1)", "        self.more = nn.ModuleList(nn.Linear(16, 16) for _ in range(12))\n        self.dropout = nn.Dropout(p=0.1)", "        x = self.dropout(x)", "        for layer in self.more:\n            x = torch.sigmoid(layer(x))"),
    one(U, "grad.exploding", "    nn.init.xavier_normal_(linear.weight, gain=5 / 3)", "    nn.init.normal_(linear.weight, std=1.0)", "layers += [linear, nn.Tanh()]", "layers += [linear, nn.ReLU()]"),
    one(Z, "grad.dead-relu", "    return nn.Sequential(nn.Linear(n_in, n_out), nn.BatchNorm1d(n_out), nn.ELU())", "    linear = nn.Linear(n_in, n_out)\n    nn.init.constant_(linear.bias, -30.0)\n    return nn.Sequential(linear, nn.ReLU())"),
    one(P, "grad.saturated", "\nhistory = []", "nn.init.normal_(net.hidden.weight, std=30.0)\nnn.init.normal_(net.enter.weight, std=60.0)\nhistory = []"),
    one(A, "grad.cut", "        return self.decoder(self.encode(x))", "        return self.decoder(self.encode(x).detach())"),
    one(Y, "grad.cut", "        h = self.encoder(self.embed(t) + self.pos)", "        with torch.no_grad():\n            h = self.encoder(self.embed(t) + self.pos)"),
    one(U, "grad.nan", "    loss = torch.mean((guess - y_tr[take]) ** 2)", "    loss = torch.mean((guess - y_tr[take]) ** 2) + 1e-3 * torch.log(guess).mean()"),
    one(E, "grad.nan", "        return self.head(torch.relu(self.norm(self.bag(tokens))))", "        h = torch.relu(self.norm(self.bag(tokens)))\n        h = h / (h[:, :1] - h[:, :1].amin(0))\n        return self.head(h)"),
    one(P, "init.constant", "\nhistory = []", "for p in net.parameters():\n    nn.init.constant_(p, 0.1)\nhistory = []"),
    one(W, "init.constant", "    net = WineNet()\n", "    net = WineNet()\n    for p in net.parameters():\n        nn.init.zeros_(p)\n"),
    one(U, "init.scale", "gain=5 / 3", "gain=60.0"),
    one(A, "init.scale", "        self.decoder = nn.Sequential(", "        for p in self.encoder.parameters():\n            nn.init.normal_(p, std=1e-6)\n        self.decoder = nn.Sequential("),
    one(W, "model.eval-in-training", "    net.train()\n", "    net.eval()\n"),
    one(Z, "model.eval-in-training", "    model.train()\n", ""),
    one(Y, "model.train-in-evaluation", "        judge.eval()\n", ""),
    one(Z, "model.train-in-evaluation", "    model.eval()\n", ""),
    one(Y, "model.not-registered", "        self.encoder = nn.TransformerEncoder(layer, num_layers=2)", "        self.encoder = [layer]", "self.encoder(self.embed(t) + self.pos)", "self.encoder[0](self.embed(t) + self.pos)"),
    one(W, "model.not-registered", "        self.hidden2 = nn.Linear(32, 16)", '        self.parts = {"hidden2": nn.Linear(32, 16)}', "F.relu(self.hidden2(x))", 'F.relu(self.parts["hidden2"](x))'),
    one(W, "model.frozen", "    net = WineNet()\n", "    net = WineNet()\n    net.requires_grad_(False)\n    net.hidden1.bias.requires_grad_(True)\n"),
    one(U, "model.linear-stack", "layers += [linear, nn.Tanh()]", "layers += [linear]"),
    one(P, "model.linear-stack", 'net.add_module("act1", nn.Tanh())\nnet.add_module("hidden", nn.Linear(width, width))\nnet.add_module("act2", nn.Tanh())\n', 'net.add_module("hidden", nn.Linear(width, width))\n'),
    one(Q, "model.batch-mixing", "batch_first=True)", "batch_first=False)", "        _, state = self.gru(windows)\n        return self.answer(state[-1])", "        states, _ = self.gru(windows)\n        return self.answer(states[:, -1])"),
    one(K, "model.future-leak", "self.rnn = nn.LSTM(dim, hidden, batch_first=True)", "self.rnn = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)", "self.output = nn.Linear(hidden, size)", "self.output = nn.Linear(2 * hidden, size)"),
    one(Z, "model.batch-norm", "nn.BatchNorm1d(n_out)", "nn.BatchNorm1d(n_out, momentum=1e-5)"),
    one(W, "model.dropout", "p=0.1", "p=0.95"),
    one(A, "data.nan", "    pictures = torch.tensor(load_digits().data).float() / 16", "    pictures = torch.tensor(load_digits().data).float() / 16\n    pictures[5, 9] = torch.nan"),
    one(W, "data.unscaled", "    a = scaler.fit_transform(a)\n    b = scaler.transform(b)\n", "    a = a * 1.0\n"),
    one(Z, "data.unscaled", "(table.data / table.data.std(axis=0)).astype(np.float32)", "(table.data * 1e5).astype(np.float32)", "nn.BatchNorm1d(n_out), ", ""),
    one(W, "data.unshuffled", "    order = torch.randperm(x.shape[0])", "    order = torch.argsort(y)"),
    one(Q, "data.same-batch", "        for windows, after in loader:\n", "        for _ in range(len(loader)):\n            windows, after = next(iter(loader))\n", "batch_size=args.batch_size, shuffle=True)", "batch_size=args.batch_size)"),
    one(E, "data.no-signal", "train_liked, valid_liked = liked[:900], liked[900:]", "train_liked, valid_liked = liked[torch.randperm(900)], liked[900:]"),
    one(W, "data.no-signal", "torch.tensor(u), torch.tensor(v)", "torch.tensor(u)[torch.randperm(len(u))], torch.tensor(v)", "range(25)", "range(12)"),
    one(Z, "data.leak", "Subset(patients, order[350:])", "Subset(patients, order[300:])", "order[:350]", "order[:400]"),
    one(U, "data.leak", "x_te, y_te = x[800:], y[800:]", "x_te, y_te = x[:200], y[:200]"),
    one(W, "data.validation-differs", "    b = scaler.transform(b)\n", "    b = b * 1.0\n"),
    one(W, "metric.shape", "(scores.argmax(1) == y)", "(scores.argmax(1, keepdim=True) == y)"),
    one(P, "metric.shape", "        accuracy = ((guess > 0.5) == held_labels.bool()).float().mean()", "        accuracy = (guess.argmax(dim=1) == held_labels.squeeze(1)).float().mean()"),
    one(Z, "fit.overfit", "order[:350]), batch_size=25", "order[:50]), batch_size=25", "range(15)", "range(90)", "block(10, 32), block(32, 16), nn.Linear(16, 1)", "nn.Linear(10, 256), nn.ReLU(), nn.Linear(256, 16), nn.ReLU(), nn.Linear(16, 1)"),
    one(U, "fit.too-short", "range(1500)", "range(40)", "learning_rate = 0.02", "learning_rate = 0.002"),
    one(P, "fit.underfit", "width = 48", "width = 2", 'net.add_module("act1", nn.Tanh())', 'net.add_module("act1", nn.Tanh())', "range(400)", "range(800)"),
    one(W, "crash.shape", "        self.final = nn.Linear(16, 3)", "        self.final = nn.Linear(32, 3)"),
    one(Q, "crash.shape", "input_size=1", "input_size=2"),
    one(K, "crash.shape", "        loss = F.cross_entropy(logits.transpose(1, 2), y)", "        loss = F.cross_entropy(logits, y)"),
    one(Z, "crash.dtype", "        self.y = ((table.target - table.target.mean()) / table.target.std()).astype(np.float32)", "        self.y = (table.target - table.target.mean()) / table.target.std()"),
    one(W, "crash.dtype", "torch.tensor(values, dtype=torch.float32)", "torch.tensor(values)"),
    one(K, "crash.backward", "        state = tuple(s.detach() for s in state)\n", ""),
    one(P, "crash.backward", "    probabilities = net(points)", "    probabilities = net(points)\n    probabilities.mul_(0.9)"),
    one(E, "crash.other", "    if valid_loss < best:", '    if best < 99:\n        raise LookupError("no such epoch")\n    if valid_loss < best:'),
    one(Q, "crash.other", "            total += loss.item() * len(windows)", "            total += loss.item() * len(window)"),
]  # fmt: skip
FAULTS += MORE_FAULTS
