"""A terminal that shows text of the data and obeys none of it."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from gradatim.wording import visible


class PlainConsole(Console):
    r"""A Rich console on which control characters within texts are written as what they are, and ``[words]`` are words.

    Example:
        >>> PlainConsole(markup=False, highlight=False).print("\x1b[31m[bold]red")
        \x1b[31m[bold]red
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))
