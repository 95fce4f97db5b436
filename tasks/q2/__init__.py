"""Stages of Q², one module for each step of the paper."""
