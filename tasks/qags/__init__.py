"""Stages of QAGS: questions, answers and scores."""
