"""Stages of Q², in the words of the paper: one stage in each module."""
