"""A graph in the language of Graphviz."""

from collections.abc import Iterable

STYLES = {
    "leaf": 'shape=box, style="rounded,filled", fillcolor="#D9ECF7", color="#0072B2"',
    "operation": 'shape=box, style="rounded,filled", fillcolor="#FFFFFF", color="#C9CDD4"',
    "loss": 'shape=box, style="rounded,filled", fillcolor="#FBE3D3", color="#D55E00"',
}


def quote(text: str) -> str:
    r"""Quote a text for Graphviz.

    >>> print(quote('say "hi"'))
    "say \"hi\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def dot_source(nodes: Iterable[tuple[str, str, str, str]], edges: Iterable[tuple[int, int]]) -> str:
    r"""Write nodes ``(kind, label, value, gradient)`` and edges between their positions as Graphviz source.

    >>> print(dot_source([("leaf", "w", "2", "8"), ("loss", "pow", "16", "1")], [(0, 1)]))
    digraph {
      rankdir=TB; node [fontname="Helvetica", fontsize=10]; edge [color="#5F6670"];
      n0 [label="w\n2\n∂ 8", shape=box, style="rounded,filled", fillcolor="#D9ECF7", color="#0072B2"];
      n1 [label="pow\n16\n∂ 1", shape=box, style="rounded,filled", fillcolor="#FBE3D3", color="#D55E00"];
      n0 -> n1;
    }
    """
    lines = ['rankdir=TB; node [fontname="Helvetica", fontsize=10]; edge [color="#5F6670"];']
    for index, (kind, label, value, gradient) in enumerate(nodes):
        rows = [label, value, f"∂ {gradient}" if gradient else ""]
        text = "\n".join(row for row in rows if row)
        lines.append(f"n{index} [label={quote(text)}, {STYLES[kind]}];")
    lines += [f"n{source} -> n{target};" for source, target in edges]
    return "digraph {\n" + "".join(f"  {line}\n" for line in lines) + "}"
