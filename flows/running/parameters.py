"""Flat flow parameters from a class of options, as deployments and their form name them."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Annotated, Any, TypeVar, get_type_hints

import pydantic

from qsquared.errors import UsageError
from qsquared.tasks.jobs.options import Job

Options = TypeVar("Options", bound=Job)
Result = TypeVar("Result")


def flat_parameters(
    kind: type[Options], first: tuple[str, ...] = ()
) -> Callable[[Callable[[Options], Result]], Callable[..., Result]]:
    """Give a function of options one parameter for each option.

    The parameters have the options' types, defaults, titles and descriptions.

    Args:
        kind: the class of options.
        first: options that come first, in this order; the others follow as the class has them.
    """
    types = get_type_hints(kind, include_extras=True)
    by_name = {option.name: option for option in fields(kind)}
    ordered = [by_name[name] for name in dict.fromkeys((*first, *by_name))]
    signature = inspect.Signature([_parameter(option, types[option.name]) for option in ordered])
    reader = pydantic.TypeAdapter(kind)

    def flatten(function: Callable[[Options], Result]) -> Callable[..., Result]:
        @wraps(function)
        def call(*args: Any, **given: Any) -> Result:
            return function(_read(reader, signature.bind(*args, **given).arguments))

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    return flatten


def _parameter(option: Field[Any], annotation: Any) -> inspect.Parameter:
    (text,) = annotation.__metadata__
    title = option.name.replace("_", " ").capitalize()
    # Prefect overwrites title and description of an annotation, but not what is extra in it.
    shown = pydantic.Field(json_schema_extra={"title": title, "description": text})
    return inspect.Parameter(
        option.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=inspect.Parameter.empty if option.default is MISSING else option.default,
        annotation=Annotated[annotation, shown],
    )


def _read(reader: pydantic.TypeAdapter[Options], given: dict[str, Any]) -> Options:
    """Return the options of these values.

    Raises:
        UsageError: a value is of another type than its option.
    """
    try:
        return reader.validate_python(given)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"The parameter {name} of the flow cannot be used: {first['msg']}.",
            "The deployment's form shows the type of each parameter.",
        ) from error
