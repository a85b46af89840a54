"""Which lines of the output a line of a source made, and which line of a source made a line of the output.

:mod:`tfdsl.tracing.forward` and :mod:`tfdsl.tracing.back` answer the two questions for the command line, the language
server and Python programs. Both go through :mod:`tfdsl.tracing.trace`, the lines of the output with all places they
come from.
"""
