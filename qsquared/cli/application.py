"""The typer application, its help pages, and the kinds of options."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

Added = TypeVar("Added", bound=Callable[..., Any])


class _Command(TyperCommand):
    """A command whose help gives a type only where a value is to be typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, without the types that nobody types."""
        return _without_types(super().get_params(ctx))


class _Group(TyperGroup):
    """A group of commands with the same rule, in the order in which they were added."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, without the types that nobody types."""
        return _without_types(super().get_params(ctx))


class Commands(typer.Typer):
    """A typer application whose commands have these help pages."""

    def command(self, name: str | None = None, *, epilog: str = "") -> Callable[[Added], Added]:  # type: ignore[override]
        """Add a function as a command; ``epilog`` is the end of its help page."""
        return super().command(name, cls=_Command, epilog=epilog or None)


def commands(name: str, text: str) -> Commands:
    """Return an application or a group of commands, which shows its help if none is named."""
    return Commands(
        name=name,
        cls=_Group,
        no_args_is_help=name != "q2",
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        help=text,
    )


def examples(*typed: str, note: str = "") -> str:
    """Return the end of a help page: a note, and commands as one would type them, each on a line.

    Args:
        typed: the commands.
        note: what has to be known before them.
    """
    head = "Example:" if len(typed) == 1 else "Examples:"
    block = "\n".join(("```text", *typed, "```"))
    return "\n\n".join(filter(None, (note, head, block)))


def _without_types(parameters: list[Any]) -> list[Any]:
    """Take the type from flags and from arguments, whose name says what is meant."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        elif parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: ""  # noqa: ARG005 - typer's own form
    return parameters


FIRST_VISIT = """\
Does a chatbot's reply say only what its knowledge supports?

A first visit, with the log of your chatbot or with examples/logs of the checkout:

    q2 score LOGS        score the replies of a file or a folder
    q2 explain ID        why one of them got its score; the summary names the lowest
    q2 report            all of them on one page for the browser, report.html

`q2 --help` lists all commands, `q2 COMMAND --help` explains one.
"""

app = commands(
    "q2",
    """Does a chatbot's reply say only what its knowledge supports?

Q² asks questions about each reply, answers them on the reply and on the knowledge, and compares
the answers: 1 is fully supported, 0 not at all.

    q2 score logs/ --out scores.csv      score a folder of logs
    q2 explain 1117-004                  why a reply got its score
    q2 sql "FROM scores LIMIT 5"         ask the store anything
""",
)
models_app = commands("models", "The models that profiles name.")
app.add_typer(models_app, name="models")
formats_app = commands("formats", "The formats of logs, and descriptions of your own.")
app.add_typer(formats_app, name="formats")


def takes(metavar: str | None, text: str, *names: str, **more: Any) -> Any:
    """Return an option that takes a value: the name of that, and its help."""
    return typer.Option(*names, metavar=metavar, help=text, **more)


def flag(text: str, *names: str) -> Any:
    """Return an option that takes no value, with its help."""
    return typer.Option(*names, help=text)
