"""Matrix factorization of synthetic film ratings, written like a small recommender library."""
import torch
from torch import nn


class Ratings:
    def __init__(self, users=120, films=90, rank=4, density=0.35, seed=19):
        g = torch.Generator().manual_seed(seed)
        p, q = torch.randn(users, rank, generator=g), torch.randn(films, rank, generator=g)
        seen = torch.rand(users, films, generator=g) < density
        self.user, self.film = seen.nonzero(as_tuple=True)
        clean = (p @ q.T)[seen] / rank**0.5
        self.stars = clean + 0.2 * torch.randn(len(clean), generator=g)
        order = torch.randperm(len(self.stars), generator=g)
        self.train, self.test = order[: int(0.85 * len(order))], order[int(0.85 * len(order)) :]


class Recommender:
    def __init__(self, data, rank=4, lr=0.02, epochs=25):
        torch.manual_seed(0)
        self.data, self.epochs = data, epochs
        self.users = nn.Embedding(int(data.user.max()) + 1, rank)
        self.films = nn.Embedding(int(data.film.max()) + 1, rank)
        for table in (self.users, self.films):
            nn.init.normal_(table.weight, std=0.3)
        self.optimizer = torch.optim.Adam(self.users.parameters(), lr=lr)

    def predict(self, rows):
        return (self.users(self.data.user[rows]) * self.films(self.data.film[rows])).sum(1)

    def error(self, rows):
        return nn.functional.mse_loss(self.predict(rows), self.data.stars[rows])

    def fit(self):
        for epoch in range(self.epochs):
            order = self.data.train[torch.randperm(len(self.data.train))]
            losses = []
            for rows in order.split(128):
                loss = self.error(rows)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                losses.append(loss.item())
            if epoch % 4 == 0 or epoch == self.epochs - 1:
                with torch.no_grad():
                    test = self.error(self.data.test).item()
                print(f"epoch {epoch:2d} train {sum(losses) / len(losses):.4f} test {test:.4f}")


ratings = Ratings()
print("variance of the ratings", round(ratings.stars.var().item(), 3))
Recommender(ratings).fit()
