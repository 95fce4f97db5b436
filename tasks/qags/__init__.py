"""Stages of QAGS."""
