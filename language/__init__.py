"""The models behind the protocols: spaCy, rules, transformers. Knows no Parquet."""

import os

# Torch's threads wait for each other by spinning. On a machine that has other work, a thread that
# lost its core is waited for by all cores: three times the time was measured, and three times the
# processor time. Read when torch is first imported, so it stands before all that does.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
