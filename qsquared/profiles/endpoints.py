"""Roles that a server with OpenAI's interface plays, as a person writes them in a profile."""

import ipaddress
import json
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    field_validator,
)

from qsquared.profiles.model_parameters import Settings

ENDPOINT = "endpoint"
"""The table of a profile with the settings that its roles share, and the source of such a role."""

KINDS_OF_ROLE = ("of a model", "of a server")
"""The kinds of a role that a server may play, as pydantic puts them into the place of an error."""

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Endpoint(Settings):
    """A server, its model, and the limits within which it is asked.

    Only ``model``, ``revision`` and the parameters of the answers decide these; the rest may change
    without another score.
    """

    base_url: str
    """Address of the interface, such as http://localhost:8000/v1"""
    model: str = Field(min_length=1)
    """Name of the model, as the server knows it."""
    revision: str = ""
    """Your name for the version of the model; another one asks anew."""
    key_variable: str = ""
    """Environment variable with the key; empty for a server without."""
    allow: tuple[str, ...] = ()
    """Hosts to which replies and knowledge may be sent without --yes."""
    temperature: Price = 0.0
    """Of answers."""
    seed: int | None = 0
    """Of answers, where the server takes one."""
    extra: str = ""
    """JSON object of further fields of each request."""
    longest_answer: PositiveInt = 1024
    """Tokens, those of its thoughts too."""
    concurrency: PositiveInt = 8
    """Requests at a time."""
    input_price: Price = 0.0
    """Of a million tokens."""
    output_price: Price = 0.0
    """Of a million tokens."""
    currency: str = "USD"
    """Of both prices."""
    timeout_seconds: PositiveFloat = 120.0
    """Longest wait for an answer."""
    patience_minutes: NonNegativeFloat = 15.0
    """The time that a server which is away is waited for."""

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("base_url must be an address such as http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ValueError("base_url must hold no key; name its variable in key_variable")
        return value

    @field_validator("extra")
    @classmethod
    def _is_object(cls, value: str) -> str:
        try:
            TypeAdapter(dict[str, Any]).validate_json(value or "{}")
        except ValueError as error:
            raise ValueError("extra must be a JSON object") from error
        return value

    @property
    def host(self) -> str:
        """The machine that is asked."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_here(self) -> bool:
        """Whether the address is this machine's own."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings that decide answers, beside model and prompt."""
        chosen = self.model_dump(include={"revision", "temperature", "seed", "longest_answer"})
        chosen["extra"] = json.loads(self.extra or "{}")
        return {name: value for name, value in chosen.items() if value not in ("", {}, None)}

    def price(self, input_tokens: float, output_tokens: float) -> float:
        """Return the price of so many tokens."""
        return (input_tokens * self.input_price + output_tokens * self.output_price) / 1e6


class EndpointRole(Settings):
    """A role that a server plays; it loads no checkpoint."""

    source: Literal["endpoint"]
    endpoint: Endpoint
    prompts: tuple[str, ...] = ()
    """Files of your own prompts, in place of the package's."""

    @property
    def checkpoint(self) -> str:
        """The model, as lists of models show it."""
        return f"{self.endpoint.model} at {self.endpoint.host}"

    @property
    def revision(self) -> str:
        """No commit: a server has none."""
        return ""

    @property
    def implementation(self) -> str:
        """The kind of model, as lists show it."""
        return ENDPOINT


def kind_of_role(value: Any) -> str:
    """Return the kind of a role, as it is written or as it was read."""
    source = value.get("source") if isinstance(value, dict) else getattr(value, "source", "")
    return KINDS_OF_ROLE[source == ENDPOINT]


def completed_roles(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table of a profile with the shared settings of its server in each role that it plays."""
    shared = table.get(ENDPOINT)
    shared = shared if isinstance(shared, dict) else {}
    roles = {name: role for name, role in table.items() if name != ENDPOINT}
    for name, role in roles.items():
        if isinstance(role, dict) and role.get("source") == ENDPOINT:
            of_role = {key: role[key] for key in ("source", "prompts") if key in role}
            of_server = {key: value for key, value in role.items() if key not in of_role}
            roles[name] = of_role | {ENDPOINT: shared | of_server}
    return roles
