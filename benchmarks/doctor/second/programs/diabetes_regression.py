import pandas as pd
import torch
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset


class DiabetesDataset(Dataset):
    def __init__(self, frame):
        self.x = torch.tensor(frame.drop(columns="target").values, dtype=torch.float32)
        self.y = torch.tensor(frame["target"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(0)
frame = load_diabetes(as_frame=True).frame
frame = (frame - frame.mean()) / frame.std()
train_df, val_df = train_test_split(frame, test_size=0.2, random_state=0)
train_loader = DataLoader(DiabetesDataset(train_df), batch_size=32, shuffle=True)
val_loader = DataLoader(DiabetesDataset(val_df), batch_size=32)

model = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
criterion = torch.nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
history = []
for epoch in range(25):
    model.train()
    train_loss = 0
    for x, y in train_loader:
        optimizer.zero_grad()
        output = model(x)
        loss = criterion(output, y)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() / len(train_loader)
    model.eval()
    val_loss = 0
    with torch.no_grad():
        for x, y in val_loader:
            val_loss += criterion(model(x), y).item() / len(val_loader)
    history.append({"epoch": epoch, "train": train_loss, "val": val_loss})
print(pd.DataFrame(history).tail(3))
