"""Dependencies: pinned with hashes, and audited."""
