"""Cultivar of a wine from its chemistry, with a scikit-learn like estimator."""
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale
from torch import nn


class TorchClassifier(ClassifierMixin, BaseEstimator):
    def __init__(self, hidden=24, lr=0.01, epochs=30, seed=0):
        self.hidden, self.lr, self.epochs, self.seed = hidden, lr, epochs, seed

    def fit(self, X, y):
        torch.manual_seed(self.seed)
        X, y = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y)
        self.module_ = nn.Sequential(
            nn.Linear(X.shape[1], self.hidden),
            nn.SiLU(),
            nn.Linear(self.hidden, 3),
            nn.LogSoftmax(dim=0),
        )
        optim = torch.optim.Adam(self.module_.parameters(), lr=self.lr)
        loss_function = nn.NLLLoss()
        self.history_ = []
        for _ in range(self.epochs):
            epoch_loss = []
            for batch in torch.randperm(len(X)).split(16):
                optim.zero_grad()
                loss = loss_function(self.module_(X[batch]), y[batch])
                loss.backward()
                optim.step()
                epoch_loss.append(loss.item())
            self.history_.append(sum(epoch_loss) / len(epoch_loss))
        return self

    def predict(self, X):
        with torch.no_grad():
            return self.module_(torch.as_tensor(X, dtype=torch.float32)).argmax(1).numpy()


X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(scale(X), y, random_state=1, stratify=y)
clf = TorchClassifier().fit(X_train, y_train)
print("loss by epoch:", *(f"{v:.3f}" for v in clf.history_[::3]), f"last {clf.history_[-1]:.3f}")
print("train accuracy:", clf.score(X_train, y_train))
print("test accuracy: ", clf.score(X_test, y_test))
