"""``python -m lab.code_lines``: count the lines of code of each room, beside those of the last release.

A line counts if something other than a comment or a docstring stands on it.
"""

import argparse
import ast
import io
import json
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RELEASE = Path(__file__).resolve().with_name("code_lines.json")
"""Room → (code lines, modules) of the last release."""

_ROOMS = ("flows", "gates", "language", "method", "qsquared", "storage", "storage/logs", "tasks")
_LAB = ("lab/benchmarks", "lab/evaluation", "lab/training")
_SILENT = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


def code_lines(source: str) -> int:
    """Return the number of lines of a module that are neither blank, comment nor docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def count_rooms(root: Path) -> dict[str, tuple[int, int]]:
    """Return room → (code lines, modules); the longest name that holds a module is its room."""
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for top in ("flows", "gates", "lab", "language", "method", "qsquared", "storage", "tasks"):
        for path in (root / top).rglob("*.py"):
            name = path.relative_to(root).as_posix()
            rooms = [room for room in (*_ROOMS, *_LAB) if name.startswith(f"{room}/")]
            room = max(rooms, key=len, default="lab")
            lines[room] += code_lines(path.read_text(encoding="utf-8"))
            modules[room] += 1
    return {room: (lines[room], modules[room]) for room in sorted(lines)}


def table(now: dict[str, tuple[int, int]], before: dict[str, tuple[int, int]]) -> str:
    """Return both counts side by side, with the sums of the product and of the laboratory."""
    rows = {room: (now.get(room, (0, 0)), before.get(room, (0, 0))) for room in {*now, *before}}
    for name, of_lab in (("product", False), ("laboratory", True)):
        chosen = [row for room, row in rows.items() if room.startswith("lab") == of_lab]
        first, second = ([row[side] for row in chosen] for side in (0, 1))
        rows[f"= {name}"] = (_sum(first), _sum(second))
    lines = [f"{'code lines':<16}{'now':>8}{'release':>9}{'':>8}{'modules':>9}{'release':>9}"]
    for room, ((code, modules), (old_code, old_modules)) in sorted(
        rows.items(), key=lambda row: (row[0].startswith("="), row[0])
    ):
        lines.append(
            f"{room:<16}{code:>8,}{old_code:>9,}{code - old_code:>+8,}{modules:>9}{old_modules:>9}"
        )
    return "\n".join(lines)


def _sum(counts: list[tuple[int, int]]) -> tuple[int, int]:
    return sum(code for code, _ in counts), sum(modules for _, modules in counts)


def main() -> None:
    """Print the counts; with ``--keep``, for a release, write them down as the last release's."""
    parser = argparse.ArgumentParser(prog="python -m lab.code_lines", description=main.__doc__)
    parser.add_argument("--keep", action="store_true", help="write the figures of a release")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout to count")
    chosen = parser.parse_args()
    now = count_rooms(chosen.root)
    if chosen.keep:
        rows = ",\n".join(f"  {json.dumps(room)}: {list(count)}" for room, count in now.items())
        RELEASE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    kept = json.loads(RELEASE.read_text(encoding="utf-8"))
    print(table(now, {room: (code, modules) for room, (code, modules) in kept.items()}))


if __name__ == "__main__":
    main()
