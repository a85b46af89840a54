"""tfdsl: describe a distributed TensorFlow job once, compile it to what each scheduler takes."""

__version__ = "0.1.0"
