"""Language models behind the protocols: spaCy, rules, transformers. They neither read nor write Parquet."""

import os

# Torch's threads wait for each other by spinning. On a machine that has other work, a thread that
# lost its core is waited for by all cores: three times the time was measured, and three times the
# processor time. Torch reads the setting at its first import, so it is set here, before every module of the room.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
