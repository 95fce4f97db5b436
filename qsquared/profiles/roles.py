"""What every role of a profile says of its model: where it comes from, and of which commit."""

from __future__ import annotations

import re
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
_REVISION = re.compile(r"[0-9a-f]{40}|[\w][\w./-]*(@[0-9a-f]{7,40})?")
_LOCAL_PREFIXES = ("/", "./", "../", "~")


class Settings(BaseModel):
    """A part of a profile, as a person writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Role(Settings):
    """A checkpoint; a role that loads nothing names none."""

    checkpoint: str = Field(default="", description="Where the model comes from.")
    revision: str = Field(default="", description="Commit of a hub checkpoint; nothing for others.")

    @property
    def source(self) -> str:
        """`bundled`, `local` or `hub`, `package` (spaCy), or `none` (nothing to load)."""
        if not self.checkpoint:
            return "none"
        return checkpoint_source(self.checkpoint)

    @model_validator(mode="after")
    def _revision_fits(self) -> Self:
        if self.source == "hub" and not _REVISION.fullmatch(self.revision):
            raise ValueError(
                f"the hub checkpoint {self.checkpoint!r} needs a revision: a full commit hash, or "
                "a ref such as 'main' that `q2 models pull` resolves once"
            )
        if self.source != "hub" and self.revision:
            raise ValueError("only a hub checkpoint has a revision")
        return self


def checkpoint_source(checkpoint: str) -> str:
    """Whether a checkpoint is `bundled`, on the `hub`, or a `local` folder."""
    if checkpoint.startswith("bundled:"):
        return "bundled"
    if not checkpoint.startswith(_LOCAL_PREFIXES) and _HUB_NAME.fullmatch(checkpoint):
        return "hub"
    return "local"
