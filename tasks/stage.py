"""A stage: a pure function from tables to one table, with all that its content key hashes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qsquared import protocols
from qsquared.storage.tables import ScoredUnit, Table, unit_of

Roles = protocols.Roles
Row = dict[str, Any]
Rows = list[Row]
Tables = Mapping[str, Rows]
Parameters = Mapping[str, Any]


Model = TypeVar("Model")


def required(model: Model | None) -> Model:
    """Return a model that only some profiles have; a job without it was refused before."""
    assert model is not None
    return model


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a metric over one shard.

    A shard holds pairs or situations, and ``inputs`` begins with one of these or with stages that
    read the same.

    ``run`` maps the rows of the input tables, the models and the parameters to the rows of
    ``table``; it reads nothing else.
    ``version`` is raised whenever ``run`` would give other rows for the same input.
    ``roles`` and ``parameters`` name the models and parameters that it reads.
    """

    table: Table
    version: int
    run: Callable[[Tables, Roles, Parameters], Rows]
    inputs: tuple[str, ...]
    roles: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    versions: Mapping[str, int] = field(default_factory=dict)
    """Parameter → version of the rules that it asks for; left unset, no key knows of the version."""
    only_with: str = ""
    """A parameter without which the table says no more than its inputs: no key then knows of it."""

    @property
    def name(self) -> str:
        """The name of its table, which is its own."""
        return self.table.name

    @property
    def unit(self) -> ScoredUnit:
        """The unit of its rows and of its inputs' rows: pairs or situations."""
        return unit_of(self.table)
