import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    """Noisy discs on a dark ground; mask 0 = ground, 1 = disc."""

    def __init__(self, n, size=16, seed=0):
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.items = []
        for _ in range(n):
            cx, cy = torch.randint(4, size - 4, (2,), generator=g)
            r = torch.randint(2, 5, (1,), generator=g)
            mask = ((xx - cx) ** 2 + (yy - cy) ** 2 <= r ** 2).long()
            img = mask.float() + 0.3 * torch.randn(size, size, generator=g)
            self.items.append((img[None], mask[None]))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]


torch.manual_seed(0)
unet = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(),
    nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(),
    nn.Conv2d(8, 2, 1),
)
optimizer = torch.optim.Adam(unet.parameters(), 5e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    for image, mask in DataLoader(Blobs(256), batch_size=16, shuffle=True):
        optimizer.zero_grad()
        prediction = unet(image)
        loss = criterion(prediction, mask)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
