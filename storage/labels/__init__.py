"""Judgements of people: samples drawn for them, forms, their reading, and the rates that follow."""
