"""``q2`` with models that read words and cost nothing, for faults outside the models.

All else is real: ``python -m tests.faults.stubbed score …`` is the command line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from qsquared.cli.main import main
from qsquared.profiles.profile import Profile
from qsquared.tasks.running import stage_runner as workbench
from tests.tasks.fakes import WordRoles


@dataclass
class WordModels(WordRoles):
    """The fake models, with what the workbench asks of a profile's models."""

    profile: Profile | None = None

    def identities(self, roles: Iterable[str]) -> dict[str, str]:
        """All read words."""
        return dict.fromkeys(roles, "words")


if __name__ == "__main__":
    workbench.build_models = lambda profile, _device="cpu": WordModels(profile=profile)
    main()
