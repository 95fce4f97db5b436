"""Stages of Q², those of one step of the paper in one module."""
