"""The one check of images, where a model reads them."""

from torch import Tensor

from gradatim.errors import InvalidValue


def check_images(owner: str, x: Tensor, in_channels: int, image_size: int | None = None) -> None:
    """Raise unless ``x`` is a batch of images with the right channels and, if given, the right size.

    Args:
        owner: Who asks, for the message.
        x: What a model was given.
        in_channels: Channels it was built for.
        image_size: Height and width it was built for; ``None`` for any.

    Example:
        >>> import torch
        >>> check_images("LeNet", torch.zeros(5, 1, 28, 28), 1, 28)
    """
    fits = x.ndim == 4 and x.shape[1] == in_channels
    if fits and (image_size is None or x.shape[2:] == (image_size, image_size)):
        return
    sides = "H, W" if image_size is None else f"{image_size}, {image_size}"
    raise InvalidValue(
        f"{owner}: x must have shape (B, {in_channels}, {sides}), got {tuple(x.shape)}. "
        "Reshape the images, or build the model for theirs."
    )


def count_patches(owner: str, image_size: int, patch_size: int) -> int:
    """Return how many square patches tile a square image, or name the sizes that do.

    Args:
        owner: Who asks, for the message.
        image_size: Height and width of the image.
        patch_size: Height and width of a patch.

    Example:
        >>> count_patches("ViT", 28, 7)
        16
    """
    if patch_size < 1 or image_size % patch_size:
        raise InvalidValue(
            f"{owner}: patch_size must divide image_size={image_size}, got {patch_size}. "
            f"Try one of {[p for p in range(1, image_size + 1) if image_size % p == 0]}."
        )
    return (image_size // patch_size) ** 2
