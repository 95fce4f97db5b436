"""Read what a command has put into a store."""

from qsquared.storage.files.parquet import read_table
from qsquared.storage.records.inputs.manifests import all_manifests
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS


def turns_of(store):
    """The replies of a store with their knowledge."""
    opened = Store.open(store)
    (manifest,) = all_manifests(opened)
    rows = read_table(opened.table_path("turns", manifest.fingerprint), TURNS, manifest.fingerprint)
    return [[row["response"], row["knowledge"]] for row in rows.to_pylist()]
