"""Scoring by date: each night, ranges of past dates, and dates scored anew."""
