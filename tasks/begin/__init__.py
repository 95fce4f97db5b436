"""Stages of BEGIN."""
