"""Help pages of commands, made of their docstrings, and the application that has them."""

import inspect
import re
from collections.abc import Callable
from copy import copy
from textwrap import dedent
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

Added = TypeVar("Added", bound=Callable[..., Any])

_SECTION = re.compile(r"^(Args|Note|Examples?):\n", re.MULTILINE)
_ARGUMENT = re.compile(r"^ {4}(\w+)(?: \((.*)\))?: (.*(?:\n {8}.*)*)", re.MULTILINE)


class _Plain:
    """A command or group whose help gives a type only where a value is to be typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, without the type of flags and of arguments, whose name says what is meant."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
            elif parameter.param_type_name == "argument":
                parameter.metavar = parameter.metavar or parameter.name.upper()
                parameter.display_type_rich = lambda ctx: ""  # noqa: ARG005 - typer's own form
        return parameters


class _Command(_Plain, TyperCommand):
    """A command with plain help."""


class _Group(_Plain, TyperGroup):
    """A group of commands with plain help, in the order in which they were added."""


class Commands(typer.Typer):
    """A typer application whose commands have these help pages."""

    def command(self, name: str | None = None) -> Callable[[Added], Added]:  # type: ignore[override]
        """Add a function as a command; its docstring is the help page.

        ``Args`` has the help of the options, each with the kind of its value in brackets; ``Note`` and
        ``Examples`` end the page.
        """

        def add(function: Added) -> Added:
            sections = _sections(function)
            end = [" ".join(sections.get("Note", "").split())]
            for heading in sections.keys() & {"Example", "Examples"}:
                end += [f"{heading}:", f"```text\n{dedent(sections[heading]).strip()}\n```"]
            parameters = explained(function)
            function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
            function.__annotations__ = {each.name: each.annotation for each in parameters}
            register = super(Commands, self).command(
                name, cls=_Command, help=sections[""], epilog="\n\n".join(filter(None, end))
            )
            register(function)
            return function

        return add


def explained(function: Callable[..., Any], panel: str | None = None) -> list[inspect.Parameter]:
    """Return the parameters of a function or class with the help that its docstring has for them.

    Raises:
        ValueError: the docstring explains a parameter that there is not.
    """
    args = _ARGUMENT.findall(_sections(function).get("Args", ""))
    help_of = {name: (metavar, text) for name, metavar, text in args}
    parameters = inspect.signature(function, eval_str=True).parameters
    if strange := help_of.keys() - parameters.keys():
        raise ValueError(f"{function.__name__} has no parameter {', '.join(sorted(strange))}")
    return [
        _explained(parameter, *help_of[name], panel) if name in help_of else parameter
        for name, parameter in parameters.items()
    ]


def _explained(
    parameter: inspect.Parameter, metavar: str, text: str, panel: str | None
) -> inspect.Parameter:
    kind, info = parameter.annotation, None
    if get_origin(kind) is Annotated:
        kind, info = get_args(kind)
        info = copy(info)
    elif parameter.default is parameter.empty:
        info = typer.Argument()
    else:
        info = typer.Option()
    info.help, info.metavar = " ".join(text.split()), metavar or None
    if isinstance(info, OptionInfo):
        info.rich_help_panel = panel
        # Typer holds the first name of an annotated option as its default, and an ellipsis for none.
        # Named here, since typer would give a flag without a name a twin, --no-….
        if info.default is ...:
            info.param_decls = (f"--{parameter.name.replace('_', '-')}",)
    return parameter.replace(annotation=Annotated[kind, info])


def _sections(function: Callable[..., Any]) -> dict[str, str]:
    """Return the sections of a docstring by their headings, and the text before them by none."""
    first, *others = _SECTION.split(inspect.cleandoc(function.__doc__ or ""))
    return {"": first.strip()} | dict(zip(others[::2], others[1::2], strict=True))


def _application(**more: Any) -> Commands:
    return Commands(
        cls=_Group,
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        **more,
    )


app = _application(name="q2")
"""The command `q2`, to which each module of commands adds its own."""


def command_group(name: str, text: str) -> Commands:
    """Add a group of commands to `q2`; its help begins with the text, and is shown if no command is named."""
    group = _application(name=name, help=text, no_args_is_help=True)
    app.add_typer(group)
    return group
