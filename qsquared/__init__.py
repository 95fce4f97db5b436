"""Q²: does a reply say only what its knowledge supports?"""

from importlib.metadata import version

__version__ = version("qsquared")
