"""Where the dependencies come from: pinned, hashed, audited."""
