"""Engines of the encoders: torch, OpenVINO, and the arithmetic that each takes."""
