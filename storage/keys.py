"""Content keys, which name a stage's output by everything that decides its bytes.

A key is the hash of the stage's name, version and parameters, the identities of its models and the
keys of its inputs.
No clock, host, batch size, device or run id goes in, so the same work has the same key anywhere.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any

_DIGEST_BYTES = 16
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Return the hash (32 hexadecimal digits) of a JSON value, whatever the order of its keys.

    Raises:
        TypeError: ``value`` is not plain JSON.
    """
    return _hash(_ENCODER.encode(value))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("ascii"), digest_size=_DIGEST_BYTES).hexdigest()


def pair_id(response: str, knowledge: Sequence[str]) -> str:
    """Return the id of a distinct (response, knowledge) text; each character counts."""
    # The text that `digest` would hash, which is made for each turn of a log.
    text = f'["pair",{encode_basestring_ascii(response)},[{",".join(map(encode_basestring_ascii, knowledge))}]]'
    return _hash(text)


def shard_key(ids: Sequence[str]) -> str:
    """Return the name of a shard by the ids of its pairs or situations, in order."""
    return digest(["shard", list(ids)])


def stage_key(
    name: str,
    version: int,
    parameters: Mapping[str, Any],
    models: Mapping[str, str],
    inputs: Mapping[str, str],
) -> str:
    """Return the key of a stage's output.

    Args:
        name: the stage's name.
        version: raised whenever the stage's code would give other bytes.
        parameters: the stage's parameters that are set, and the versions of their rules.
        models: role → identity of the model that plays it.
        inputs: input table's name → its key; for `pairs` and `situations`, the shard's key.

    ``tasks/jobs/stage_keys.py`` chooses these values for each stage.
    """
    return digest(["stage", name, version, dict(parameters), dict(models), dict(inputs)])
