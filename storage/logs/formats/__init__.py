"""The descriptions of the formats of other programs' logs, one TOML file each."""
