"""Train the compact models from the published formats of their data (see ``lab/training/README.md``).

Not imported by the package that scores: it needs the ``training`` extra and the data folder.
"""
