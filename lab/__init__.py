"""Laboratory: training, benchmarks and evaluation of what the product ships (see ``lab/README.md``)."""
